//! Shares of a run: shards, and lists of numbers.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// More shards than this are mistakes.
pub const MAX_SHARDS: u64 = 1_000_000;

/// Shard `number` of `count`: every `count`-th unit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    #[serde(rename = "shard")]
    pub number: u64,
    /// How many there are.
    #[serde(rename = "shards")]
    pub count: u64,
}

impl Shard {
    /// The whole run.
    pub const WHOLE: Self = Self {
        number: 1,
        count: 1,
    };

    /// All shards of a run that is split into `count`.
    pub fn all(count: u64) -> impl Iterator<Item = Self> {
        (1..=count).map(move |number| Self { number, count })
    }

    /// The shard of `count` that a unit, counted from 0, belongs to. The shards rotate from one round of units to the next, so that
    /// none has the same pairing or position every time.
    pub fn of_unit(unit: u64, count: u64) -> Self {
        let round = unit.checked_div(count).unwrap_or(0);
        let index = unit.wrapping_add(round).checked_rem(count).unwrap_or(0);
        Self {
            number: index + 1,
            count,
        }
    }

    /// Whether it has a unit, counted from 0.
    pub fn has_unit(self, unit: u64) -> bool {
        Self::of_unit(unit, self.count) == self
    }

    /// Whether it is the whole run.
    pub fn is_whole(self) -> bool {
        self.count == 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.number, self.count)
    }
}

/// What is wrong with a text that should be a shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no shard: expected K/N, such as 3/8, with K from 1 to N and N at most {MAX_SHARDS}"
)]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(number, count)| Some((parse(number)?, parse(count)?)));
        match parts {
            Some((number, count)) if (1..=count).contains(&number) && count <= MAX_SHARDS => {
                Ok(Self { number, count })
            }
            _ => Err(ShardError(text.to_owned())),
        }
    }
}

/// A whole number in digits alone.
fn parse(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// A set of numbers above 0, written as `5,7,100-120`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberList {
    /// First and last of each range, in order and apart from each other.
    ranges: Vec<(u64, u64)>,
}

/// What is wrong with a text that should be a list of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no list of numbers: expected numbers from 1 and ranges, such as 5,7,100-120")]
pub struct NumberListError(String);

impl NumberList {
    /// The numbers of an ascending sequence.
    pub fn from_ascending(numbers: impl IntoIterator<Item = u64>) -> Self {
        let mut list = Self::default();
        for number in numbers {
            match list.ranges.last_mut() {
                Some((_, last)) if number <= last.saturating_add(1) => *last = number.max(*last),
                _ => list.ranges.push((number, number)),
            }
        }
        list
    }

    /// Whether a number is in it.
    pub fn contains(&self, number: u64) -> bool {
        (self.ranges.iter()).any(|&(first, last)| (first..=last).contains(&number))
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The greatest number; 0 for none.
    pub fn greatest(&self) -> u64 {
        self.ranges.last().map_or(0, |&(_, last)| last)
    }

    /// How many numbers are in it.
    pub fn count(&self) -> u64 {
        let lengths = self.ranges.iter().map(|(first, last)| last - first + 1);
        lengths.sum()
    }

    /// The list as people read it: at most `ranges` ranges, then `...`.
    pub fn shortened(&self, ranges: usize) -> String {
        let shown = Self {
            ranges: self.ranges.iter().take(ranges).copied().collect(),
        };
        match self.ranges.len() > ranges {
            true => format!("{shown},..."),
            false => shown.to_string(),
        }
    }
}

impl fmt::Display for NumberList {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match first == last {
                true => write!(out, "{comma}{first}")?,
                false => write!(out, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for NumberList {
    type Err = NumberListError;

    fn from_str(text: &str) -> Result<Self, NumberListError> {
        let error = || NumberListError(text.to_owned());
        let mut ranges = Vec::new();
        for word in text.split(',') {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (first, last) = parse(first).zip(parse(last)).ok_or_else(error)?;
            if first == 0 || first > last {
                return Err(error());
            }
            ranges.push((first, last));
        }
        ranges.sort_unstable();
        let mut list = Self::default();
        for (first, last) in ranges {
            match list.ranges.last_mut() {
                Some((_, known)) if first <= known.saturating_add(1) => *known = last.max(*known),
                _ => list.ranges.push((first, last)),
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_wrong_ones_are_not() {
        assert_eq!(
            "3/8".parse(),
            Ok(Shard {
                number: 3,
                count: 8
            })
        );
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        for text in [
            "0/8",
            "9/8",
            "3",
            "3/",
            "/8",
            "-1/8",
            "+1/8",
            "3/8/9",
            "1/1000001",
            "a/b",
        ] {
            let error = text.parse::<Shard>().expect_err(text);
            assert!(error.to_string().contains("is no shard"), "{error}");
        }
    }

    #[test]
    fn every_unit_has_one_shard_and_each_shard_all_places_of_a_round() {
        for count in [1, 2, 3, 8] {
            for unit in 0..200 {
                let owners = Shard::all(count).filter(|shard| shard.has_unit(unit));
                assert_eq!(owners.count(), 1, "unit {unit} of {count} shards");
            }
            let sizes: Vec<usize> = (Shard::all(count))
                .map(|shard| {
                    (0..count * count)
                        .filter(|&unit| shard.has_unit(unit))
                        .count()
                })
                .collect();
            assert!(
                sizes.iter().all(|&size| size == count as usize),
                "{sizes:?}"
            );
            // In as many rounds as there are shards, a shard has every place of a round once.
            let mut places: Vec<u64> = (0..count * count)
                .filter(|&unit| Shard { number: 1, count }.has_unit(unit))
                .map(|unit| unit % count)
                .collect();
            places.sort_unstable();
            assert_eq!(places, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lists_of_numbers_are_read_and_written() {
        let list: NumberList = "7,100-120,5,6,118-125".parse().expect("a list");
        assert_eq!(list.to_string(), "5-7,100-125");
        assert!(list.contains(5) && list.contains(120) && !list.contains(8));
        assert_eq!((list.greatest(), list.count()), (125, 29));
        assert_eq!(list.shortened(1), "5-7,...");
        assert_eq!(list.shortened(2), "5-7,100-125");
        let numbers = NumberList::from_ascending([3, 7, 8]);
        assert_eq!(numbers.to_string(), "3,7-8");
        assert_eq!(NumberList::default().to_string(), "");
        for text in [
            "",
            "0",
            "5-",
            "-5",
            "7-5",
            "a",
            "1,,2",
            "1 2",
            "99999999999999999999",
        ] {
            assert!(text.parse::<NumberList>().is_err(), "{text:?}");
        }
    }
}
