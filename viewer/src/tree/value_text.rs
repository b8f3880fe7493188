//! Values in words. A value always has an owner: "Black wins 48.0 %", "South +3 stones", "O wins in 11".

use canopy_engine::{
    explain::{Bound, SignedPoints},
    games::{self, Player},
};

/// Stands for a figure that is not known.
pub const NO_DATA: &str = "–";
/// Stands for the score of a child that was never visited.
pub const INFINITE: &str = "∞";
/// Visits above which percentages have a decimal.
const MIN_VISITS_FOR_DECIMAL: u64 = 1_000;
/// Bounds of the decimals of means and scores.
const DECIMALS: (usize, usize) = (2, 5);
/// Upper bound of decimals where scores that look equal are told apart.
pub const MAX_DECIMALS: usize = 7;

/// What is known of a node, for one player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Unknown,
    /// Mean reward of playouts: the share of wins, draws counting half.
    Share {
        /// From 0 to 1.
        share: f64,
        /// Number of playouts.
        visits: u64,
    },
    /// A mean on a scale that only the program that wrote it knows.
    Foreign(f64),
    /// An evaluation in the game's units.
    Points {
        /// Positive if the owner is ahead.
        points: f64,
        /// Whether it is the value itself.
        bound: Bound,
    },
    /// A proven result.
    Proven {
        /// None for a draw.
        winner: Option<Player>,
        /// The winner's own moves until the end, where they are known.
        moves: Option<u32>,
    },
    /// The game is over.
    Over {
        /// None for a draw.
        winner: Option<Player>,
    },
}

/// What a game's values are told with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The names of the sides, the one that begins first.
    pub players: [&'static str; 2],
    unit: &'static str,
    win_verb: &'static str,
}

impl Default for Wording {
    fn default() -> Self {
        Self {
            players: ["Player 1", "Player 2"],
            unit: "points",
            win_verb: "wins",
        }
    }
}

impl Wording {
    /// The words of a game by its name; of any game if it is not known.
    pub fn of_game(name: &str) -> Self {
        games::facts_of(name).map_or_else(Self::default, |facts| Self {
            players: facts.players,
            unit: facts.value_unit,
            win_verb: facts.win_verb,
        })
    }

    /// The same with other names.
    pub fn with_players(self, players: [&'static str; 2]) -> Self {
        Self { players, ..self }
    }

    /// The name of a player.
    pub fn name(&self, player: Player) -> &'static str {
        self.players[player.index()]
    }

    /// The value as a sentence, such as "Black wins 48.0 %" or "South at least +6 stones".
    pub fn sentence(&self, owner: Player, value: &Value) -> String {
        match *value {
            Value::Points { points, bound } if !is_even(points) => format!(
                "{} {}{}",
                self.name(owner),
                bound.words(),
                self.points(points)
            ),
            _ => self.label(owner, value),
        }
    }

    /// The same, shorter, for places that have little room: "South ≥ +6 stones".
    pub fn label(&self, owner: Player, value: &Value) -> String {
        let figure = self.figure(value);
        match self.subject(owner, value) {
            Some(subject) => format!("{subject} {figure}"),
            None => figure,
        }
    }

    /// What stands before the figure; none where the figure says it all.
    pub fn subject(&self, owner: Player, value: &Value) -> Option<String> {
        let name = self.name(owner);
        match *value {
            Value::Share { .. } => Some(format!("{name} wins")),
            Value::Foreign(_) => Some(format!("{name} on average")),
            Value::Points { points, bound } => {
                (bound != Bound::Exact || !is_even(points)).then(|| name.to_owned())
            }
            Value::Unknown | Value::Proven { .. } | Value::Over { .. } => None,
        }
    }

    /// The figure alone, where its owner stands beside it.
    pub fn figure(&self, value: &Value) -> String {
        match *value {
            Value::Unknown => NO_DATA.to_owned(),
            Value::Share { share, visits } => percent(share, visits),
            Value::Foreign(mean) => fixed(mean, 2),
            Value::Points {
                points,
                bound: Bound::Exact,
            } if is_even(points) => "even".to_owned(),
            Value::Points { points, bound } => {
                format!("{}{}", bound.symbol(), self.points(points))
            }
            Value::Over { winner } => match winner {
                Some(winner) => format!("{} has won", self.name(winner)),
                None => "drawn".to_owned(),
            },
            Value::Proven { winner: None, .. } => "draw".to_owned(),
            Value::Proven {
                winner: Some(winner),
                moves,
            } => match moves {
                Some(moves) => format!("{} {} in {moves}", self.name(winner), self.win_verb),
                None => format!("{} wins", self.name(winner)),
            },
        }
    }

    /// An evaluation with its sign and unit.
    fn points(&self, points: f64) -> String {
        let points = SignedPoints::new(points);
        format!("{points}{}", points.unit_text(self.unit))
    }
}

/// Whether an evaluation is shown as none for either side.
fn is_even(points: f64) -> bool {
    points.abs() < 0.05
}

/// A share as a percentage: one decimal above 1,000 visits, none below.
pub fn percent(share: f64, visits: u64) -> String {
    let decimals = decimals_of_percent(visits);
    format!("{:.decimals$} %", share * 100.0)
}

/// Decimals of the percentages of a node with so many visits.
pub fn decimals_of_percent(visits: u64) -> usize {
    usize::from(visits > MIN_VISITS_FOR_DECIMAL)
}

/// Decimals of means and scores of the children of a node with `visits` visits: one more than their standard error has.
pub fn decimals(visits: u64) -> usize {
    let (least, most) = DECIMALS;
    let digits = ((visits.max(1) as f64).log10() / 2.0).ceil() as usize + 1;
    digits.clamp(least, most)
}

