//! Kalah's solver.

use std::time::Instant;

use canopy_engine::{
    games::{
        Game as _, Notation as _, Symmetric as _,
        kalah::{Kalah, KalahRules},
        notation::read_position,
    },
    rng::Rng,
    search::{
        SearchLimits,
        exact::{Exact as _, ExactValue, ValueClass, generic::GenericSolver},
        kalah::KalahSolver,
    },
};

use super::{
    MEGABYTE, minimax, node_limit, random_endings, support::print_uncaptured, value_within,
    with_context, with_stop,
};

fn rules(pits: u8, stones: u8, empty_capture: bool) -> KalahRules {
    KalahRules {
        pits,
        stones,
        empty_capture,
    }
}

fn unlimited() -> SearchLimits {
    SearchLimits::default()
}

/// The score of the start of a game.
fn start_score(rules: KalahRules, memory: usize, threads: usize) -> Option<i32> {
    let mut solver = KalahSolver::new(rules, memory, threads);
    let value = value_within(&mut solver, &Kalah::start(rules), &unlimited())?;
    assert_eq!(Some(value.class), value.score.map(ValueClass::from_score));
    assert!(solver.memory_bytes() <= memory, "{rules:?}");
    value.score
}

/// The scores of all first moves.
fn first_moves(rules: KalahRules, memory: usize, threads: usize) -> Vec<Option<i32>> {
    let mut solver = KalahSolver::new(rules, memory, threads);
    let start = Kalah::start(rules);
    let values = with_context(&unlimited(), |context| solver.values(&start, context));
    let score = |value: Option<ExactValue>| value.and_then(|value| value.score);
    values.into_iter().map(|(_, value)| score(value)).collect()
}

const BOARDS: [(u8, u8); 7] = [(6, 4), (6, 6), (5, 3), (4, 3), (3, 5), (2, 6), (1, 6)];

#[test]
fn random_endings_have_the_values_of_minimax() {
    let mut rng = Rng::new(61);
    let mut compared = 0;
    for (pits, stones) in BOARDS {
        for empty_capture in [false, true] {
            let rules = rules(pits, stones, empty_capture);
            let mut solver = KalahSolver::new(rules, 4 * MEGABYTE, 1);
            for position in random_endings::<Kalah>(rules, 6, 300, &mut rng) {
                let Some(expected) = minimax(&position, &mut 20_000) else {
                    continue;
                };
                compared += 1;
                let value = value_within(&mut solver, &position, &unlimited());
                let value = value.expect("it is solved");
                assert_eq!((value.class, value.score), expected, "{position:?}");
                let turned = position.inverted().expect("kalah is the same for both");
                assert_eq!(
                    value_within(&mut solver, &turned, &unlimited()),
                    Some(value)
                );
            }
        }
    }
    assert!(compared > 3_000, "{compared}");
}

/// With one and two threads, and with and without a database.
#[test]
#[ignore = "minutes for the slow solver; shorter endings are compared with minimax above"]
fn longer_endings_have_the_values_of_the_solver_for_every_game() {
    let mut rng = Rng::new(67);
    for (pits, stones) in [(6, 4), (5, 3), (4, 4), (3, 6)] {
        for empty_capture in [false, true] {
            let rules = rules(pits, stones, empty_capture);
            let mut generic = GenericSolver::<Kalah>::new(rules, 16 * MEGABYTE);
            let mut solvers = [(300_000, 1), (8 * MEGABYTE, 1), (8 * MEGABYTE, 2)]
                .map(|(memory, threads)| KalahSolver::new(rules, memory, threads));
            with_context(&unlimited(), |context| {
                solvers[1].build_database(8, context)
            });
            for position in random_endings::<Kalah>(rules, 10, 10, &mut rng) {
                let slow = value_within(&mut generic, &position, &unlimited());
                for solver in &mut solvers {
                    let value = value_within(solver, &position, &unlimited());
                    assert!(value.is_some());
                    assert_eq!(value, slow, "{position:?}");
                }
            }
        }
    }
}

