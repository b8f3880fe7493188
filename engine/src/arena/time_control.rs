//! Limits of a move, and the clocks of a game.

use std::{fmt, str::FromStr, time::Duration};

use thiserror::Error;

use crate::games::Player;

/// Clocks longer than this are mistakes.
const MAX_CLOCK_SECONDS: f64 = 1e7;

/// Limits sent to an engine with every move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveLimits {
    /// Positions, or playouts for searches with playouts.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// The time for one move.
    pub movetime: Option<Duration>,
    /// A clock.
    pub clock: Option<TimeControl>,
}

/// Time for a whole game, or for a repeating period of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Moves per period; none if the time is for the whole game.
    pub moves: Option<u32>,
    /// The time.
    pub base: Duration,
    /// Time added after every move.
    pub increment: Duration,
}

/// What is wrong with a text that should be limits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{text:?}: {problem}: expected nodes N, iterations N, depth N, movetime MILLISECONDS or tc SECONDS+INCREMENT, \
     such as \"nodes 2000\" or \"tc 10+0.1\""
)]
pub struct MoveLimitsError {
    text: String,
    problem: String,
}

impl FromStr for MoveLimits {
    type Err = MoveLimitsError;

    fn from_str(text: &str) -> Result<Self, MoveLimitsError> {
        let refuse = |problem: String| MoveLimitsError {
            text: text.to_owned(),
            problem,
        };
        let mut go = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let value = words
                .next()
                .ok_or_else(|| refuse(format!("nothing after {word}")))?;
            let number = || {
                let number: Option<u64> = value.parse().ok().filter(|&number| number > 0);
                number.ok_or_else(|| refuse(format!("{value:?} is no whole number above 0")))
            };
            match word {
                "nodes" | "iterations" => go.nodes = Some(number()?),
                "depth" => {
                    let depth = u32::try_from(number()?);
                    go.depth = Some(depth.map_err(|_| refuse(format!("{value} is too deep")))?);
                }
                "movetime" => go.movetime = Some(Duration::from_millis(number()?)),
                "tc" => {
                    let clock = TimeControl::parse(value);
                    let problem = || format!("{value:?} is no time control");
                    go.clock = Some(clock.ok_or_else(|| refuse(problem()))?);
                }
                _ => return Err(refuse(format!("{word:?} is no limit"))),
            }
        }
        if go == Self::default() {
            return Err(refuse("no limit".to_owned()));
        }
        if go.clock.is_some() && go.movetime.is_some() {
            return Err(refuse("a time for each move and a clock".to_owned()));
        }
        Ok(go)
    }
}

impl fmt::Display for MoveLimits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.nodes.map(|nodes| format!("nodes {nodes}")),
            self.depth.map(|depth| format!("depth {depth}")),
            self.movetime
                .map(|time| format!("movetime {}", time.as_millis())),
            self.clock.map(|clock| format!("tc {clock}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        out.write_str(&parts.join(" "))
    }
}

impl TimeControl {
    /// Reads `10+0.1`, `60`, `40/60+0.5`, in seconds.
    fn parse(text: &str) -> Option<Self> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().ok().filter(|&moves| moves > 0)?), rest),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let seconds = |text: &str| {
            let seconds: f64 = text.parse().ok()?;
            let is_sound = (0.0..=MAX_CLOCK_SECONDS).contains(&seconds);
            is_sound.then(|| Duration::from_secs_f64(seconds))
        };
        let control = Self {
            moves,
            base: seconds(base)?,
            increment: seconds(increment)?,
        };
        (control.base + control.increment > Duration::ZERO).then_some(control)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(out, "{moves}/")?;
        }
        write!(out, "{}", self.base.as_secs_f64())?;
        if self.increment > Duration::ZERO {
            write!(out, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// The clocks of one game.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    sides: [Option<SideClock>; 2],
}

#[derive(Clone, Copy, Debug)]
struct SideClock {
    control: TimeControl,
    remaining: Duration,
    moves: u32,
}

impl Clocks {
    /// At the beginning of a game.
    pub fn new(controls: [Option<TimeControl>; 2]) -> Self {
        let side = |control: TimeControl| SideClock {
            control,
            remaining: control.base + control.increment,
            moves: 0,
        };
        Self {
            sides: controls.map(|control| control.map(side)),
        }
    }

    /// Remaining time of a side; none without a clock.
    pub fn remaining(&self, player: Player) -> Option<Duration> {
        self.side(player).map(|side| side.remaining)
    }

    /// Time added to a side's clock after every move.
    pub fn increment(&self, player: Player) -> Duration {
        self.side(player)
            .map_or(Duration::ZERO, |side| side.control.increment)
    }

    /// Moves of a side until more time is added.
    pub fn moves_to_go(&self, player: Player) -> Option<u32> {
        let side = self.side(player)?;
        let moves = side.control.moves?;
        Some(moves - side.moves % moves)
    }

    /// Milliseconds left on both clocks; empty if there is none.
    pub fn remaining_ms(&self) -> Vec<u64> {
        if self.sides.iter().all(Option::is_none) {
            return Vec::new();
        }
        let millis =
            |side: &Option<SideClock>| side.map_or(0, |side| side.remaining.as_millis() as u64);
        self.sides.iter().map(millis).collect()
    }

    /// A side has made a move in this time.
    pub fn spend(&mut self, player: Player, time: Duration) {
        let [first, second] = &mut self.sides;
        let side = match player {
            Player::First => first,
            Player::Second => second,
        };
        if let Some(side) = side {
            side.remaining = side.remaining.saturating_sub(time) + side.control.increment;
            side.moves += 1;
            if side
                .control
                .moves
                .is_some_and(|moves| side.moves.is_multiple_of(moves))
            {
                side.remaining += side.control.base;
            }
        }
    }

    fn side(&self, player: Player) -> Option<&SideClock> {
        let [first, second] = &self.sides;
        match player {
            Player::First => first.as_ref(),
            Player::Second => second.as_ref(),
        }
    }
}
