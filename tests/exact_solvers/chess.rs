//! Chess endings: the tables against the game's own rules, plain propagation and published figures.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use canopy_engine::{
    games::{
        Game as _, Notation as _, Outcome, Player,
        chess::{Chess, ChessRules},
        notation::{self, move_text},
        successors,
    },
    rng::Rng,
    search::{
        SearchLimits, StopFlag,
        chess::{
            ChessSolver, TableStore, random_ending,
            tables::{Material, TableValue},
        },
        exact::{Exact as _, ExactValue, SolveContext, ValueClass, WinGoal},
    },
};

use super::{
    MEGABYTE, node_limit,
    support::{data_lines, read_data},
    value_within, with_context,
};

const MEMORY: usize = 256 * MEGABYTE;

fn solver() -> ChessSolver {
    ChessSolver::new(ChessRules::default(), MEMORY, None)
}

fn position(text: &str) -> Chess {
    notation::read_position(ChessRules::default(), text).expect("a position")
}

fn value(solver: &mut ChessSolver, text: &str) -> Option<ExactValue> {
    value_within(solver, &position(text), &SearchLimits::default())
}

fn text_of(value: Option<ExactValue>) -> String {
    value.map_or_else(|| "unknown".to_owned(), |value| value.to_string())
}

/// A random position with this material, in either colour.
fn random_position(material: Material, rng: &mut Rng) -> Chess {
    let men = 2 + material.extra().count();
    loop {
        let found = random_ending(ChessRules::default(), men, rng).expect("so few men");
        let text = notation::position_text(&found);
        let board = text.split(' ').next().expect("a board");
        let side = |is_own: fn(&char) -> bool| -> String {
            let mut letters: Vec<char> = board.chars().filter(is_own).collect();
            letters.retain(|letter| !letter.eq_ignore_ascii_case(&'k'));
            letters.iter().collect::<String>().to_uppercase()
        };
        let name = format!(
            "K{}K{}",
            side(|letter| letter.is_uppercase()),
            side(|letter| letter.is_lowercase())
        );
        if Material::parse(&name) == Some(material) {
            return found;
        }
    }
}

/// Checks that the value of each of so many random positions follows from those of the positions after its moves.
fn assert_consistent(solver: &mut ChessSolver, material: Material, count: usize) {
    let mut rng = Rng::new(5);
    let mut checked = 0;
    while checked < count {
        let position = random_position(material, &mut rng);
        if position.outcome().is_some() {
            continue;
        }
        let unlimited = SearchLimits::default();
        let value = value_within(solver, &position, &unlimited);
        let best = (successors(&position).iter())
            .map(|(_, child)| value_within(solver, child, &unlimited))
            .map(|value| value.expect("its counter is low").before_move(false))
            .max_by_key(ExactValue::rank);
        let plain = |value: Option<ExactValue>| {
            value.map(|value| {
                (
                    value.class,
                    value.plies.filter(|_| value.class != ValueClass::Draw),
                )
            })
        };
        assert_eq!(plain(value), plain(best), "{position:?}");
        checked += 1;
    }
}

#[test]
fn values_follow_from_those_of_the_positions_after_the_moves() {
    let mut solver = solver();
    for name in ["KQK", "KRK", "KPK", "KBKN"] {
        let material = Material::parse(name).expect("a material");
        assert_consistent(&mut solver, material, 2_000);
    }
}

/// Longest mates with the stronger side and with the other side to win, whoever is to move: in moves, by the tables that are
/// published for the stronger side (Nalimov's, quoted in many places).
const LONGEST: [(&str, u32); 12] = [
    ("KQK", 10),
    ("KRK", 16),
    ("KPK", 28),
    ("KBBK", 19),
    ("KBNK", 33),
    ("KQKQ", 13),
    ("KQKR", 35),
    ("KQKB", 17),
    ("KQKN", 21),
    ("KRKR", 19),
    ("KRKB", 29),
    ("KRKN", 40),
];

/// Keeps what is stored, for whoever looks at it.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<HashMap<String, Vec<u8>>>>);