#[test]
fn all_moves_have_the_values_of_the_positions_after_them() {
    let mut rng = Rng::new(71);
    let rules = rules(5, 3, true);
    let mut solver = KalahSolver::new(rules, 8 * MEGABYTE, 1);
    for position in random_endings::<Kalah>(rules, 12, 100, &mut rng) {
        let values = with_context(&unlimited(), |context| solver.values(&position, context));
        let mut best = None;
        for (mv, value) in values {
            let mut child = position;
            child.play(mv);
            let after = value_within(&mut solver, &child, &unlimited());
            let same_player = child.to_move() == position.to_move();
            assert_eq!(value, after.map(|after| after.before_move(same_player)));
            best = best.max(value.and_then(|value| value.score));
        }
        let value = value_within(&mut solver, &position, &unlimited());
        assert_eq!(value.and_then(|value| value.score), best);
    }
}

#[test]
fn a_line_of_best_play_ends_the_game_with_its_score() {
    for rules in [rules(4, 3, false), rules(3, 5, true), rules(2, 4, false)] {
        let mut solver = KalahSolver::new(rules, 8 * MEGABYTE, 1);
        let mut position = Kalah::start(rules);
        let score =
            value_within(&mut solver, &position, &unlimited()).and_then(|value| value.score);
        let line = with_context(&unlimited(), |context| solver.best_line(&position, context));
        for mv in line {
            assert!(position.is_legal(mv));
            position.play(mv);
        }
        assert!(position.outcome().is_some(), "{rules:?}");
        let [first, second] = position.score().expect("kalah is counted");
        assert_eq!(Some(first as i32 - second as i32), score);
        assert_eq!(
            value_within(&mut solver, &position, &unlimited()).and_then(|value| value.plies),
            Some(0)
        );
    }
}

/// Published and independently computed scores of the first player, for 1, 2, 3 and so on stones in each pit.
const KNOWN_SCORES: [(u8, bool, &[i32]); 12] = [
    (1, false, &[0, -2, 6, -2, 2, 0]),
    (2, false, &[2, -2, -2, -10, 6, 8]),
    (3, false, &[0, 4, 2, 2, 6, -8]),
    (4, false, &[2, 6, 6, 2, 4, 0]),
    (5, false, &[0, 2, 6, 10]),
    (6, false, &[2, 6, 2, 8]),
    (1, true, &[0, -2, 6, -2, 2, 0]),
    (2, true, &[2, -2, -2, -12, 6, 8]),
    (3, true, &[0, 4, 2, 2, 6, -10]),
    (4, true, &[2, 6, 8, 2, 2, 0]),
    (5, true, &[0, 0, 8, 12]),
    (6, true, &[2, 10, 2, 10]),
];

/// Checks the boards with `stones` in all that are in the range.
fn check_known_scores(stones: std::ops::RangeInclusive<u32>) {
    for (pits, empty_capture, scores) in KNOWN_SCORES {
        for (in_pit, &expected) in (1..).zip(scores) {
            let rules = rules(pits, in_pit, empty_capture);
            if stones.contains(&rules.total_stones()) {
                let score = start_score(rules, 512 * MEGABYTE, 1);
                assert_eq!(score, Some(expected), "{rules:?}");
            }
        }
    }
}

#[test]
fn small_boards_have_their_known_values() {
    check_known_scores(2..=30);
}

#[test]
#[ignore = "half a minute"]
fn larger_boards_have_their_known_values() {
    check_known_scores(31..=47);
}

#[test]
#[ignore = "a minute"]
fn six_pits_of_four_stones_have_their_known_values() {
    check_known_scores(48..=48);
}

#[test]
fn first_moves_have_their_known_values() {
    let moves =
        |stones, empty_capture| first_moves(rules(6, stones, empty_capture), 32 * MEGABYTE, 2);
    assert_eq!(moves(1, false), [0, 0, 0, -2, -2, 2].map(Some));
    assert_eq!(moves(2, false), [-14, -8, -8, -14, 6, 0].map(Some));
    assert_eq!(moves(2, true), [-14, -8, -6, -14, 10, -2].map(Some));
}

