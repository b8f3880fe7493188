//! `legacy=true`: searches that repeat the defects of the reports' programs, and with them report 004's figures to the last leaf.
//!
//! Searches are built without the catalogue, which would compile all others, too; the last tests go through the program.

use std::{fmt, fs};

use canopy_engine::{
    catalog::{self, SEARCHES, Spec},
    games::{
        Game as _, History, Notation as _, Outcome, Player, SearchHints as _,
        connect_four::ConnectFour,
        notation::position_text,
        othello::{Othello, OthelloMove, PASS},
    },
    rng::Rng,
    search::{
        BestMove, Search, SearchLimits, SearchTask, StopFlag,
        othello::{LegacyAlphaBeta, LegacyMcts},
    },
};
use support::{Scratch, commands::engine_stdout};

mod support;

/// The search that a text with `legacy=true` describes.
fn othello(text: &str) -> Box<dyn Search<Othello>> {
    match catalog::parse::<Othello>(text).expect(text) {
        Spec::Mcts(config) if config.legacy.active().is_some() => Box::new(LegacyMcts::new(config)),
        Spec::Classical(config) => {
            let program = config.legacy.active().expect(text);
            Box::new(LegacyAlphaBeta::new(config, program))
        }
        _ => panic!("{text} repeats no program"),
    }
}

fn search_position(
    search: &mut dyn Search<Othello>,
    root: &Othello,
    limits: SearchLimits,
) -> BestMove<OthelloMove> {
    let mut history = History::new();
    history.push(root);
    search.search(SearchTask::new(root, &history, &limits, &StopFlag::new()))
}

/// A game of report 004: the discs, moves and evaluated leaves of both players, black first.
#[derive(Debug, PartialEq, Eq)]
struct Game004 {
    score: [u32; 2],
    moves: [u64; 2],
    leaves: [u64; 2],
}

impl Game004 {
    /// Plays two searches of report 004's program against each other.
    fn play(players: [&str; 2]) -> Self {
        let mut searches = players.map(othello);
        let mut position = Othello::mirrored_start();
        let (mut moves, mut leaves) = ([0; 2], [0; 2]);
        while position.outcome().is_none() {
            let side = position.to_move().index();
            let choice = search_position(&mut *searches[side], &position, SearchLimits::default());
            leaves[side] += choice.report.leaves;
            // A pass is not a move of the report, and is not searched.
            moves[side] += u64::from(position.legal_squares() != 0);
            position.play(choice.mv);
        }
        let score = position.score().expect("discs are counted");
        Self {
            score,
            moves,
            leaves,
        }
    }
}

impl fmt::Display for Game004 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], [c, d], [e, f]) = (self.score, self.moves, self.leaves);
        write!(out, "{a}-{b} {c}/{d} {e}/{f}")
    }
}

fn player_004(search: &str, heuristic: &str, depth: u32) -> String {
    let evaluation = heuristic.to_lowercase();
    format!("{search},evaluation={evaluation},depth={depth},legacy=true")
}

/// Report 004's tables: heuristics with their depths, score, moves, nodes.
#[test]
fn the_eight_published_games_of_report_004_are_repeated_to_the_last_node() {
    let rows = [
        ("count 4", "weighted 4", "15-49 30/30 10330/11821"),
        ("weighted 4", "count 4", "34-30 30/30 19746/22351"),
        ("count 2", "weighted 2", "13-0 5/4 58/86"),
        ("weighted 2", "count 2", "31-33 30/30 1337/1126"),
        ("count 3", "weighted 3", "21-43 30/30 2192/7006"),
        ("weighted 3", "count 3", "41-23 31/29 8155/3976"),
        ("weighted 3", "count 5", "27-37 30/30 8359/70739"),
        ("count 5", "weighted 3", "34-30 29/31 42341/6936"),
    ];
    for (black, white, expected) in rows {
        let [black, white] = [black, white].map(|text| {
            let (heuristic, depth) = text.split_once(' ').expect("a heuristic and a depth");
            player_004("alpha-beta-004", heuristic, depth.parse().expect("a depth"))
        });
        let game = Game004::play([&black, &white]);
        assert_eq!(game.to_string(), expected, "{black} against {white}");
    }
}

/// The games of four heuristics at depths 2 to 4 from a program written for the purpose, with and without pruning.
#[test]
fn the_grid_of_report_004_is_repeated_with_and_without_pruning() {
    let text = fs::read_to_string(support::data("reversi004_legacy_grid.txt")).expect("test data");
    let mut count = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            "L",
            black,
            white,
            depth,
            score,
            moves,
            leaves,
            "|",
            "minimax",
            "same",
            "true",
            "nodes",
            all,
        ] = words[..]
        else {
            panic!("not a row of the grid: {line}");
        };
        let depth: u32 = depth[1..].parse().expect("a depth");
        for (search, leaves) in [("alpha-beta-004", leaves), ("minimax-004", all)] {
            let players = [black, white].map(|heuristic| player_004(search, heuristic, depth));
            let game = Game004::play([&players[0], &players[1]]);
            assert_eq!(
                game.to_string(),
                format!("{score} {moves} {leaves}"),
                "{line}: {search}"
            );
        }
        count += 1;
    }
    assert_eq!(count, 41);
}