impl TableStore for Shelf {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().expect("no panic").get(name).cloned()
    }

    fn store(&self, name: &str, bytes: &[u8]) {
        let mut shelf = self.0.lock().expect("no panic");
        shelf.insert(name.to_owned(), bytes.to_vec());
    }
}

/// The tables that a position makes, by name.
fn tables_of(texts: &[String], memory: usize) -> HashMap<String, Vec<u8>> {
    let shelf = Shelf::default();
    let mut solver = ChessSolver::new(ChessRules::default(), memory, Some(Arc::new(shelf.clone())));
    for text in texts {
        assert!(value(&mut solver, text).is_some(), "{text}");
    }
    drop(solver);
    Arc::into_inner(shelf.0)
        .and_then(|tables| tables.into_inner().ok())
        .expect("nobody else has it")
}

/// The longest mate in a table, in moves.
fn longest_mate(table: &[u8]) -> u32 {
    let plies = table.iter().filter(|&&code| code != u8::MAX);
    plies
        .filter_map(|&code| TableValue::from_code(code).plies())
        .max()
        .unwrap_or(0)
        .div_ceil(2)
}

#[test]
fn the_longest_mates_with_three_men_are_the_published_ones() {
    let tables = tables_of(&["8/8/8/8/8/k7/4P3/4K3 w - - 0 1".to_owned()], MEMORY);
    for (name, moves) in &LONGEST[..3] {
        assert_eq!(
            longest_mate(&tables[&format!("chess-{name}")]),
            *moves,
            "{name}"
        );
    }
}

#[test]
#[ignore = "minutes: makes all tables"]
fn all_tables_are_consistent_and_their_longest_mates_the_published_ones() {
    let shelf = Shelf::default();
    let mut solver = ChessSolver::new(
        ChessRules::default(),
        512 * MEGABYTE,
        Some(Arc::new(shelf.clone())),
    );
    for material in Material::all()
        .into_iter()
        .filter(|material| !material.is_drawn())
    {
        assert_consistent(&mut solver, material, 3_000);
    }
    drop(solver);
    let tables = shelf.0.lock().expect("no panic");
    for (name, moves) in LONGEST {
        assert_eq!(
            longest_mate(&tables[&format!("chess-{name}")]),
            moves,
            "{name}"
        );
    }
}

/// Distances to mate with a white rook by plain propagation on the game's own rules: a round for every ply, all positions in
/// every round.
fn plain_distances() -> HashMap<String, (ValueClass, u32)> {
    let mut positions = Vec::new();
    let mut numbers = HashMap::new();
    // The black king in a corner of the board: any position is a mirror image of one of these.
    for black_king in [0, 1, 2, 3, 9, 10, 11, 18, 19, 27] {
        for white_king in 0..64 {
            for rook in 0..64 {
                for side in ["w", "b"] {
                    let mut board = ['1'; 64];
                    board[black_king] = 'k';
                    board[rook] = 'R';
                    board[white_king] = 'K';
                    let ranks: Vec<String> =
                        board.chunks(8).map(|rank| rank.iter().collect()).collect();
                    let text = format!("{} {side} - - 0 1", ranks.join("/"));
                    let Ok(position) = Chess::parse_position(ChessRules::default(), &text) else {
                        continue;
                    };
                    if position.piece_count() == 3 {
                        numbers.insert(plain_text(&position), positions.len());
                        positions.push(position);
                    }
                }
            }
        }
    }
    let children: Vec<Vec<Option<usize>>> = (positions.iter())
        .map(|position| {
            let children = successors(position).into_iter();
            children
                .map(|(_, child)| numbers.get(&plain_text(&child)).copied())
                .collect()
        })
        .collect();
    let mut known: Vec<Option<(ValueClass, u32)>> = (positions.iter())
        .map(|position| match position.outcome() {
            Some(Outcome::Win(_)) => Some((ValueClass::Loss, 0)),
            _ => None,
        })
        .collect();
    for plies in 1..=40 {
        let mut found = Vec::new();
        for (number, children) in children.iter().enumerate() {
            if known[number].is_some() || children.is_empty() {
                continue;
            }
            let class_of = |child: &Option<usize>| child.and_then(|child| known[child]);
            if children
                .iter()
                .any(|child| matches!(class_of(child), Some((ValueClass::Loss, _))))
            {
                found.push((number, ValueClass::Win));
            } else if children
                .iter()
                .all(|child| matches!(class_of(child), Some((ValueClass::Win, _))))
            {
                found.push((number, ValueClass::Loss));
            }
        }
        for (number, class) in found {
            known[number] = Some((class, plies));
        }
    }
    (numbers.into_iter())
        .map(|(text, number)| (text, known[number].unwrap_or((ValueClass::Draw, 0))))
        .collect()
}

