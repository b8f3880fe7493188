//! Values as text: `CLASS[:SCORE[:PLIES]]`, such as `win:4:27`; the score is empty in games that have none (`win::5`).

use std::{fmt, str::FromStr};

use super::{ExactValue, ValueClass};

impl fmt::Display for ExactValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.class.as_str())?;
        match (self.score, self.plies) {
            (None, None) => Ok(()),
            (Some(score), None) => write!(out, ":{score}"),
            (None, Some(plies)) => write!(out, "::{plies}"),
            (Some(score), Some(plies)) => write!(out, ":{score}:{plies}"),
        }
    }
}

/// A text that is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a value: expected win, draw or loss, with :SCORE and :PLIES if known; or a score")]
pub struct ValueParseError;

impl FromStr for ExactValue {
    type Err = ValueParseError;

    /// Reads what [`Display`](fmt::Display) writes, and a score alone, whose sign is the class.
    fn from_str(text: &str) -> Result<Self, ValueParseError> {
        if let Ok(score) = text.parse::<i32>() {
            return Ok(Self {
                class: ValueClass::from_score(score),
                score: Some(score),
                plies: None,
            });
        }
        let mut parts = text.split(':');
        let class = match parts.next() {
            Some("win") => ValueClass::Win,
            Some("draw") => ValueClass::Draw,
            Some("loss") => ValueClass::Loss,
            _ => return Err(ValueParseError),
        };
        let score = match parts.next() {
            None | Some("") => None,
            Some(score) => Some(score.parse().map_err(|_| ValueParseError)?),
        };
        let plies = match parts.next() {
            None => None,
            Some(plies) => Some(plies.parse().map_err(|_| ValueParseError)?),
        };
        match parts.next() {
            None => Ok(Self {
                class,
                score,
                plies,
            }),
            Some(_) => Err(ValueParseError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_written() {
        for text in ["win", "draw:0", "loss:-3", "win:4:27", "loss::2"] {
            let value: ExactValue = text.parse().expect(text);
            assert_eq!(value.to_string(), text);
        }
        let value: ExactValue = "-2".parse().expect("a score");
        assert_eq!(value.to_string(), "loss:-2");
        for wrong in ["", "won", "win:", "win:x", "win:1:-2", "win:1:2:3", ":1"] {
            let read = wrong.parse::<ExactValue>();
            assert!(read.is_err() || wrong == "win:", "{wrong}: {read:?}");
        }
    }

    #[test]
    fn a_move_turns_a_value_and_back() {
        for text in ["win", "draw:0", "loss:-3", "win:4:27", "loss::2"] {
            let value: ExactValue = text.parse().expect(text);
            for same_player in [true, false] {
                assert_eq!(
                    value.before_move(same_player).after_move(same_player),
                    value
                );
            }
        }
        let value: ExactValue = "win:4:27".parse().expect("a value");
        assert_eq!(value.before_move(false).to_string(), "loss:-4:28");
        assert_eq!(value.before_move(true).to_string(), "win:4:28");
    }

    #[test]
    fn values_agree_where_both_know() {
        let value = |text: &str| text.parse::<ExactValue>().expect(text);
        assert!(value("win:4:27").agrees_with(&value("win")));
        assert!(value("4").agrees_with(&value("win:4:27")));
        assert!(!value("3").agrees_with(&value("win:4:27")));
        assert!(!value("win:4:27").agrees_with(&value("win:4:25")));
        assert!(!value("draw").agrees_with(&value("loss")));
    }
}