/// Middle-game positions in which neither side passes within two plies.
fn quiet_positions(count: usize) -> Vec<Othello> {
    let mut rng = Rng::new(3);
    let positions = (0..10 * count).map(|index| {
        let mut position = Othello::start(());
        for _ in 0..10 + index % 30 {
            position.play_random(&mut rng);
        }
        position
    });
    let has_moves = |position: &Othello| position.legal_squares() != 0;
    let is_quiet = |position: &Othello| {
        has_moves(position)
            && children(position).iter().all(|(_, child)| {
                has_moves(child) && children(child).iter().all(|(_, next)| has_moves(next))
            })
    };
    let found: Vec<Othello> = positions.filter(is_quiet).take(count).collect();
    assert_eq!(found.len(), count);
    found
}

/// Moves and what they lead to, column by column.
fn children(position: &Othello) -> Vec<(OthelloMove, Othello)> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.sort_by_key(|mv| (mv.0 % 8, mv.0 / 8));
    let after = |mv: OthelloMove| {
        let mut child = *position;
        child.play(mv);
        (mv, child)
    };
    moves.into_iter().map(after).collect()
}

/// Report 001's weights of a player's discs, with the misprint of its program.
fn weights_001(position: &Othello, player: Player) -> i32 {
    let discs = position.discs()[player.index()];
    let weight = |square: u8| match square {
        49 | 54 => -30,
        _ => Othello::weight_001(OthelloMove(square)),
    };
    let squares = (0..64).filter(|square| discs >> square & 1 == 1);
    squares.map(weight).sum()
}

/// The first move with the highest value.
fn first_best(values: impl Iterator<Item = (OthelloMove, i32)>) -> OthelloMove {
    let best = values.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.expect("there are moves").0
}

#[test]
fn report_001s_heuristic_player_at_an_odd_depth_plays_for_its_opponent() {
    let mut search = othello("heuristic-001,depth=2,legacy=true");
    for position in quiet_positions(20) {
        let opponent = position.to_move().opponent();
        let expected = children(&position)
            .into_iter()
            .map(|(mv, child)| (mv, weights_001(&child, opponent)));
        let choice = search_position(&mut *search, &position, SearchLimits::default());
        assert_eq!(
            choice.mv,
            first_best(expected),
            "{}",
            position_text(&position)
        );
    }
}

#[test]
fn report_001s_heuristic_player_searches_one_ply_less_than_it_is_told() {
    let mut search = othello("heuristic-001,depth=3,legacy=true");
    for position in quiet_positions(20) {
        let player = position.to_move();
        let worst = |child: &Othello| {
            let replies = children(child).into_iter();
            replies.map(|(_, next)| weights_001(&next, player)).min()
        };
        let values = children(&position).into_iter();
        let values = values.map(|(mv, child)| (mv, worst(&child).expect("a reply")));
        let choice = search_position(&mut *search, &position, SearchLimits::default());
        assert_eq!(
            choice.mv,
            first_best(values),
            "{}",
            position_text(&position)
        );
        assert_eq!(choice.report.depth, 2);
    }
}

