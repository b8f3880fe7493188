//! The solver for every game, and the table of solvers.

use std::time::Duration;

use canopy_engine::{
    catalog::solvers::{self, SolverConfig},
    games::{
        Game as _, Playable, SearchHints as _,
        chess::Chess,
        connect_four::ConnectFour,
        delta::{Delta, Equaliser},
        kalah::{Kalah, KalahRules},
        notation::read_position,
        othello::Othello,
        tic_tac_toe::TicTacToe,
    },
    rng::Rng,
    search::{
        SearchLimits, StopFlag,
        delta::DeltaSolver,
        exact::{Exact as _, SolveContext, SolveProgress, ValueClass, generic::GenericSolver},
    },
};

use super::{
    MEGABYTE, assert_forced_wins_found, minimax, node_limit, random_endings,
    support::{check_each_game, data, every_game},
    value_within, with_context,
};

fn unlimited() -> SearchLimits {
    SearchLimits::default()
}

fn solver<G: Playable>(rules: G::Rules) -> GenericSolver<G> {
    GenericSolver::new(rules, 16 * MEGABYTE)
}

/// Compares a solver with minimax on random endings of games in which no position recurs.
fn assert_equals_minimax<G: Playable>(rules: G::Rules, plies: usize, count: usize) {
    let mut rng = Rng::new(23);
    let mut solver = solver::<G>(rules);
    let mut compared = 0;
    for position in random_endings::<G>(rules, plies, count, &mut rng) {
        let Some(expected) = minimax(&position, &mut 20_000) else {
            continue;
        };
        compared += 1;
        let value = value_within(&mut solver, &position, &unlimited()).expect("it is solved");
        assert_eq!((value.class, value.score), expected, "{position:?}");
        for &symmetry in G::SYMMETRIES {
            let image = position.image(symmetry);
            assert_eq!(value_within(&mut solver, &image, &unlimited()), Some(value));
        }
    }
    assert!(compared >= 100, "{compared} of {}", G::NAME);
}

#[test]
fn random_endings_have_the_values_of_minimax() {
    assert_equals_minimax::<Othello>((), 6, 1_000);
    assert_equals_minimax::<ConnectFour>((), 6, 3_000);
    assert_equals_minimax::<TicTacToe>((), 9, 300);
    for (pits, stones) in [(6, 4), (4, 3), (3, 5)] {
        for empty_capture in [false, true] {
            let rules = KalahRules {
                pits,
                stones,
                empty_capture,
            };
            assert_equals_minimax::<Kalah>(rules, 5, 400);
        }
    }
}

#[test]
fn short_wins_of_games_with_repetition_are_those_of_a_plain_search() {
    let mut rng = Rng::new(29);
    let mut chess = solver::<Chess>(Default::default());
    for position in random_endings::<Chess>(Default::default(), 4, 300, &mut rng) {
        assert_forced_wins_found(&mut chess, &position, 2, 4_000);
    }
    let mut delta = solver::<Delta>(Equaliser::Optional);
    for position in random_endings::<Delta>(Equaliser::Optional, 6, 300, &mut rng) {
        let plies = if position.is_pick_up() { 1 } else { 3 };
        assert_forced_wins_found(&mut delta, &position, plies, 10_000);
    }
}

#[test]
fn values_of_delta_are_those_of_its_own_solver() {
    let mut rng = Rng::new(31);
    let mut generic = solver::<Delta>(Equaliser::Optional);
    let mut special = DeltaSolver::new(Equaliser::Optional, MEGABYTE);
    let mut both = 0;
    for position in random_endings::<Delta>(Equaliser::Optional, 8, 400, &mut rng) {
        let limits = node_limit(5_000);
        let slow = value_within(&mut generic, &position, &limits);
        let quick = value_within(&mut special, &position, &limits);
        if let (Some(slow), Some(quick)) = (slow, quick) {
            both += 1;
            assert_eq!(slow.class, quick.class, "{position:?}");
            // A search to the end of the game does not count plies.
            assert!(
                slow.plies.is_none() || slow.plies == quick.plies,
                "{position:?}"
            );
        }
    }
    assert!(both > 300, "{both}");
}

/// First player's stones ahead, for 1, 2, 3 and so on stones in each pit: the values of an independent solver.
#[test]
fn small_kalah_boards_have_their_known_values() {
    let rows: [(u8, bool, &[i32]); 7] = [
        (1, false, &[0, -2, 6, -2, 2, 0]),
        (2, false, &[2, -2, -2, -10, 6, 8]),
        (3, false, &[0, 4, 2, 2, 6, -8]),
        (4, false, &[2, 6, 6]),
        (2, true, &[2, -2, -2, -12, 6, 8]),
        (3, true, &[0, 4, 2, 2, 6]),
        (4, true, &[2, 6, 8]),
    ];
    for (pits, empty_capture, values) in rows {
        for (stones, &expected) in (1..).zip(values) {
            let rules = KalahRules {
                pits,
                stones,
                empty_capture,
            };
            let value = value_within(
                &mut solver::<Kalah>(rules),
                &Kalah::start(rules),
                &unlimited(),
            );
            let value = value.expect("it is solved");
            assert_eq!(value.score, Some(expected), "{rules:?}");
        }
    }
    let rules = KalahRules {
        pits: 6,
        stones: 1,
        empty_capture: false,
    };
    let start = Kalah::start(rules);
    let values = with_context(&unlimited(), |context| {
        solver::<Kalah>(rules).values(&start, context)
    });
    let scores: Vec<_> = values.iter().map(|(_, value)| (*value)?.score).collect();
    assert_eq!(scores, [0, 0, 0, -2, -2, 2].map(Some));
}

