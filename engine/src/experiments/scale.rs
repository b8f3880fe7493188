//! How much of an experiment is run.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::file::Budget;

/// A quick run has a hundredth of the trials.
const QUICK_FACTOR: f64 = 0.01;
/// Larger factors are mistakes.
const MAX_FACTOR: f64 = 1000.0;

/// Limits of searches in a quick run, where the file does not say it.
pub const QUICK_BUDGET: Budget = Budget {
    iterations: Some(300),
    depth: Some(4),
    time: Some(20),
};

/// How much of an experiment is run, compared with its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Scale {
    /// As the file says.
    #[default]
    Full,
    /// A hundredth of the trials, with small limits: to see whether it works.
    Quick,
    /// The number of trials times this, with the limits of the file.
    Factor(f64),
}

impl Scale {
    /// Whether limits are lowered, too.
    pub fn is_quick(self) -> bool {
        self == Self::Quick
    }

    /// The number of repetitions of something that the file has `count` times: at least `least`, unless the file has fewer.
    pub fn count(self, count: u64, least: u64) -> u64 {
        let factor = match self {
            Self::Full => return count,
            Self::Quick => QUICK_FACTOR,
            Self::Factor(factor) => factor,
        };
        let scaled = (count as f64 * factor).round() as u64;
        scaled.max(least.min(count)).max(1)
    }

    /// A depth of the file, at most the quick one in a quick run.
    pub fn depth(self, depth: u32) -> u32 {
        let most = QUICK_BUDGET.depth.unwrap_or(u64::MAX);
        match self {
            Self::Quick => depth.min(u32::try_from(most).unwrap_or(u32::MAX)),
            _ => depth,
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => out.write_str("full"),
            Self::Quick => out.write_str("quick"),
            Self::Factor(factor) => write!(out, "{factor}"),
        }
    }
}

/// What is wrong with a text that should be a scale.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no scale: expected full, quick, or a factor above 0 and up to {MAX_FACTOR}, such as 0.1"
)]
pub struct ScaleError(String);

impl FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Self, ScaleError> {
        match text {
            "full" => Ok(Self::Full),
            "quick" => Ok(Self::Quick),
            _ => match text.parse::<f64>() {
                Ok(factor) if factor > 0.0 && factor <= MAX_FACTOR => Ok(Self::Factor(factor)),
                _ => Err(ScaleError(text.to_owned())),
            },
        }
    }
}

impl TryFrom<String> for Scale {
    type Error = ScaleError;

    fn try_from(text: String) -> Result<Self, ScaleError> {
        text.parse()
    }
}

impl From<Scale> for String {
    fn from(scale: Scale) -> Self {
        scale.to_string()
    }
}

/// What a command asks for beside the file. It stands in every part of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunOptions {
    /// How much is run.
    pub scale: Scale,
    /// The repetitions (games of each pair, runs of each position) instead of those of file and scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// The limit of playouts instead of the file's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
}

impl RunOptions {
    /// The number of repetitions of something that the file has `count` times; at least `least` in a small run.
    pub fn repetitions(&self, count: u64, least: u64) -> u64 {
        self.games.unwrap_or_else(|| self.scale.count(count, least))
    }

    /// The options as words of a command line, each with a blank before it.
    pub fn arguments(&self) -> String {
        let mut text = match self.scale {
            Scale::Full => String::new(),
            scale => format!(" --scale {scale}"),
        };
        for (name, value) in [("games", self.games), ("iterations", self.iterations)] {
            if let Some(value) = value {
                text += &format!(" --{name} {value}");
            }
        }
        text
    }
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_has_a_hundredth_of_the_games_and_two_at_least() {
        let quick: Scale = "quick".parse().expect("a scale");
        assert_eq!(quick.count(200, 2), 2);
        assert_eq!(quick.count(1000, 2), 10);
        assert_eq!(quick.count(1, 2), 1, "never more than the file has");
        assert_eq!((quick.depth(7), Scale::Full.depth(7)), (4, 7));
        assert_eq!("0.1".parse::<Scale>().expect("a scale").count(200, 2), 20);
    }

    #[test]
    fn wrong_scales_are_refused() {
        for text in ["", "slow", "0", "-1", "nan", "inf", "1e9"] {
            assert!(text.parse::<Scale>().is_err(), "{text:?}");
        }
    }
}
