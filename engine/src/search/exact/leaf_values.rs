//! The compact form of an opening book: the values of its last positions, from which all others follow.
//!
//! A file is `CANOPYL1`, the number of plies (a byte), a checksum of the values (u64, little-endian) and the values, a signed byte
//! each, in the order of [`Openings::leaves`]. The positions themselves follow from the rules.

use std::collections::BTreeMap;

use super::book::{Book, Openings, canonical};
use crate::{games::Playable, rng::checksum};

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"CANOPYL1";
/// The deepest book: positions are counted in millions beyond it.
pub const MAX_PLIES: u32 = 12;

/// Values of the last positions of a book, each for the player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafValues {
    /// Moves from the start of the game to the last positions.
    pub plies: u32,
    /// In the order of [`Openings::leaves`].
    pub values: Vec<i8>,
}

/// Why bytes are no leaf values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeafValuesError {
    /// Another kind of file.
    #[error("no values of a book: expected them to begin with CANOPYL1")]
    Magic,
    /// The header is cut off or its number of plies too large.
    #[error("the header is damaged: expected at most {MAX_PLIES} plies and a checksum")]
    Header,
    /// The values are not those that were written.
    #[error("the values are damaged: expected another checksum")]
    Checksum,
}

impl LeafValues {
    /// The leaf values of a book whose first position is `start`; `None` if the book lacks moves, or has values beyond a byte.
    pub fn of_book<G: Playable>(book: &Book, start: &G) -> Option<Self> {
        let plies = book_plies(book, start);
        let openings = Openings::new(book.game.clone(), start, plies)?;
        let values = openings.leaf_values(book)?;
        let values = values.into_iter().map(|value| i8::try_from(value).ok());
        Some(Self {
            plies,
            values: values.collect::<Option<_>>()?,
        })
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let values: Vec<u8> = self
            .values
            .iter()
            .map(|value| value.to_le_bytes()[0])
            .collect();
        let mut bytes = MAGIC.to_vec();
        bytes.push(self.plies.min(MAX_PLIES) as u8);
        bytes.extend(checksum(&values).to_le_bytes());
        bytes.extend(values);
        bytes
    }

    /// Reads a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LeafValuesError> {
        let (plies, rest) = split_plies(bytes)?;
        let (sum, values) = rest.split_first_chunk().ok_or(LeafValuesError::Header)?;
        if u64::from_le_bytes(*sum) != checksum(values) {
            return Err(LeafValuesError::Checksum);
        }
        Ok(Self {
            plies,
            values: values
                .iter()
                .map(|&byte| i8::from_le_bytes([byte]))
                .collect(),
        })
    }
}

/// The number of plies in a file, without its values; `None` if it is no such file.
pub fn plies_of(bytes: &[u8]) -> Option<u32> {
    split_plies(bytes).ok().map(|(plies, _)| plies)
}

fn split_plies(bytes: &[u8]) -> Result<(u32, &[u8]), LeafValuesError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(LeafValuesError::Magic)?;
    let (&plies, rest) = rest.split_first().ok_or(LeafValuesError::Header)?;
    match u32::from(plies) {
        plies if plies <= MAX_PLIES => Ok((plies, rest)),
        _ => Err(LeafValuesError::Header),
    }
}

/// The length of the longest line of first moves in a book.
fn book_plies<G: Playable>(book: &Book, start: &G) -> u32 {
    let mut position = start.clone();
    let mut plies = 0;
    while let Some(&(mv, _)) = book.moves(&position).first()
        && plies < MAX_PLIES
    {
        position.play(mv);
        plies += 1;
    }
    plies
}

/// The value of every position of the first plies, for the player to move.
#[derive(Clone, Debug)]
pub struct OpeningValues {
    values: BTreeMap<u64, i16>,
}

impl OpeningValues {
    /// The values that follow from those of the last positions; `None` if their number is not that of the game.
    pub fn new<G: Playable>(start: &G, leaves: &LeafValues) -> Option<Self> {
        let openings = Openings::new(G::NAME.to_owned(), start, leaves.plies)?;
        let values: Vec<i16> = leaves.values.iter().copied().map(i16::from).collect();
        Some(Self {
            values: openings.values(&values)?,
        })
    }

    /// The value of a position or its images; none if it is later than the last positions.
    pub fn get<G: Playable>(&self, position: &G) -> Option<i16> {
        self.values.get(&canonical(position).0).copied()
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game as _, connect_four::ConnectFour};

    /// Values made from keys.
    fn sample(plies: u32) -> (Openings<ConnectFour>, LeafValues) {
        let start = ConnectFour::start(());
        let openings = Openings::new("connect-four".to_owned(), &start, plies);
        let openings = openings.expect("stones only increase");
        let values = openings.leaves().map(|(key, _)| (key % 19) as i8 - 9);
        let values = values.collect();
        (openings, LeafValues { plies, values })
    }

    #[test]
    fn leaf_values_survive_their_file_and_damage_is_noticed() {
        let (_, leaves) = sample(3);
        let bytes = leaves.to_bytes();
        assert_eq!(bytes.len(), 17 + 121);
        assert_eq!(plies_of(&bytes), Some(3));
        assert_eq!(LeafValues::from_bytes(&bytes), Ok(leaves));
        let error = |bytes: &[u8]| LeafValues::from_bytes(bytes).expect_err("damaged");
        assert_eq!(error(b"CANOPYB1"), LeafValuesError::Magic);
        assert_eq!(error(&bytes[..8]), LeafValuesError::Header);
        assert_eq!(error(&bytes[..16]), LeafValuesError::Header);
        assert_eq!(error(&bytes[..100]), LeafValuesError::Checksum);
        for (place, expected) in [
            (8, LeafValuesError::Header),
            (9, LeafValuesError::Checksum),
            (60, LeafValuesError::Checksum),
        ] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x80;
            assert_eq!(error(&damaged), expected, "byte {place}");
        }
    }

    #[test]
    fn a_book_gives_its_leaf_values_and_they_give_the_values_of_all_positions() {
        let (openings, leaves) = sample(4);
        let wide: Vec<i16> = leaves.values.iter().copied().map(i16::from).collect();
        let book = openings.book(&wide).expect("as many values as leaves");
        let start = ConnectFour::start(());
        assert_eq!(LeafValues::of_book(&book, &start), Some(leaves.clone()));
        let values = OpeningValues::new(&start, &leaves).expect("as many values as leaves");
        assert_eq!(values.len(), 1 + 4 + 25 + 121 + 568);
        let best = book
            .moves(&start)
            .iter()
            .map(|(_, record)| record.value)
            .max();
        assert_eq!(values.get(&start), best);
        for ((_, leaf), value) in openings.leaves().zip(wide) {
            assert_eq!(values.get(leaf), Some(value));
        }
        let short = LeafValues {
            values: leaves.values[1..].to_vec(),
            ..leaves
        };
        assert!(OpeningValues::new(&start, &short).is_none());
    }
}