/// Sides and men of a position, mirrored so that the black king is in the triangle a8, d8, d5; a king on the diagonal has two such
/// images, of which the smaller text stands for both.
fn plain_text(position: &Chess) -> String {
    let text = notation::position_text(position);
    let mut words = text.split(' ');
    let board = words.next().expect("a board");
    let side = words.next().expect("a side");
    let mut men = Vec::new();
    for (rank, row) in board.split('/').enumerate() {
        let mut file = 0;
        for symbol in row.chars() {
            match symbol.to_digit(10) {
                Some(blanks) => file += blanks as usize,
                None => {
                    men.push((symbol, rank, file));
                    file += 1;
                }
            }
        }
    }
    men.sort_unstable();
    let images = (0..8).map(|image| {
        let mirrored = men.iter().map(|&(symbol, rank, file)| {
            let (rank, file) = if image & 1 != 0 {
                (file, rank)
            } else {
                (rank, file)
            };
            let rank = if image & 2 != 0 { 7 - rank } else { rank };
            let file = if image & 4 != 0 { 7 - file } else { file };
            (symbol, rank, file)
        });
        mirrored.collect::<Vec<_>>()
    });
    let image = (images.filter(|men| {
        men.iter()
            .any(|&(symbol, rank, file)| symbol == 'k' && rank <= file && file < 4)
    }))
    .min()
    .expect("one image has its king there");
    format!("{side} {image:?}")
}

#[test]
fn king_and_rook_have_the_distances_of_plain_propagation() {
    let expected = plain_distances();
    let mut solver = solver();
    let mut rng = Rng::new(3);
    let material = Material::parse("KRK").expect("a material");
    let mut compared = 0;
    while compared < 20_000 {
        let found = random_position(material, &mut rng);
        // The plain distances have a white rook.
        let text = notation::position_text(&found);
        if !text.contains('R') {
            continue;
        }
        compared += 1;
        let value = value_within(&mut solver, &found, &SearchLimits::default()).expect("a value");
        let (class, plies) = expected[&plain_text(&found)];
        assert_eq!(value.class, class, "{text}");
        assert_eq!(value.plies.unwrap_or(0), plies, "{text}");
    }
}

/// A position of king and pawn against king; none if it is not legal. Squares count from a1 to h8.
fn pawn_ending(side: &str, men: [(usize, char); 3]) -> Option<Chess> {
    let mut board = ['1'; 64];
    for (square, letter) in men {
        if std::mem::replace(&mut board[square ^ 56], letter) != '1' {
            return None;
        }
    }
    let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
    let text = format!("{} {side} - - 0 1", ranks.join("/"));
    Chess::parse_position(ChessRules::default(), &text).ok()
}