#[test]
#[ignore = "ten seconds"]
fn first_moves_with_three_stones_in_six_pits_have_their_known_values() {
    let moves = |empty_capture| first_moves(rules(6, 3, empty_capture), 128 * MEGABYTE, 1);
    assert_eq!(moves(false), [-14, -16, -10, -2, 2, 0].map(Some));
    assert_eq!(moves(true), [-12, -16, -10, -2, 2, 0].map(Some));
}

#[test]
fn values_are_the_same_in_little_memory_and_with_several_threads() {
    let rules = rules(4, 4, false);
    for memory in [0, 100_000, MEGABYTE, 64 * MEGABYTE] {
        for threads in [1, 3] {
            let mut solver = KalahSolver::new(rules, memory, threads);
            let position: Kalah =
                read_position(rules, "<4,11,9,1,0,2,1,3,0,2,3> s").expect("a position");
            let value = value_within(&mut solver, &position, &unlimited());
            let expected = value_within(
                &mut KalahSolver::new(rules, MEGABYTE, 1),
                &position,
                &unlimited(),
            );
            assert_eq!(value, expected, "{memory} {threads}");
            assert!(solver.memory_bytes() <= memory.max(64), "{memory}");
        }
    }
}

#[test]
fn limits_are_kept_and_what_was_learnt_stays() {
    let rules = rules(6, 2, false);
    let start = Kalah::start(rules);
    let mut solver = KalahSolver::new(rules, MEGABYTE, 1);
    assert_eq!(value_within(&mut solver, &start, &node_limit(2_000)), None);
    assert!(
        (2_000..2_200).contains(&solver.nodes()),
        "{}",
        solver.nodes()
    );
    let mut asked = 0;
    while value_within(&mut solver, &start, &node_limit(2_000)).is_none() {
        asked += 1;
        assert!(asked < 500, "every question brings it nearer");
    }
    assert!(asked > 1);

    // The same questions after a clear take the same nodes.
    let nodes = [0; 2].map(|_| {
        solver.clear();
        let score = value_within(&mut solver, &start, &unlimited()).and_then(|value| value.score);
        assert_eq!(score, Some(6));
        solver.nodes()
    });
    assert_eq!(nodes[0], nodes[1]);

    solver.clear();
    assert_eq!(with_stop(|context| solver.value(&start, context)), None);
    let built = with_stop(|context| solver.build_database(12, context));
    assert_eq!(built, None);
    assert!(solver.nodes() < 100);
}

#[test]
fn a_board_too_large_runs_into_its_limits() {
    let rules = rules(6, 6, true);
    let mut solver = KalahSolver::new(rules, 16 * MEGABYTE, 2);
    let start = Kalah::start(rules);
    assert_eq!(value_within(&mut solver, &start, &node_limit(20_000)), None);
    let values = with_context(&node_limit(5_000), |context| solver.values(&start, context));
    assert_eq!(values.len(), 6);
    assert!(values.iter().all(|(_, value)| value.is_none()));
}

/// `cargo test --release --test exact_solvers -- --ignored rate_of_the_database` prints nanoseconds a position.
#[test]
#[ignore = "prints a rate"]
fn rate_of_the_database() {
    for threads in [1, 2, 1, 2] {
        let rules = rules(6, 4, false);
        let mut solver = KalahSolver::new(rules, 512 * MEGABYTE, threads);
        let start = Instant::now();
        let positions = with_context(&unlimited(), |context| solver.build_database(18, context));
        let positions = positions.expect("there is no limit");
        assert_eq!(positions, 86_493_225);
        let rate = start.elapsed().as_nanos() as f64 / positions as f64;
        print_uncaptured(&format!(
            "{threads} threads: {rate:.1} ns a position on the wall\n"
        ));
    }
}