#[test]
fn mates_are_found_with_their_distance() {
    let text = std::fs::read_to_string(data("chess_mates.txt")).expect("the file is there");
    let mut solver = solver::<Chess>(Default::default());
    let mut found = [0; 4];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (moves, fen) = line.split_once(' ').expect("a number and a position");
        let moves: u32 = moves.parse().expect("a number");
        let position: Chess = read_position(Default::default(), fen).expect("a position");
        let value = value_within(&mut solver, &position, &node_limit(2_000_000));
        let value = value.expect("it is found");
        assert_eq!(
            (value.class, value.plies),
            (ValueClass::Win, Some(2 * moves - 1)),
            "{fen}"
        );
        found[moves as usize] += 1;
    }
    assert_eq!(found, [0, 40, 30, 30]);
}

#[test]
fn chess_that_is_no_short_mate_is_unknown_and_a_dead_draw_is_one() {
    let mut solver = solver::<Chess>(Default::default());
    let start = Chess::start(Default::default());
    assert_eq!(value_within(&mut solver, &start, &node_limit(20_000)), None);
    // White must take the last pawn; then there are bare kings.
    let fen = "8/8/8/8/8/2k5/p7/K7 w - - 0 1";
    let position: Chess = read_position(Default::default(), fen).expect("a position");
    let value = value_within(&mut solver, &position, &node_limit(100_000));
    assert_eq!(value.map(|value| value.class), Some(ValueClass::Draw));
}

#[test]
fn tic_tac_toe_is_a_draw_and_its_best_line_ends_the_game() {
    let start = TicTacToe::start(());
    let mut solver = solver::<TicTacToe>(());
    let value = value_within(&mut solver, &start, &unlimited()).expect("it is solved");
    assert_eq!(value.class, ValueClass::Draw);
    assert_eq!(
        with_context(&unlimited(), |context| solver.best_line(&start, context)).len(),
        9
    );
}

#[test]
fn finished_games_have_their_result() {
    let mut position = Othello::start(());
    position.play_out(&mut Rng::new(1));
    let mut solver = solver::<Othello>(());
    let value = value_within(&mut solver, &position, &unlimited()).expect("it is over");
    assert_eq!(minimax(&position, &mut 1), Some((value.class, value.score)));
    assert_eq!(value.plies, Some(0));
}

#[test]
fn every_game_keeps_the_limits_and_the_memory() {
    fn check<G: Playable>(rules: G::Rules) {
        let start = G::start(rules);
        let memory = MEGABYTE;
        let mut generic = GenericSolver::<G>::new(rules, memory);
        let _ = value_within(&mut generic, &start, &node_limit(30_000));
        assert!(generic.nodes() <= 30_020, "{}", G::NAME);
        assert!(generic.table_bytes() <= memory);
        let limits = SearchLimits {
            time: Some(Duration::from_millis(20)),
            ..SearchLimits::default()
        };
        let mut solver = solvers::solver::<G>(rules, SolverConfig::plain(memory));
        let values = with_context(&limits, |context| solver.values(&start, context));
        let mut moves = Vec::new();
        start.legal_moves(&mut moves);
        assert!(values.iter().map(|(mv, _)| *mv).eq(moves));

        let stop = StopFlag::new();
        stop.set();
        let mut ignore = |_| ();
        let limits = unlimited();
        let mut context = SolveContext::start(&limits, &stop, None, &mut ignore);
        solver.clear();
        let _ = solver.value(&start, &mut context);
        assert!(solver.nodes() < 100, "{}", G::NAME);
    }
    check_each_game!(every_game(), check);
}

/// With one thread and with two. Time is not measured: 4,000 nodes are less than a millisecond for a fast solver, and the slow ones
/// look at their limits every 16.
#[test]
fn a_stop_is_heeded_within_few_nodes() {
    fn check<G: Playable>(rules: G::Rules) {
        for threads in [1, 2] {
            let config = SolverConfig {
                threads,
                uses_book: false,
                ..SolverConfig::plain(64 * MEGABYTE)
            };
            let mut solver = solvers::solver::<G>(rules, config);
            let stop = StopFlag::new();
            let mut stopped_at = None;
            let mut on_progress = |progress: SolveProgress| {
                stopped_at = stopped_at.or(Some(progress.nodes));
                stop.set();
            };
            let limits = unlimited();
            let interval = Some(Duration::from_millis(1));
            let mut context = SolveContext::start(&limits, &stop, interval, &mut on_progress);
            let value = solver.value(&G::start(rules), &mut context);
            // A game that is solved at once need not be stopped.
            if let Some(stopped_at) = stopped_at.filter(|_| value.is_none()) {
                let late = solver.nodes() - stopped_at;
                assert!(late <= 4_000, "{}, {threads} threads: {late}", G::NAME);
            } else {
                assert!(solver.nodes() < 1_000_000, "{}", G::NAME);
            }
        }
    }
    check_each_game!(every_game(), check);
}