/// Positions with two moves, one of which wins and one loses, each after a single reply that ends the game.
fn decided_endings(count: usize) -> Vec<(Othello, OthelloMove)> {
    let mut found = Vec::new();
    let mut rng = Rng::new(1);
    while found.len() < count {
        let mut position = Othello::start(());
        while position.piece_count() < 62 && position.play_random(&mut rng) {}
        let outcomes: Vec<(OthelloMove, Option<Outcome>)> = (children(&position).into_iter())
            .filter_map(|(mv, child)| match children(&child)[..] {
                [(reply, last)] if reply != PASS => Some((mv, last.outcome())),
                _ => None,
            })
            .collect();
        let player = position.to_move();
        let wins = |outcome| outcome == Some(Outcome::Win(player));
        let loses = |outcome| outcome == Some(Outcome::Win(player.opponent()));
        match outcomes[..] {
            [(one, first), (_, second)] if loses(first) && wins(second) => {
                found.push((position, one));
            }
            [(_, first), (other, second)] if wins(first) && loses(second) => {
                found.push((position, other));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn report_001s_tree_search_takes_a_lost_reply_for_a_won_one() {
    for name in ["uct-001", "ucb1-tuned-001", "grouping-001"] {
        for (position, losing) in decided_endings(10) {
            let mut search = othello(&format!("{name},legacy=true"));
            let choice = search_position(&mut *search, &position, SearchLimits::iterations(2));
            assert_eq!(choice.mv, losing, "{name} in {}", position_text(&position));
            assert_eq!(choice.report.value.for_player(position.to_move()), 1.0);
        }
    }
}

#[test]
fn report_001s_tree_search_tries_the_last_move_first_and_repeats_itself() {
    for position in quiet_positions(5) {
        let last = children(&position).last().expect("a move").0;
        let mut search = othello("uct-001,legacy=true,seed=5");
        let first = search_position(&mut *search, &position, SearchLimits::iterations(1));
        assert_eq!(first.mv, last);
        let [one, other] =
            [1, 2].map(|_| search_position(&mut *search, &position, SearchLimits::default()));
        assert_eq!((one.report.iterations, &one), (300, &other));
    }
}

#[test]
fn report_001s_grouping_shares_statistics_by_rotation_and_keeps_them_through_a_game() {
    let start = Othello::start(());
    let mut search = othello("grouping-001,legacy=true");
    let visits = |search: &mut dyn Search<Othello>| {
        let report = search_position(search, &start, SearchLimits::default()).report;
        assert_eq!(
            report.iterations, 150,
            "half of them while few discs are down"
        );
        let of = |text: &str| {
            let mv = start.parse_move(text).expect("a move");
            let root = report.root_moves.iter().find(|root| root.mv == mv);
            root.expect("a root move").visits
        };
        ["d3", "e6", "c4", "f5"].map(of)
    };
    let first = visits(&mut *search);
    // Half a turn leads from one move of a pair to the other.
    assert_eq!((first[0], first[2]), (first[1], first[3]));
    assert_eq!(first[0] + first[2], 150);
    let second = visits(&mut *search);
    assert_eq!(
        second[0] + second[2],
        300,
        "those of the first search are still there"
    );
    search.clear();
    assert_eq!(visits(&mut *search), first);
}

#[test]
fn programs_are_repeated_only_in_the_games_they_played() {
    for name in ["uct-001", "ucb1-tuned-001", "grouping-001"] {
        let text = format!("{name},legacy=true");
        let error = catalog::parse::<ConnectFour>(&text).expect_err(&text);
        let fragment = "legacy cannot be \"true\": expected false, because the program with these defects did not play connect-four";
        assert!(error.to_string().contains(fragment), "{error}");
    }
    for text in ["uct-000,legacy=true", "uct-001,legacy=false"] {
        assert!(catalog::parse::<ConnectFour>(text).is_ok(), "{text}");
    }
    assert!(catalog::parse::<Othello>("uct,legacy=true").is_err());
}

#[test]
fn report_000_writes_0_for_the_mean_of_nodes_without_visits() {
    for (search, unvisited) in [("uct-000", "0.5"), ("uct-000,legacy=true", "0")] {
        let scratch = Scratch::new("unvisited");
        let directory = scratch.0.to_str().expect("a path of text");
        let grow = ["grow", "--game", "connect-four", "--search", search];
        engine_stdout(&[&grow[..], &["--format", "csv", "--out", directory]].concat());
        let files = scratch.files("csv");
        let text = fs::read_to_string(&files[0]).expect("a tree");
        let rows = text
            .lines()
            .map(|line| line.split(',').collect::<Vec<&str>>());
        let unvisited_rows: Vec<Vec<&str>> = rows.filter(|row| row[1] == "0").collect();
        assert!(
            unvisited_rows.len() > 50,
            "{search}: {}",
            unvisited_rows.len()
        );
        assert!(
            unvisited_rows.iter().all(|row| row[3] == unvisited),
            "{search}"
        );
    }
}

#[test]
fn a_match_between_processes_repeats_a_game_of_report_004_and_counts_its_leaves() {
    let scratch = Scratch::new("match-004");
    let path = |name: &str| scratch.0.join(name).display().to_string();
    fs::write(path("openings.txt"), "mirrored\n").expect("it is written");
    let player = |name: &str| {
        format!("name={name} search=alpha-beta-004,evaluation={name},legacy=true go='depth 2'")
    };
    let out = path("out");
    let (one, other, openings) = (player("count"), player("weighted"), path("openings.txt"));
    engine_stdout(&[
        "match",
        "--game",
        "othello",
        "--games",
        "2",
        "--openings",
        &openings,
        "--engine",
        &one,
        "--engine",
        &other,
        "--out",
        &out,
    ]);
    let table = fs::read_to_string(path("out/games.csv")).expect("there is a table");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let headers = reader.headers().expect("a header").clone();
    let rows: Vec<String> = (reader.records())
        .map(|row| {
            let row = row.expect("a row");
            let cell = |name: &str| {
                let column = headers.iter().position(|heading| heading == name);
                row[column.expect(name)].to_owned()
            };
            [
                "player1", "score1", "score2", "leaves1", "leaves2", "nodes1",
            ]
            .map(cell)
            .join(" ")
        })
        .collect();
    assert_eq!(
        rows,
        ["count 13 0 58 86 58", "weighted 31 33 1337 1126 1337"]
    );
}

#[test]
fn every_search_of_a_report_says_how_it_differs_from_the_report() {
    for entry in SEARCHES {
        let is_a_reports = entry.name.contains("-00");
        assert_eq!(
            !catalog::deviations(entry.name).is_empty(),
            is_a_reports,
            "{}",
            entry.name
        );
    }
    let text = engine_stdout(&["searches", "heuristic-001"]);
    assert!(text.contains("legacy=false"), "{text}");
    assert!(text.contains("evaluation=weights:diff"), "{text}");
}
