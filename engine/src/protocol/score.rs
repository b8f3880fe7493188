//! What a search's figures look like to clients.

use std::cmp::Ordering;

use crate::session::MoveInfo;

/// The score of a certain win, and the most that any score says.
pub const MAX_CENTIPAWNS: i32 = 2000;

/// A win rate as centipawns: 400 log10(w / (1 - w)), so that ten times as likely to win as to lose is 400, cut off at
/// plus or minus 2000. Half is 0, and 100 is a win rate of 0.64.
pub fn centipawns(value: f64) -> i32 {
    let value = value.clamp(1e-6, 1.0 - 1e-6);
    let score = 400.0 * (value / (1.0 - value)).log10();
    (score.round() as i32).clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS)
}

/// What a line is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UciScore {
    /// Centipawns for the player to move.
    Centipawns(i32),
    /// The game certainly ends after so many plies; whether the player to move wins it.
    Mate(u32, bool),
}

/// The score of a line: a mate if the result is certain and the line leads to it.
pub fn score(line: &MoveInfo) -> UciScore {
    let plies = line.pv.len() as u32;
    match line.proven {
        Some(Ordering::Greater) if line.ends_game => UciScore::Mate(plies, true),
        Some(Ordering::Less) if line.ends_game => UciScore::Mate(plies, false),
        Some(Ordering::Greater) => UciScore::Centipawns(MAX_CENTIPAWNS),
        Some(Ordering::Less) => UciScore::Centipawns(-MAX_CENTIPAWNS),
        Some(Ordering::Equal) => UciScore::Centipawns(0),
        None => UciScore::Centipawns(centipawns(line.value)),
    }
}

/// Wins, draws and losses out of a thousand. A win rate counts a draw as half a win and does not say how many there are: they
/// are told only where a draw is certain.
pub fn win_draw_loss(line: &MoveInfo) -> [u32; 3] {
    match line.proven {
        Some(Ordering::Greater) => [1000, 0, 0],
        Some(Ordering::Equal) => [0, 1000, 0],
        Some(Ordering::Less) => [0, 0, 1000],
        None => {
            let wins = (line.value.clamp(0.0, 1.0) * 1000.0).round() as u32;
            [wins, 0, 1000 - wins]
        }
    }
}

/// The win rate that is not undercut with a probability of about 97.5 %, by the visits there are.
pub fn lower_confidence_bound(line: &MoveInfo) -> f64 {
    let visits = line.visits.max(1) as f64;
    let value = line.value.clamp(0.0, 1.0);
    let spread = 1.96 * (value * (1.0 - value) / visits).sqrt();
    (value - spread).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_grow_with_the_win_rate() {
        assert_eq!(centipawns(0.5), 0);
        assert_eq!(centipawns(10.0 / 11.0), 400);
        assert_eq!(centipawns(0.64), 100);
        assert_eq!(centipawns(1.0), MAX_CENTIPAWNS);
        assert_eq!(centipawns(0.0), -MAX_CENTIPAWNS);
        assert_eq!(centipawns(f64::NAN), 0);
        for step in 0..1000 {
            let value = f64::from(step) / 1000.0;
            assert!(centipawns(value) <= centipawns(value + 0.001));
            assert_eq!(centipawns(value), -centipawns(1.0 - value));
        }
    }
}