/// Decimals of scores: so many more, up to 7, that the two best can be told apart, unless they are the same.
pub fn score_decimals(scores: impl Iterator<Item = f64>, decimals: usize) -> usize {
    let (mut best, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for score in scores.filter(|score| score.is_finite()) {
        if score > best {
            (best, second) = (score, best);
        } else {
            second = second.max(score);
        }
    }
    if best == second || !second.is_finite() {
        return decimals;
    }
    (decimals..MAX_DECIMALS)
        .find(|&decimals| fixed(best, decimals) != fixed(second, decimals))
        .unwrap_or(MAX_DECIMALS)
}

/// A number with decimals and a sign of full width.
pub fn fixed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        // No figure but zeros needs no sign.
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Player = Player::First;

    fn share(share: f64, visits: u64) -> Value {
        Value::Share { share, visits }
    }

    fn points(points: f64, bound: Bound) -> Value {
        Value::Points { points, bound }
    }

    #[test]
    fn every_value_has_the_name_of_its_owner() {
        let othello = Wording::of_game("othello");
        let said = |owner, value| othello.sentence(owner, &value);
        assert_eq!(said(FIRST, share(0.4802, 1_500_000)), "Black wins 48.0 %");
        assert_eq!(said(Player::Second, share(0.52, 900)), "White wins 52 %");
        assert_eq!(said(FIRST, Value::Unknown), "–");
        assert_eq!(said(FIRST, Value::Over { winner: None }), "drawn");
        let unknown = Wording::of_game("go");
        assert_eq!(
            unknown.sentence(FIRST, &Value::Foreign(-2.0)),
            "Player 1 on average −2.00"
        );
    }

    /// 0.4865 of 1,001 games is 48.65 %, which rounds to 48.6 or 48.7 as the number in memory lies; 0.4866 is 48.7.
    #[test]
    fn percentages_have_a_decimal_above_a_thousand_visits() {
        for (of, visits, text) in [
            (0.4866, 1_001, "48.7 %"),
            (0.4866, 1_000, "49 %"),
            (0.4866, 1, "49 %"),
            (1.0, 2_000_000, "100.0 %"),
            (0.0, 3, "0 %"),
        ] {
            assert_eq!(percent(of, visits), text);
        }
    }

    #[test]
    fn evaluations_have_a_side_a_sign_and_a_unit() {
        let kalah = Wording::of_game("kalah:4x3");
        let said = |value| kalah.sentence(FIRST, &value);
        assert_eq!(said(points(3.0, Bound::Exact)), "South +3 stones");
        assert_eq!(said(points(-1.0, Bound::Exact)), "South −1 stone");
        assert_eq!(
            said(points(6.0, Bound::AtLeast)),
            "South at least +6 stones"
        );
        let short = kalah.label(FIRST, &points(1.0, Bound::AtMost));
        assert_eq!(short, "South ≤ +1 stone");
        assert_eq!(said(points(0.04, Bound::Exact)), "even");
        assert_eq!(
            kalah.label(FIRST, &points(0.0, Bound::AtLeast)),
            "South ≥ 0 stones"
        );
        let chess = Wording::of_game("chess");
        assert_eq!(
            chess.sentence(FIRST, &points(0.41, Bound::Exact)),
            "White +0.4"
        );
        assert_eq!(
            chess.sentence(Player::Second, &points(-3.25, Bound::Exact)),
            "Black −3.3"
        );
    }

    #[test]
    fn proven_results_are_told_in_the_winners_own_moves() {
        let proven = |winner, moves| Value::Proven { winner, moves };
        let four = Wording::of_game("connect-four");
        let second = Some(Player::Second);
        assert_eq!(
            four.sentence(FIRST, &proven(second, Some(11))),
            "O wins in 11"
        );
        assert_eq!(four.sentence(FIRST, &proven(second, None)), "O wins");
        assert_eq!(four.sentence(FIRST, &proven(None, None)), "draw");
        let chess = Wording::of_game("chess");
        let mate = proven(Some(FIRST), Some(5));
        assert_eq!(chess.sentence(Player::Second, &mate), "White mates in 5");
    }

    /// By hand: half of log10 N, rounded up, and one; 2 at least and 5 at most.
    #[test]
    fn decimals_grow_with_the_square_root_of_visits() {
        for (visits, digits) in [
            (0, 2),
            (1, 2),
            (100, 2),
            (101, 3),
            (10_000, 3),
            (10_001, 4),
            (1_000_000, 4),
            (1_000_001, 5),
            (1_500_000, 5),
            (u64::MAX, 5),
        ] {
            assert_eq!(decimals(visits), digits, "{visits}");
        }
    }

    #[test]
    fn scores_get_decimals_until_the_two_best_differ() {
        let scores = [0.501_898, 0.501_903, 0.501_890];
        // 0.50190 and 0.50190, then 0.501898 and 0.501903.
        assert_eq!(score_decimals(scores.into_iter(), 5), 6);
        let close = [0.501_898, 0.501_901];
        assert_eq!(score_decimals(close.into_iter(), 4), 6);
        let equal = [0.5, 0.5, 0.3];
        assert_eq!(
            score_decimals(equal.into_iter(), 3),
            3,
            "nothing tells them apart"
        );
        let nearest = [0.5, 0.500_000_000_1];
        assert_eq!(score_decimals(nearest.into_iter(), 3), 7);
        assert_eq!(score_decimals([f64::INFINITY, 0.5].into_iter(), 2), 2);
    }

    #[test]
    fn numbers_have_a_minus_of_full_width_and_none_before_zeros() {
        assert_eq!(fixed(-2.0, 2), "−2.00");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(0.5, 3), "0.500");
    }
}
