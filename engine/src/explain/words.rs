//! Figures and names in sentences.

use std::fmt;

use super::{MoveValue, SearchFacts};
use crate::{
    games::{Player, notation::escape_invisible},
    reports::numbers::{NO_BREAK, decimal},
    search::Bound,
};

/// Visits above which percentages have a decimal.
const MIN_VISITS_FOR_DECIMAL: u64 = 1_000;

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// Its words.
    pub text: String,
    /// Whether they matter most.
    pub is_strong: bool,
}

/// A sentence, in parts; or two that belong together.
pub type Sentence = Vec<Phrase>;

/// A sentence as plain text, with plain spaces before the signs of percentages.
pub fn sentence_text(sentence: &[Phrase]) -> String {
    (sentence.iter())
        .map(|phrase| phrase.text.replace(NO_BREAK, " "))
        .collect()
}

pub(super) fn plain(text: impl Into<String>) -> Phrase {
    Phrase {
        text: text.into(),
        is_strong: false,
    }
}

pub(super) fn strong(text: impl Into<String>) -> Phrase {
    Phrase {
        text: text.into(),
        is_strong: true,
    }
}

/// A count with commas.
pub(super) fn count(number: u64) -> String {
    decimal(number as f64, 0)
}

/// A share as a percentage: one decimal above 1,000 visits, none below.
pub(super) fn percent(share: f64, visits: u64) -> String {
    let decimals = usize::from(visits > MIN_VISITS_FOR_DECIMAL);
    format!("{:.decimals$}{NO_BREAK}%", share * 100.0)
}

/// A part of a whole as a percentage, without decimals.
pub(super) fn part_percent(part: u64, whole: u64) -> String {
    percent(part as f64 / whole.max(1) as f64, 0)
}

/// The ends of an interval: "63.9 to 65.7 %".
pub(super) fn interval_text(share: f64, visits: u64) -> String {
    let interval = super::interval(share, visits);
    let low = percent(interval.low, visits);
    let low = low.trim_end_matches([NO_BREAK, '%']);
    format!("{low} to {}", percent(interval.high, visits))
}

/// A move as it stands in a sentence.
pub(super) fn move_name(text: &str) -> String {
    escape_invisible(text).into_owned()
}

/// The first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// An evaluation as it is written, with one decimal where that says something: "+3", "−0.4".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedPoints {
    sign: &'static str,
    size: f64,
    decimals: usize,
}

impl SignedPoints {
    /// An evaluation, to be rounded.
    pub fn new(points: f64) -> Self {
        let rounded = (points * 10.0).round() / 10.0;
        let size = rounded.abs();
        Self {
            sign: match rounded {
                _ if rounded < 0.0 => "−",
                _ if rounded > 0.0 => "+",
                _ => "",
            },
            size,
            decimals: usize::from(size.fract() != 0.0 && size < 100.0),
        }
    }

    /// What stands behind it for a unit in the plural: " stone" behind 1, " stones" behind 2, nothing for an empty unit.
    pub fn unit_text(&self, unit: &str) -> String {
        match unit {
            "" => String::new(),
            unit if self.size == 1.0 => format!(" {}", unit.strip_suffix('s').unwrap_or(unit)),
            unit => format!(" {unit}"),
        }
    }
}

impl fmt::Display for SignedPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:.*}", self.sign, self.decimals, self.size)
    }
}

impl SearchFacts<'_> {
    /// What a move is worth, with its owner: "South at most +1 stone", "O wins 64.8 %".
    pub fn value_text(&self, value: MoveValue) -> String {
        let owner = self.player_name(self.owner());
        match value {
            MoveValue::Unknown => "unknown".to_owned(),
            MoveValue::Share { share, visits } => {
                format!("{owner} wins {}", percent(share, visits))
            }
            MoveValue::Points { points, bound } => {
                if bound == Bound::Exact && points.abs() < 0.05 {
                    return "even".to_owned();
                }
                format!("{owner} {}{}", bound.words(), self.points_text(points))
            }
            MoveValue::Proven(Some(winner)) => format!("{} wins", self.player_name(winner)),
            MoveValue::Proven(None) => "a draw".to_owned(),
        }
    }

    /// An evaluation with its sign and unit.
    fn points_text(&self, points: f64) -> String {
        let points = SignedPoints::new(points);
        let unit = points.unit_text(self.game.map_or("points", |game| game.value_unit));
        let size = decimal(points.size, points.decimals);
        format!("{}{size}{unit}", points.sign)
    }

    /// The name of a side.
    pub fn player_name(&self, player: Player) -> &'static str {
        let [first, second] = (self.game).map_or(["Player 1", "Player 2"], |game| game.players);
        match player {
            Player::First => first,
            Player::Second => second,
        }
    }

    /// The search by the first word of its name, as it begins a sentence.
    pub(super) fn search_name(&self) -> String {
        const ACRONYMS: &[&str] = &["uct", "puct", "ucb1", "lgr1", "lgr2", "fpu"];
        let name = self.meta.search.split(',').next().unwrap_or_default();
        let words = name
            .split('-')
            .map(|word| match ACRONYMS.contains(&word) {
                true => word.to_uppercase(),
                false => word.to_owned(),
            })
            .collect::<Vec<_>>();
        match name {
            "" => "The search".to_owned(),
            _ => capitalised(&move_name(&words.join("-"))),
        }
    }
}
