//! The solver's parts against the rules of the game, and the database against itself.

use super::{
    KalahSolver, board,
    build::working_bytes,
    layout::{Board, Layout, MAX_PITS, choose, stones_in, stones_of},
    settled,
};
use crate::{
    games::{
        Game as _, SearchHints as _,
        kalah::{Kalah, KalahRules},
    },
    rng::Rng,
    search::{SearchLimits, StopFlag, exact::SolveContext},
};

const MEGABYTE: usize = 1 << 20;

fn rules(pits: u8, stones: u8, empty_capture: bool) -> KalahRules {
    KalahRules {
        pits,
        stones,
        empty_capture,
    }
}

fn with_context<T>(ask: impl FnOnce(&mut SolveContext<'_>) -> T) -> T {
    let mut ignore = |_| ();
    let limits = SearchLimits::default();
    let mut context = SolveContext::start(&limits, &StopFlag::new(), None, &mut ignore);
    ask(&mut context)
}

#[test]
fn steps_are_the_moves_of_the_game() {
    let mut rng = Rng::new(41);
    for pits in 1..=6 {
        for empty_capture in [false, true] {
            for stones in 1..=6 {
                let rules = rules(pits, stones, empty_capture);
                let layout = Layout::new(rules);
                for _ in 0..20 {
                    let mut game = Kalah::start(rules);
                    while let Some(mv) = game.random_move(&mut rng) {
                        let mover = game.to_move();
                        let (before, settled_before) = (board(&game), settled(&game));
                        let step = layout.step(before, mv.0.into());
                        game.play(mv);
                        let same_player = game.to_move() == mover;
                        let after = settled(&game);
                        let settled_after = if same_player { after } else { -after };
                        assert_eq!(step.moves_again, same_player);
                        match step.board.final_value() {
                            Some(value) => {
                                assert!(game.outcome().is_some());
                                assert_eq!(settled_before + step.value(value), settled_after);
                            }
                            None => {
                                assert_eq!(step.board, board(&game), "{before:?}");
                                assert_eq!(settled_before + step.gain, settled_after);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// All sides with so many stones.
fn all_sides(pits: usize, stones: usize) -> Vec<u64> {
    match pits {
        1 => vec![stones as u64],
        _ => (0..=stones)
            .flat_map(|first| {
                let rest = all_sides(pits - 1, stones - first);
                rest.into_iter().map(move |side| side << 8 | first as u64)
            })
            .collect(),
    }
}

#[test]
fn sides_and_positions_are_numbered_without_gaps() {
    for pits in 1..=MAX_PITS {
        let layout = Layout::new(rules(pits as u8, 1, false));
        let stones = if pits > 4 { 3 } else { 6 };
        let mut keys = Vec::new();
        for own in 0..=stones {
            let sides = all_sides(pits, own);
            let mut numbers: Vec<usize> =
                sides.iter().map(|&side| layout.side_number(side)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..layout.sides(own)), "{pits} {own}");
            for other in 0..=stones - own {
                for &own in &sides {
                    let boards = all_sides(pits, other)
                        .into_iter()
                        .map(|other| Board { own, other });
                    keys.extend(boards.map(|board| layout.key(board)));
                }
            }
        }
        keys.sort_unstable();
        assert!(
            keys.into_iter().eq(0..choose(stones + 2 * pits, 2 * pits)),
            "{pits}"
        );
    }
    // The greatest key that is stored fits into the table's.
    let layout = Layout::new(rules(6, 6, false));
    let most = Board { own: 60, other: 0 };
    assert_eq!(layout.key(most) + 1, choose(60 + 12, 12));
    assert!(layout.key(most) < 1 << 44);
}

/// A side with so many stones in random pits.
fn random_side(pits: usize, stones: usize, rng: &mut Rng) -> u64 {
    (0..stones).fold(0, |side, _| side + (1 << (8 * rng.below(pits as u32))))
}

/// The value of an open position by one move each and the database.
fn value_from_successors(solver: &KalahSolver, board: Board) -> i32 {
    let knowledge = solver.engine.knowledge();
    let moves = (0..knowledge.layout.pits).filter(|&pit| stones_in(board.own, pit) > 0);
    let values = moves.map(|pit| {
        let step = knowledge.layout.step(board, pit);
        let known = || {
            knowledge
                .database
                .get(knowledge.layout, step.board, step.board.stones())
        };
        step.value(step.board.final_value().unwrap_or_else(known))
    });
    values.max().expect("an open position has moves")
}

#[test]
fn every_entry_of_the_database_follows_from_its_successors() {
    let mut rng = Rng::new(43);
    for (pits, stones) in [(1, 40), (2, 30), (3, 16), (4, 12), (5, 10), (6, 9)] {
        for empty_capture in [false, true] {
            for threads in [1, 2] {
                let rules = rules(pits, 1, empty_capture);
                let mut solver = KalahSolver::new(rules, 64 * MEGABYTE, threads);
                let positions = with_context(|context| solver.build_database(stones, context));
                let pits = usize::from(pits);
                assert_eq!(positions, Some(choose(stones + 2 * pits, 2 * pits)));
                for _ in 0..4_000 {
                    let own = 1 + rng.below(stones as u32 - 1) as usize;
                    let other = 1 + rng.below((stones - own) as u32) as usize;
                    let board = Board {
                        own: random_side(pits, own, &mut rng),
                        other: random_side(pits, other, &mut rng),
                    };
                    let knowledge = solver.engine.knowledge();
                    let value = knowledge.database.get(knowledge.layout, board, own + other);
                    assert_eq!(value, value_from_successors(&solver, board), "{board:?}");
                }
            }
        }
    }
}

#[test]
fn what_an_open_board_is_sure_to_bring_is_no_more_than_its_value() {
    let mut rng = Rng::new(47);
    let mut with_several = 0;
    for pits in [2, 4, 6] {
        let rules = rules(pits, 1, false);
        let mut solver = KalahSolver::new(rules, 64 * MEGABYTE, 1);
        with_context(|context| solver.build_database(9, context)).expect("there is no limit");
        let knowledge = solver.engine.knowledge();
        for _ in 0..3_000 {
            let board = Board {
                own: random_side(pits.into(), 5, &mut rng),
                other: random_side(pits.into(), 4, &mut rng),
            };
            let sure = knowledge.layout.exact_pits(board.own).count_ones() as i32;
            let value = knowledge.database.get(knowledge.layout, board, 9);
            assert!(value >= 2 * sure - 9, "{board:?}");
            with_several += i32::from(sure >= 2);
        }
    }
    assert!(with_several > 20, "{with_several}");
}

#[test]
fn memory_is_never_more_than_was_given() {
    for (pits, stones) in [(6, 4), (4, 4), (2, 6)] {
        for memory in [MEGABYTE, 5 * MEGABYTE, 33 * MEGABYTE, 512 * MEGABYTE] {
            for threads in [1, 2, 16] {
                let solver = KalahSolver::new(rules(pits, stones, false), memory, threads);
                assert!(solver.max_memory_bytes() <= memory, "{memory} {threads}");
            }
        }
    }
    // What a layer's lists take while it is built is within what is counted for it.
    let layout = Layout::new(rules(6, 4, false));
    let sides: usize = (0..=18).map(|stones| layout.sides(stones)).sum();
    assert!(working_bytes(&layout, 18, 1) >= 16 * sides);
    assert_eq!(stones_of(u64::from_le_bytes([1, 2, 3, 4, 5, 6, 0, 0])), 21);
}

/// Time that this thread has spent on a processor, so that other programs do not disturb the test.
#[cfg(target_os = "linux")]
fn thread_time() -> std::time::Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(target_os = "linux")]
#[test]
fn the_limits_are_polled_every_few_milliseconds() {
    // What the system does on behalf of the thread counts as the thread's time: the quietest of three runs tells.
    let longest = std::iter::repeat_with(longest_time_between_polls).take(3);
    let longest = longest.min().unwrap_or_default();
    assert!(longest.as_millis() < 10, "{longest:?}");
}

#[cfg(target_os = "linux")]
fn longest_time_between_polls() -> std::time::Duration {
    use super::{
        build::{Builder, LayerBuild},
        database::Database,
        negamax::{Knowledge, Negamax},
        table::Table,
    };
    let mut last = thread_time();
    let mut longest = std::time::Duration::ZERO;
    let mut polls = 0;
    let mut poll = || {
        let now = thread_time();
        longest = longest.max(now - last);
        last = now;
        polls += 1;
        false
    };
    let layout = Layout::new(rules(6, 4, false));
    let mut database = Database::new();
    let mut builder = Builder::new();
    for stones in 0..=13 {
        let layer = builder.prepare(&layout, stones).expect("there is memory");
        LayerBuild::new(&layout, &builder, &database, &layer).work(&mut poll);
        database.push(layer);
    }
    let mut table = Table::with_memory(32 * MEGABYTE);
    let start = board(&Kalah::start(rules(6, 4, false)));
    let mut is_exhausted = |nodes| poll() || nodes > 100_000;
    let knowledge = Knowledge {
        layout: &layout,
        database: &database,
        table: &table,
    };
    assert!(
        Negamax::new(knowledge, &mut is_exhausted)
            .value(start)
            .is_err()
    );
    while table.can_grow() {
        table.grow(&mut poll);
    }
    assert!(polls > 1_000, "{polls}");
    longest
}