/// The 64-bit hash of Fowler, Noll and Vo, variant 1a.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A line of the file has all positions with one side to move and the pawn on one square; clients/pawn_ending.py says how.
#[test]
fn every_position_of_king_and_pawn_has_the_value_that_python_chess_finds() {
    const ILLEGAL: u8 = 255;
    const DRAW: u8 = 254;
    let mut solver = solver();
    let mut value_code = |position: &Chess| {
        let value = value_within(&mut solver, position, &SearchLimits::default());
        let value = value.expect("the table has it");
        let plies = value.plies.unwrap_or(0) as u8;
        match value.class {
            ValueClass::Draw => DRAW,
            class => {
                let is_win = class == ValueClass::Win;
                assert_eq!(plies % 2 == 1, is_win, "{position:?}");
                plies
            }
        }
    };
    let text = read_data("chess_kpk.txt");
    let mut lines = 0;
    for (_, line) in data_lines(&text) {
        let (side, rest) = line.split_once(' ').expect("a side");
        let (name, _) = rest.split_once(' ').expect("a square");
        let [file, rank] = name.as_bytes() else {
            panic!("{name} is no square");
        };
        let pawn = usize::from(file - b'a' + 8 * (rank - b'1'));
        let mut values = Vec::new();
        for white in 0..64 {
            for black in 0..64 {
                let position = pawn_ending(side, [(white, 'K'), (black, 'k'), (pawn, 'P')]);
                values.push(position.map_or(ILLEGAL, |position| value_code(&position)));
            }
        }
        let hash = fnv1a(&values);
        values.retain(|&value| value != ILLEGAL);
        let legal = values.len();
        values.retain(|&value| value != DRAW);
        let longest = values.iter().max().copied().unwrap_or(0);
        let found = format!(
            "{side} {name} {legal} {} {longest} {hash:016x}",
            values.len()
        );
        assert_eq!(found, line);
        lines += 1;
    }
    assert_eq!(lines, 2 * 48);
}

#[test]
fn a_mate_behind_the_fifty_move_rule_is_unknown() {
    let mut solver = solver();
    let text = |clock: u32| format!("8/8/8/3k4/8/8/8/R3K3 w - - {clock} 80");
    let plies = value(&mut solver, &text(0))
        .and_then(|value| value.plies)
        .expect("a mate");
    let last = 100 - plies;
    assert_eq!(
        text_of(value(&mut solver, &text(last))),
        format!("win::{plies}")
    );
    assert_eq!(text_of(value(&mut solver, &text(last + 1))), "unknown");
    // The line of the last position that is won ends with mate, though some moves are too slow.
    let start = position(&text(last));
    let line = with_context(&SearchLimits::default(), |context| {
        solver.best_line(&start, context)
    });
    assert_eq!(line.len(), plies as usize);
    let mut end = start;
    for mv in line {
        assert!(end.is_legal(mv));
        end.play(mv);
    }
    assert_eq!(end.outcome(), Some(Outcome::Win(Player::First)));
    // A draw is one whatever the counter says.
    assert_eq!(
        text_of(value(&mut solver, "8/8/8/8/k7/p7/8/K7 w - - 97 90")),
        "draw"
    );
}

#[test]
fn mates_are_found_within_their_moves_and_not_within_fewer() {
    let mut solver = solver();
    let mut within = |text: &str, plies| {
        let position = position(text);
        let mover = position.to_move();
        with_context(&SearchLimits::default(), |context| {
            solver.wins_within(
                WinGoal {
                    position: &position,
                    attacker: mover,
                    plies,
                },
                context,
            )
        })
    };
    let rook = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1";
    let all: Vec<Option<bool>> = (1..=40).map(|plies| within(rook, plies)).collect();
    let first = all
        .iter()
        .position(|answer| *answer == Some(true))
        .expect("a mate");
    assert!(all[..first].iter().all(|answer| *answer == Some(false)) && first % 2 == 0);
    assert!(all[first..].iter().all(|answer| *answer == Some(true)));
    // More men: a search.
    let back_rank = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    assert_eq!(within(back_rank, 1), Some(true));
    let two_moves = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    assert_eq!(
        (within(two_moves, 1), within(two_moves, 3)),
        (Some(false), Some(true))
    );
}

