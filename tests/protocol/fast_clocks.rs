//! Games at half a second and a hundredth a move, against a player that does nothing but spend its time: whoever loses on time less
//! often than this control loses by the machine, not by its clock management.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use super::*;

const BASE: Duration = Duration::from_millis(500);
const INCREMENT: Duration = Duration::from_millis(10);
/// Plies after which a game is not played on.
const MAX_PLIES: usize = 160;

/// Games lost on time.
#[derive(Debug, Default)]
struct Losses {
    engine: usize,
    control: usize,
}

/// A clock that may be overdrawn.
struct Clock {
    left_ms: f64,
}

impl Clock {
    /// Spends the time since `begun`; true if there was less left than that, by more than `tolerance`.
    fn spend(&mut self, begun: Instant, tolerance: Duration) -> bool {
        self.left_ms -= begun.elapsed().as_secs_f64() * 1000.0;
        let is_lost = self.left_ms < -tolerance.as_secs_f64() * 1000.0;
        self.left_ms = self.left_ms.max(0.0) + INCREMENT.as_secs_f64() * 1000.0;
        is_lost
    }
}

/// The time that the control spends on a move, without any reserve but the engine's 20 ms.
fn control_time(clock: &Clock) -> Duration {
    let usable = (clock.left_ms - 20.0).max(1.0);
    Duration::from_secs_f64((usable / 20.0).max(1.0) / 1000.0)
}

/// Plays `games` games of the engine against the control, who has the first move in every other one and plays anything.
fn play_fast_games(game: &str, games: usize, tolerance: Duration) -> Losses {
    let mut engine =
        EngineProcess::new(&["--game", game, "--option", "Hash=16"].map(str::to_owned));
    let mut losses = Losses::default();
    let mut rng = Rng::new(games as u64);
    engine.send("ugi");
    for number in 0..games {
        let mut session = session::open(game).expect("there is the game");
        let mut moves: Vec<String> = Vec::new();
        let start = BASE.as_secs_f64() * 1000.0;
        let mut clocks = [Clock { left_ms: start }, Clock { left_ms: start }];
        engine.send("uginewgame");
        engine.send("isready");
        while engine.read_line(REPLY_TIMEOUT).expect("it is ready") != "readyok" {}
        while session.outcome().is_none() && moves.len() < MAX_PLIES {
            let side = session.to_move().index();
            let is_engine = (side + number).is_multiple_of(2);
            let begun = Instant::now();
            let mv = if is_engine {
                let [first, second] = [&clocks[0], &clocks[1]].map(|clock| clock.left_ms as i64);
                let increment = INCREMENT.as_millis();
                engine.send(&format!("position startpos moves {}", moves.join(" ")));
                engine.send(&format!(
                    "go p1time {first} p2time {second} p1inc {increment} p2inc {increment}"
                ));
                loop {
                    let line = engine.read_line(REPLY_TIMEOUT).expect("a move comes");
                    if let Some(best) = line.strip_prefix("bestmove ") {
                        break best.to_owned();
                    }
                }
            } else {
                let time = control_time(&clocks[side]);
                while begun.elapsed() < time {
                    std::hint::spin_loop();
                }
                let legal = session.moves(Style::Own);
                legal[rng.below(legal.len() as u32) as usize].clone()
            };
            if clocks[side].spend(begun, tolerance) {
                *(if is_engine {
                    &mut losses.engine
                } else {
                    &mut losses.control
                }) += 1;
                break;
            }
            session
                .play(&mv)
                .unwrap_or_else(|problem| panic!("{game} {moves:?}: {problem}"));
            moves.push(mv);
        }
    }
    engine.send("quit");
    assert!(engine.wait().1, "{game}: it ended badly");
    losses
}

/// Runs `work` while `loops` threads do nothing as fast as they can.
fn with_busy_loops<T>(loops: usize, work: impl FnOnce() -> T) -> T {
    let stop = Arc::new(AtomicBool::new(false));
    let busy: Vec<_> = (0..loops)
        .map(|_| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        })
        .collect();
    let result = work();
    stop.store(true, Ordering::Relaxed);
    for thread in busy {
        thread.join().expect("it does nothing");
    }
    result
}

#[test]
fn fast_games_are_played_within_the_clock() {
    for game in ["othello", "chess"] {
        // A busy machine stops everybody for a while now and then.
        let losses = play_fast_games(game, 1, Duration::from_secs(2));
        assert_eq!(losses.engine, 0, "{game}: {losses:?}");
    }
}

#[test]
#[ignore = "two thousand games, an hour or more, for a machine that does nothing else"]
fn a_thousand_fast_games_lose_no_more_on_time_than_busy_waiting() {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for loops in [0, 2 * cores] {
        let all: Vec<(&str, Losses)> = with_busy_loops(loops, || {
            every_game()
                .map(|game| (game, play_fast_games(game, 170, Duration::ZERO)))
                .collect()
        });
        let sum = |count: fn(&Losses) -> usize| {
            all.iter().map(|(_, losses)| count(losses)).sum::<usize>()
        };
        assert!(
            sum(|losses| losses.engine) <= sum(|losses| losses.control),
            "{loops} busy loops: {all:?}"
        );
    }
}
