//! The solver of othello endings against plain alpha-beta and published values.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use canopy_engine::{
    catalog,
    games::{
        Game as _, History, Player, SearchHints as _, Symmetric as _,
        notation::{move_text, read_position},
        othello::{Othello, OthelloMove, PASS},
    },
    rng::Rng,
    search::{
        SearchLimits, SearchTask, StopFlag,
        exact::{Exact as _, SolveContext, SolveProgress, ValueClass, solved},
        othello::endgame::{EmptySquares, OthelloSolver},
    },
};

use super::{
    MEGABYTE, forced_win, node_limit,
    support::{data_lines, print_uncaptured, read_data, untested_data},
    value_within, with_context,
};

const CONVENTIONS: [EmptySquares; 2] = [EmptySquares::ToNobody, EmptySquares::ToWinner];

fn unlimited() -> SearchLimits {
    SearchLimits::default()
}

fn solver(convention: EmptySquares) -> OthelloSolver {
    OthelloSolver::with_memory(16 * MEGABYTE, convention)
}

/// Positions of random games with so many empty squares.
fn random_positions(empty: u32, count: usize, rng: &mut Rng) -> Vec<Othello> {
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Othello::start(());
        while position.piece_count() < 64 - empty && position.play_random(rng) {}
        if position.piece_count() == 64 - empty && position.outcome().is_none() {
            found.push(position);
        }
    }
    found
}

/// The score of a finished game for the player to move.
fn final_score(position: &Othello, convention: EmptySquares) -> i32 {
    let [first, second] = position.discs().map(|discs| discs.count_ones() as i32);
    let ahead = match position.to_move() {
        Player::First => first - second,
        Player::Second => second - first,
    };
    let empty = 64 - first - second;
    match (convention, ahead) {
        (EmptySquares::ToNobody, _) | (_, 0) => ahead,
        (EmptySquares::ToWinner, 1..) => ahead + empty,
        (EmptySquares::ToWinner, _) => ahead - empty,
    }
}