#[test]
fn without_memory_for_a_table_mates_are_searched_for() {
    let mut solver = ChessSolver::new(ChessRules::default(), MEGABYTE / 4, None);
    assert_eq!(
        text_of(value(&mut solver, "k7/8/1K6/8/8/8/8/7R w - - 0 1")),
        "win::1"
    );
    let far = position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1");
    assert_eq!(value_within(&mut solver, &far, &node_limit(5_000)), None);
    assert!(solver.table_bytes() <= MEGABYTE / 4);
}

#[test]
fn an_interrupted_table_is_finished_by_the_next_questions() {
    let mut solver = solver();
    let rook = position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1");
    let mut questions = 0;
    let found = loop {
        questions += 1;
        match value_within(&mut solver, &rook, &node_limit(10_000)) {
            Some(value) => break value,
            None => assert!(questions < 1_000),
        }
    };
    assert!(questions > 3, "{questions}");
    assert_eq!(
        Some(found),
        value_within(&mut self::solver(), &rook, &SearchLimits::default())
    );
}

#[test]
fn a_stop_ends_the_making_of_a_table() {
    let stop = StopFlag::new();
    stop.set();
    let mut on_progress = |_| ();
    let limits = SearchLimits::default();
    let mut context = SolveContext::start(&limits, &stop, None, &mut on_progress);
    let mut solver = solver();
    assert_eq!(
        solver.value(&position("8/8/8/3k4/8/8/5p2/R3K3 w - - 0 1"), &mut context),
        None
    );
    assert_eq!(solver.nodes(), 1, "the position itself");
    let limits = SearchLimits {
        time: Some(Duration::from_millis(30)),
        ..SearchLimits::default()
    };
    let watch = std::time::Instant::now();
    let value = value_within(
        &mut solver,
        &position("8/8/8/3k4/8/8/5p2/R3K3 w - - 0 1"),
        &limits,
    );
    assert_eq!(value, None);
    assert!(
        watch.elapsed() < Duration::from_secs(5),
        "{:?}",
        watch.elapsed()
    );
}

#[test]
fn tables_are_loaded_from_where_they_were_stored() {
    let texts = ["8/8/8/8/8/k7/4P3/4K3 w - - 0 1".to_owned()];
    let shelf = Shelf(Arc::new(Mutex::new(tables_of(&texts, MEMORY))));
    let mut solver = ChessSolver::new(ChessRules::default(), MEMORY, Some(Arc::new(shelf.clone())));
    let before = solver.nodes();
    assert!(value(&mut solver, &texts[0]).is_some());
    assert_eq!(solver.nodes() - before, 1);
    // What has not the size of a table is not used.
    let mut tables = shelf.0.lock().expect("no panic");
    tables.values_mut().for_each(|table| {
        table.pop();
    });
    drop(tables);
    let mut solver = ChessSolver::new(ChessRules::default(), MEMORY, Some(Arc::new(shelf)));
    assert!(value(&mut solver, &texts[0]).is_some());
    assert!(solver.nodes() > 100_000);
}

#[test]
#[ignore = "a minute: makes the tables with a pawn on each side"]
fn a_capture_en_passant_counts() {
    let mut solver = ChessSolver::new(ChessRules::default(), 150 * MEGABYTE, None);
    let material = Material::parse("KPKP").expect("a material");
    let mut rng = Rng::new(11);
    let mut compared = 0;
    while compared < 300 {
        let before = random_position(material, &mut rng);
        for (mv, child) in successors(&before) {
            if !child.has_en_passant() || child.outcome().is_some() {
                continue;
            }
            let unlimited = SearchLimits::default();
            let value = value_within(&mut solver, &child, &unlimited).expect("a value");
            let best = (successors(&child).iter())
                .filter_map(|(_, after)| value_within(&mut solver, after, &unlimited))
                .map(|value| value.before_move(false))
                .max_by_key(ExactValue::rank)
                .expect("a move");
            assert_eq!(
                value.class,
                best.class,
                "{before:?} {}",
                move_text(&before, mv)
            );
            if value.class != ValueClass::Draw {
                assert_eq!(
                    value.plies,
                    best.plies,
                    "{before:?} {}",
                    move_text(&before, mv)
                );
            }
            compared += 1;
        }
    }
}
