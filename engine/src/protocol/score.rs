//! Conversions from win rates to the scores of protocols.

use std::cmp::Ordering;

use crate::session::MoveInfo;

/// Bound of centipawn scores, and the score of a proven win.
pub const MAX_CENTIPAWNS: i32 = 2000;

/// A win rate as centipawns by the Elo curve: 400 log10(w / (1 - w)), clamped to [`MAX_CENTIPAWNS`]. 0.5 is 0, 0.64 is 100, and
/// odds of ten to one are 400.
pub fn centipawns(value: f64) -> i32 {
    let value = value.clamp(1e-6, 1.0 - 1e-6);
    let score = 400.0 * (value / (1.0 - value)).log10();
    (score.round() as i32).clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS)
}

/// A score as UCI writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UciScore {
    /// Centipawns for the player to move.
    Centipawns(i32),
    /// Plies to a proven end of the game, and whether the player to move wins.
    Mate(u32, bool),
}

/// The score of a root move: a mate if the result is proven and the principal variation reaches it, else
/// [`centipawns`], at their bound or 0 if proven.
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

/// Win, draw and loss permille. A win rate does not tell draws from half wins, so draws appear only when proven.
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

/// Lower bound of the win rate's 95 % confidence interval (normal approximation), as KataGo's `lcb`.
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