/// Alpha-beta by the rules alone.
fn plain_score(position: &Othello, mut alpha: i32, beta: i32, convention: EmptySquares) -> i32 {
    if position.outcome().is_some() {
        return final_score(position, convention);
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut best = -64;
    for mv in moves {
        let mut child = *position;
        child.play(mv);
        best = best.max(-plain_score(&child, -beta, -alpha, convention));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

fn score(solver: &mut OthelloSolver, position: &Othello) -> i32 {
    let value = value_within(solver, position, &unlimited()).expect("no limits");
    let score = value.score.expect("othello has scores");
    assert_eq!(value.class, ValueClass::from_score(score));
    score
}

#[test]
fn endings_have_the_scores_of_plain_alpha_beta() {
    let mut rng = Rng::new(41);
    let mut solvers = CONVENTIONS.map(solver);
    let mut conventions_differ = 0;
    for (empty, count) in [
        (1, 300),
        (2, 400),
        (3, 500),
        (4, 600),
        (5, 500),
        (6, 300),
        (7, 120),
        (8, 50),
        (9, 10),
        (10, 2),
    ] {
        for position in random_positions(empty, count, &mut rng) {
            let scores = [0, 1].map(|index| {
                let expected = plain_score(&position, -64, 64, CONVENTIONS[index]);
                let found = score(&mut solvers[index], &position);
                assert_eq!(found, expected, "{position:?} {:?}", CONVENTIONS[index]);
                found
            });
            conventions_differ += u32::from(scores[0] != scores[1]);
        }
    }
    assert!(conventions_differ > 10, "{conventions_differ}");
}

#[test]
fn every_move_has_its_score_and_the_best_line_keeps_it() {
    let mut rng = Rng::new(43);
    let mut solver = solver(EmptySquares::ToNobody);
    let mut passes = 0;
    for position in random_positions(8, 60, &mut rng) {
        let best = score(&mut solver, &position);
        let values = with_context(&unlimited(), |context| solver.values(&position, context));
        let values = solved(values).expect("no limits");
        for &(mv, value) in &values {
            let mut child = position;
            child.play(mv);
            let expected = -plain_score(&child, -64, 64, EmptySquares::ToNobody);
            assert_eq!(value.score, Some(expected), "{mv:?} in {position:?}");
        }
        let most = values.iter().filter_map(|(_, value)| value.score).max();
        assert_eq!(most, Some(best));
        let line = with_context(&unlimited(), |context| solver.best_line(&position, context));
        passes += line.iter().filter(|&&mv| mv == PASS).count();
        let mut end = position;
        for mv in line {
            assert!(end.is_legal(mv));
            end.play(mv);
        }
        assert!(end.outcome().is_some());
        let score = final_score(&end, EmptySquares::ToNobody);
        let sign = if end.to_move() == position.to_move() {
            1
        } else {
            -1
        };
        assert_eq!(sign * score, best, "{position:?}");
    }
    assert!(passes > 5, "{passes}");
}

#[test]
fn images_of_an_ending_have_the_same_score() {
    let mut rng = Rng::new(47);
    let mut solver = solver(EmptySquares::ToWinner);
    for position in random_positions(11, 12, &mut rng) {
        let expected = score(&mut solver, &position);
        for &symmetry in Othello::SYMMETRIES {
            assert_eq!(score(&mut solver, &position.image(symmetry)), expected);
        }
        let inverted = position.inverted().expect("colours can be exchanged");
        assert_eq!(score(&mut solver, &inverted), expected);
    }
    assert_eq!(Othello::SYMMETRIES.len(), 8);
}

#[test]
fn finished_games_have_the_scores_of_the_rules() {
    let mut rng = Rng::new(59);
    let (mut full, mut early) = (0, 0);
    while early < 20 {
        let mut position = Othello::start(());
        while position.play_random(&mut rng) {}
        let empty = 64 - position.piece_count();
        full += u32::from(empty == 0);
        early += u32::from(empty > 0);
        for convention in CONVENTIONS {
            let expected = final_score(&position, convention);
            assert_eq!(score(&mut solver(convention), &position), expected);
        }
    }
    assert!(full > 20, "{full}");
    let wiped_out = format!("{}{} O", "X".repeat(40), "-".repeat(24));
    let position: Othello = read_position((), &wiped_out).expect("a position");
    let scores = CONVENTIONS.map(|convention| score(&mut solver(convention), &position));
    assert_eq!(scores, [-40, -64]);
}

#[test]
fn a_small_table_costs_time_only() {
    let mut rng = Rng::new(53);
    let mut large = solver(EmptySquares::ToNobody);
    for bytes in [0, 100, 5_000] {
        let mut small = OthelloSolver::with_memory(bytes, EmptySquares::ToNobody);
        assert!(small.memory_bytes() <= bytes.max(64), "{bytes}");
        for position in random_positions(11, 4, &mut rng) {
            assert_eq!(score(&mut small, &position), score(&mut large, &position));
        }
    }
}

/// Positions 40 to 44 of the FFO test suite with the best score and moves; none where the file, which is not ours, is absent.
fn ffo_positions() -> Vec<(Othello, i32, Vec<OthelloMove>)> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/others-data/ffo-40-59.obf");
    let Ok(text) = fs::read_to_string(&path) else {
        untested_data(
            "positions of the FFO test suite, a file of others, are not beside the project",
        );
        return Vec::new();
    };
    let position = |line: &str| {
        let mut fields = line.split(';');
        let board = fields.next().expect("a board").trim();
        let position: Othello = read_position((), board).expect("a position");
        let scores: Vec<(String, i32)> = fields
            .filter_map(|field| field.trim().split_once(':'))
            .map(|(mv, score)| (mv.to_lowercase(), score.parse().expect("a score")))
            .collect();
        let best = (scores.iter().map(|&(_, score)| score).max()).expect("a move");
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let is_best = |mv: OthelloMove| {
            let text = move_text(&position, mv);
            scores
                .iter()
                .any(|(mv, score)| *mv == text && *score == best)
        };
        moves.retain(|&mv| is_best(mv));
        (position, best, moves)
    };
    text.lines().take(5).map(position).collect()
}

fn assert_ffo_scores(count: usize) {
    let mut solver = OthelloSolver::with_memory(64 * MEGABYTE, EmptySquares::ToWinner);
    for (position, expected, best_moves) in ffo_positions().into_iter().take(count) {
        let started = Instant::now();
        assert_eq!(score(&mut solver, &position), expected);
        let (time, nodes) = (started.elapsed(), solver.nodes());
        print_uncaptured(&format!("{expected:+} in {time:?}, {nodes} nodes\n"));
        let line = with_context(&unlimited(), |context| solver.best_line(&position, context));
        assert!(best_moves.contains(&line[0]), "{line:?}");
    }
}

#[test]
fn ffo_40_has_its_published_score() {
    assert_ffo_scores(1);
}

#[test]
#[ignore = "takes a minute without optimisation"]
fn ffo_40_to_44_have_their_published_scores() {
    assert_ffo_scores(5);
}

/// An ending with the scores that Edax found for its moves; empty squares count for the winner.
struct Ending {
    position: Othello,
    scores: Vec<(OthelloMove, i32)>,
}

impl Ending {
    fn best_score(&self) -> i32 {
        let scores = self.scores.iter().map(|&(_, score)| score);
        scores.max().expect("a move")
    }

    fn score(&self, mv: OthelloMove) -> i32 {
        let found = self.scores.iter().find(|&&(known, _)| known == mv);
        found.expect("a legal move").1
    }
}

/// 200 endings of random games with 10 to 16 empty squares; data/othello/dump.py says how they were made.
fn endings() -> Vec<Ending> {
    let text = read_data("othello/endings.txt");
    let ending = |line: &str| {
        let (board, scores) = line.split_once(';').expect("a board");
        let position: Othello = read_position((), board).expect("a position");
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let score_of = |mv: OthelloMove| {
            let text = move_text(&position, mv);
            let words = scores.split(';').filter_map(|word| word.split_once(':'));
            let score = words
                .filter(|(mv, _)| mv.trim() == text)
                .map(|(_, score)| score);
            let scores: Vec<i32> = score.filter_map(|score| score.parse().ok()).collect();
            assert_eq!(scores.len(), 1, "{text} in {line}");
            (mv, scores[0])
        };
        let known: Vec<(OthelloMove, i32)> = moves.into_iter().map(score_of).collect();
        assert_eq!(known.len(), scores.split(';').count(), "{line}");
        Ending {
            position,
            scores: known,
        }
    };
    data_lines(&text).map(|(_, line)| ending(line)).collect()
}

#[test]
fn endings_of_10_to_16_empty_squares_have_the_scores_that_edax_finds() {
    let endings = endings();
    assert_eq!(endings.len(), 200);
    let mut solver = solver(EmptySquares::ToWinner);
    let mut counts = [0; 64];
    for ending in &endings {
        assert_eq!(score(&mut solver, &ending.position), ending.best_score());
        counts[64 - ending.position.piece_count() as usize] += 1;
    }
    assert!(counts[10..=16].iter().all(|&count| count >= 28));
    assert_eq!(counts.iter().sum::<u32>(), 200);
}

#[test]
fn every_move_has_the_score_that_edax_finds() {
    let mut solver = solver(EmptySquares::ToWinner);
    for Ending { position, scores } in &endings() {
        let values = with_context(&unlimited(), |context| solver.values(position, context));
        let values = solved(values).expect("no limits").into_iter();
        let found: Vec<_> = values.map(|(mv, value)| (mv, value.score)).collect();
        let expected: Vec<_> = scores
            .iter()
            .map(|&(mv, score)| (mv, Some(score)))
            .collect();
        assert_eq!(found, expected, "{position:?}");
        let line = with_context(&unlimited(), |context| solver.best_line(position, context));
        let best = scores.iter().max_by_key(|&&(_, score)| score);
        let first = expected.iter().find(|&&(mv, _)| mv == line[0]);
        assert_eq!(first.map(|entry| entry.1), best.map(|best| Some(best.1)));
    }
}

/// The move that a search of the catalogue plays.
fn move_of(search: &str, position: &Othello, limits: &SearchLimits) -> OthelloMove {
    let spec = catalog::parse::<Othello>(search).expect("a search of the game");
    let mut search = catalog::build::<Othello>(&spec.with_seed(1)).expect("a search of othello");
    let mut history = History::new();
    history.push(position);
    let stop = StopFlag::new();
    search
        .search(SearchTask::new(position, &history, limits, &stop))
        .mv
}

/// Whether a move is worth most where discs count as they lie, as searches count them; by `solver`.
fn is_best(solver: &mut OthelloSolver, position: &Othello, mv: OthelloMove) -> bool {
    let mut after = *position;
    after.play(mv);
    -score(solver, &after) == score(solver, position)
}

#[test]
fn searches_with_an_exact_ending_play_the_best_margin() {
    let endings = endings();
    let mut solver = solver(EmptySquares::ToNobody);
    let mut best_for_edax = 0;
    let mut names = ["uct", "alpha-beta", "strong", "lgr2"].into_iter().cycle();
    for ending in &endings {
        let position = &ending.position;
        let name = names.next().expect("it goes on");
        // Under a limit that is counted "auto" is 12.
        let is_late = position.piece_count() >= 64 - 12;
        let search = match is_late {
            true => name.to_owned(),
            false => format!("{name},exact_from=16"),
        };
        let mv = move_of(&search, position, &SearchLimits::iterations(1));
        assert!(is_best(&mut solver, position, mv), "{search}: {position:?}");
        best_for_edax += usize::from(ending.score(mv) == ending.best_score());
    }
    // Few games end with empty squares, which the scores of the file count for the winner.
    assert!(best_for_edax >= 190, "{best_for_edax}");
}

#[test]
fn alpha_beta_to_the_end_plays_the_best_margin_and_not_the_soonest_end() {
    let mut rng = Rng::new(61);
    let mut solver = solver(EmptySquares::ToNobody);
    let limits = SearchLimits {
        depth: Some(20),
        ..SearchLimits::default()
    };
    let mut shorter = 0;
    for position in random_positions(7, 60, &mut rng) {
        for search in ["alpha-beta", "deepening", "strong"] {
            let search = format!("{search},exact_from=0");
            let mv = move_of(&search, &position, &limits);
            assert!(
                is_best(&mut solver, &position, mv),
                "{search}: {position:?}"
            );
        }
        // Games that could have been won sooner, by less.
        let best = score(&mut solver, &position);
        shorter += u32::from(best > 0 && !is_best(&mut solver, &position, soonest_win(&position)));
    }
    assert!(shorter > 5, "{shorter}");
}

/// The first move of the quickest win.
fn soonest_win(position: &Othello) -> OthelloMove {
    let attacker = position.to_move();
    let plies = |mv: OthelloMove| {
        let mut after = *position;
        after.play(mv);
        (0..30).find(|&plies| forced_win(&after, attacker, plies).is_some())
    };
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let plies = moves.into_iter().filter_map(|mv| Some((plies(mv)?, mv)));
    plies.min_by_key(|&(plies, _)| plies).expect("a win").1
}

#[test]
fn limits_end_a_search_within_few_nodes_and_it_can_be_asked_again() {
    const SLACK: u64 = 2_000;
    let (position, ..) = ffo_positions().swap_remove(1);
    let mut solver = solver(EmptySquares::ToWinner);
    for nodes in [1, 1_000, 50_000] {
        let before = solver.nodes();
        let limits = node_limit(nodes);
        assert_eq!(value_within(&mut solver, &position, &limits), None);
        assert!(solver.nodes() - before <= nodes + SLACK, "{nodes}");
        let before = solver.nodes();
        let values = with_context(&limits, |context| solver.values(&position, context));
        assert_eq!(solved(values), None);
        assert!(solver.nodes() - before <= nodes + SLACK, "{nodes}");
    }
    let stop = StopFlag::new();
    let limits = unlimited();
    let mut stop_at = None;
    let mut on_progress = |progress: SolveProgress| {
        stop_at = stop_at.or(Some(progress.nodes));
        stop.set();
    };
    let interval = Some(Duration::from_millis(1));
    let mut context = SolveContext::start(&limits, &stop, interval, &mut on_progress);
    let before = solver.nodes();
    assert_eq!(solver.value(&position, &mut context), None);
    let nodes = solver.nodes() - before;
    let stop_at = stop_at.expect("it takes longer than the interval");
    assert!(
        nodes <= stop_at + SLACK,
        "{nodes} after a stop at {stop_at}"
    );
    let ending = random_positions(8, 1, &mut Rng::new(2)).remove(0);
    let expected = plain_score(&ending, -64, 64, EmptySquares::ToWinner);
    assert_eq!(score(&mut solver, &ending), expected);
}
