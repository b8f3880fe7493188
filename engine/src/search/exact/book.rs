//! Opening books: the value of every move in every position of the first plies, up to symmetry.
//!
//! A `.cbook` file is `CANOPYB1`, the game's name (a byte of length, then its bytes), and records of 14 bytes, little-endian, in
//! ascending order of key and move:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | key of the position: the least [`Game::key`] of its images; the move is one of that image |
//! | 2 | move, as [`Game::move_to_bits`] |
//! | 2 | weight: 1 for the best moves of a position, 0 for the others |
//! | 2 | value of the move for the player who makes it: score, or 1, 0 and -1 for win, draw and loss |
//!
//! The values of the last positions determine a book: [`Openings::leaf_values`] and [`Openings::book`] are each other's inverse.
//! The leaf values of connect four, one byte each, are a fortieth of the file: [`super::leaf_values`].

use std::collections::{BTreeMap, BTreeSet};

use super::ExactValue;
use crate::games::{Game, Playable, Symmetric};

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"CANOPYB1";
const RECORD_BYTES: usize = 14;

/// One move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// Key of the position.
    pub key: u64,
    /// The move.
    pub mv: u16,
    /// Greater for moves to be preferred.
    pub weight: u16,
    /// Value for the player who makes the move.
    pub value: i16,
}

/// A book in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// Name of the game, with its variant.
    pub game: String,
    /// In ascending order of key and move.
    records: Vec<Record>,
}

/// Why bytes are no book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// Another kind of file.
    #[error("not a book: expected it to begin with CANOPYB1")]
    Magic,
    /// The name is cut off or no text.
    #[error("the game's name is damaged")]
    Name,
    /// The file ends in the middle of a record.
    #[error("the last record is cut off: expected records of {RECORD_BYTES} bytes")]
    Length,
    /// The order is wrong.
    #[error("record {0} is not in ascending order of key and move")]
    Order(usize),
}

impl Book {
    /// A book of these records, in any order; of several for the same move the first is kept.
    pub fn new(game: String, mut records: Vec<Record>) -> Self {
        records.sort_by_key(|record| (record.key, record.mv));
        records.dedup_by_key(|record| (record.key, record.mv));
        Self { game, records }
    }

    /// All records, in ascending order of key and move.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The records of one position by its key.
    pub fn find(&self, key: u64) -> &[Record] {
        let start = self.records.partition_point(|record| record.key < key);
        let end = self.records.partition_point(|record| record.key <= key);
        &self.records[start..end]
    }

    /// The moves of a position with their records; none if the book does not have it.
    pub fn moves<G: Playable>(&self, position: &G) -> Vec<(G::Move, Record)> {
        let (key, image) = canonical(position);
        let records = self.find(key);
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let symmetries = G::SYMMETRIES.iter().copied();
        let Some(symmetry) = symmetries
            .clone()
            .find(|&symmetry| position.image(symmetry).key() == image.key())
        else {
            return Vec::new();
        };
        let record_of = |mv: G::Move| {
            let bits = G::move_to_bits(G::image_of_move(mv, symmetry));
            let record = records.iter().find(|record| record.mv == bits);
            record.map(|&record| (mv, record))
        };
        moves.into_iter().filter_map(record_of).collect()
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let name = &self.game.as_bytes()[..self.game.len().min(255)];
        let mut bytes = MAGIC.to_vec();
        bytes.push(name.len() as u8);
        bytes.extend(name);
        for record in &self.records {
            bytes.extend(record.key.to_le_bytes());
            bytes.extend(record.mv.to_le_bytes());
            bytes.extend(record.weight.to_le_bytes());
            bytes.extend(record.value.to_le_bytes());
        }
        bytes
    }

    /// Reads a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(BookError::Magic)?;
        let (&length, rest) = rest.split_first().ok_or(BookError::Name)?;
        let (name, rest) = rest
            .split_at_checked(usize::from(length))
            .ok_or(BookError::Name)?;
        let game = std::str::from_utf8(name).map_err(|_| BookError::Name)?;
        let (chunks, []) = rest.as_chunks::<RECORD_BYTES>() else {
            return Err(BookError::Length);
        };
        let records: Vec<Record> = chunks.iter().map(read_record).collect();
        let order = |record: &Record| (record.key, record.mv);
        let unordered = records
            .windows(2)
            .position(|pair| order(&pair[0]) >= order(&pair[1]));
        match unordered {
            Some(index) => Err(BookError::Order(index + 1)),
            None => Ok(Self {
                game: game.to_owned(),
                records,
            }),
        }
    }
}

fn read_record(bytes: &[u8; RECORD_BYTES]) -> Record {
    let [
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        move_low,
        move_high,
        weight_low,
        weight_high,
        value_low,
        value_high,
    ] = *bytes;
    Record {
        key: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        mv: u16::from_le_bytes([move_low, move_high]),
        weight: u16::from_le_bytes([weight_low, weight_high]),
        value: i16::from_le_bytes([value_low, value_high]),
    }
}

/// The least key of a position's images, and that image.
pub(super) fn canonical<G: Game + Symmetric>(position: &G) -> (u64, G) {
    let images = G::SYMMETRIES
        .iter()
        .map(|&symmetry| position.image(symmetry));
    let keyed = images.map(|image| (image.key(), image));
    keyed
        .min_by_key(|&(key, _)| key)
        .unwrap_or_else(|| (position.key(), position.clone()))
}

/// The value of a position as books have it.
pub fn book_value(value: &ExactValue) -> i16 {
    let score = value.score.unwrap_or(value.class as i32 - 1);
    score.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// All positions of the first plies up to symmetry, for games in which no position recurs. The leaves are the positions after
/// `plies` moves and the games that end before, in ascending order of key.
pub struct Openings<G> {
    game: String,
    /// The positions with moves of the book, by ply; each in ascending order of key.
    inner: Vec<Vec<(u64, G)>>,
    leaves: BTreeMap<u64, G>,
}

impl<G: Playable> Openings<G> {
    /// The openings of `plies` moves from `start` on; `None` if a position recurs after another number of moves.
    pub fn new(game: String, start: &G, plies: u32) -> Option<Self> {
        let mut seen = BTreeSet::new();
        let (mut inner, mut leaves) = (Vec::new(), BTreeMap::new());
        let mut level = BTreeMap::from([canonical(start)]);
        for ply in 0..=plies {
            if level.keys().any(|&key| !seen.insert(key)) {
                return None;
            }
            let is_last = ply == plies;
            let (ended, open): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut level)
                .into_iter()
                .partition(|(_, position)| is_last || position.outcome().is_some());
            leaves.extend(ended);
            for position in open.values() {
                level.extend(children(position).map(|(_, child)| canonical(&child)));
            }
            inner.push(open.into_iter().collect());
        }
        Some(Self {
            game,
            inner,
            leaves,
        })
    }

    /// The positions whose values determine the book, in ascending order of key.
    pub fn leaves(&self) -> impl ExactSizeIterator<Item = (u64, &G)> {
        self.leaves.iter().map(|(&key, position)| (key, position))
    }

    /// The leaves in the order of a walk through the game: neighbours have most moves in common, and a solver that remembers the
    /// last ones is faster.
    pub fn leaves_by_kinship(&self) -> Vec<(u64, &G)> {
        let (mut seen, mut ordered) = (BTreeSet::new(), Vec::new());
        let roots = self.inner.iter().flatten().take(1);
        let mut stack: Vec<G> = roots.map(|(_, root)| root.clone()).collect();
        if stack.is_empty() {
            return self.leaves().collect();
        }
        while let Some(position) = stack.pop() {
            let (key, image) = canonical(&position);
            if !seen.insert(key) {
                continue;
            }
            match self.leaves.get(&key) {
                Some(leaf) => ordered.push((key, leaf)),
                None => stack.extend(children(&image).map(|(_, child)| child)),
            }
        }
        ordered
    }

    /// The book by the values of the leaves, each for the player to move, in their order. `None` if their number differs.
    pub fn book(&self, leaf_values: &[i16]) -> Option<Book> {
        let mut records = Vec::new();
        self.walk_up(leaf_values, |key, moves, best| {
            records.extend(moves.iter().map(|&(mv, value)| Record {
                key,
                mv,
                weight: u16::from(value == best),
                value,
            }));
        })?;
        Some(Book::new(self.game.clone(), records))
    }

    /// The value of every position for the player to move, by key, from the values of the leaves. `None` if their number differs.
    pub fn values(&self, leaf_values: &[i16]) -> Option<BTreeMap<u64, i16>> {
        self.walk_up(leaf_values, |_, _, _| ())
    }

    /// [`Self::values`]; calls `visit` with the key of every position that has moves, their values and the best of these.
    fn walk_up(
        &self,
        leaf_values: &[i16],
        mut visit: impl FnMut(u64, &[(u16, i16)], i16),
    ) -> Option<BTreeMap<u64, i16>> {
        if leaf_values.len() != self.leaves.len() {
            return None;
        }
        let leaf_keys = self.leaves.keys().copied();
        let mut known: BTreeMap<u64, i16> = leaf_keys.zip(leaf_values.iter().copied()).collect();
        for (key, position) in self.inner.iter().rev().flatten() {
            let values: Vec<(u16, i16)> = children(position)
                .map(|(mv, child)| {
                    let is_same_player = child.to_move() == position.to_move();
                    let value = known.get(&canonical(&child).0)?;
                    let value = if is_same_player {
                        *value
                    } else {
                        value.saturating_neg()
                    };
                    Some((G::move_to_bits(mv), value))
                })
                .collect::<Option<_>>()?;
            let best = values.iter().map(|&(_, value)| value).max()?;
            known.insert(*key, best);
            visit(*key, &values, best);
        }
        Some(known)
    }

    /// The values of the leaves in a book of these openings; `None` if it lacks one.
    pub fn leaf_values(&self, book: &Book) -> Option<Vec<i16>> {
        let mut values = BTreeMap::new();
        for (key, position) in self.inner.iter().flatten() {
            let records = book.find(*key);
            for (mv, child) in children(position) {
                let child_key = canonical(&child).0;
                if !self.leaves.contains_key(&child_key) {
                    continue;
                }
                let bits = G::move_to_bits(mv);
                let record = records.iter().find(|record| record.mv == bits)?;
                let is_same_player = child.to_move() == position.to_move();
                let value = if is_same_player {
                    record.value
                } else {
                    record.value.saturating_neg()
                };
                values.insert(child_key, value);
            }
        }
        self.leaves
            .keys()
            .map(|key| values.get(key).copied())
            .collect()
    }
}

/// The moves of a position and the positions after them.
fn children<G: Game>(position: &G) -> impl Iterator<Item = (G::Move, G)> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.into_iter().map(|mv| {
        let mut child = position.clone();
        child.play(mv);
        (mv, child)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{
        Symmetry,
        connect_four::{Column, ConnectFour},
        notation::read_position,
    };

    fn openings(plies: u32) -> Openings<ConnectFour> {
        let start: ConnectFour = read_position((), "startpos").expect("a position");
        Openings::new("connect-four".to_owned(), &start, plies).expect("stones only increase")
    }

    /// A book with values made from keys.
    fn sample_book() -> (Openings<ConnectFour>, Vec<i16>) {
        let openings = openings(4);
        let values = openings.leaves().map(|(key, _)| (key % 19) as i16 - 9);
        let values = values.collect();
        (openings, values)
    }

    #[test]
    fn openings_are_counted_up_to_symmetry() {
        // Of the 1, 7, 49, 238 and 1120 positions after 0 to 4 moves, those that are their own mirror image count whole.
        assert_eq!(
            [0, 1, 2, 3, 4].map(|plies| openings(plies).leaves().len()),
            [1, 4, 25, 121, 568]
        );
    }

    #[test]
    fn leaves_by_kinship_are_the_leaves_in_another_order() {
        for plies in [0, 1, 4] {
            let openings = openings(plies);
            let mut by_kinship = openings.leaves_by_kinship();
            by_kinship.sort_by_key(|&(key, _)| key);
            assert_eq!(by_kinship, openings.leaves().collect::<Vec<_>>());
        }
    }

    #[test]
    fn leaf_values_make_the_book_and_the_book_gives_them_back() {
        let (openings, values) = sample_book();
        let book = openings.book(&values).expect("as many values as leaves");
        assert_eq!(openings.leaf_values(&book), Some(values.clone()));
        assert_eq!(openings.book(&values[1..]), None);
        // 1 + 4 + 25 + 121 positions of seven moves.
        assert_eq!(book.records().len(), 151 * 7);
        let start: ConnectFour = read_position((), "startpos").expect("a position");
        let best = |position: &ConnectFour| {
            let moves = book.moves(position);
            let best = moves.iter().map(|(_, record)| record.value).max();
            best.expect("in the book")
        };
        for (mv, record) in book.moves(&start) {
            let mut child = start;
            child.play(mv);
            assert_eq!(record.value, -best(&child), "{mv:?}");
            assert_eq!(record.weight == 1, record.value == best(&start), "{mv:?}");
        }
    }

    #[test]
    fn a_position_and_its_mirror_image_have_mirrored_moves() {
        let (openings, values) = sample_book();
        let book = openings.book(&values).expect("as many values as leaves");
        let position: ConnectFour = read_position((), "127").expect("columns");
        let moves = book.moves(&position);
        assert_eq!(moves.len(), 7);
        let mut mirrored = book.moves(&position.image(Symmetry::MIRROR));
        mirrored.reverse();
        let mirrored: Vec<(Column, Record)> = mirrored
            .into_iter()
            .map(|(Column(column), record)| (Column(6 - column), record))
            .collect();
        assert_eq!(moves, mirrored);
        let unknown: ConnectFour = read_position((), "12712").expect("columns");
        assert!(book.moves(&unknown).is_empty());
    }

    #[test]
    fn a_book_survives_its_file_and_damage_is_reported() {
        let (openings, values) = sample_book();
        let book = openings.book(&values).expect("as many values as leaves");
        let bytes = book.to_bytes();
        assert_eq!(bytes.len(), 8 + 1 + 12 + 14 * book.records().len());
        assert_eq!(Book::from_bytes(&bytes), Ok(book));
        assert_eq!(Book::from_bytes(b"CANOPYX1"), Err(BookError::Magic));
        assert_eq!(Book::from_bytes(&bytes[..8]), Err(BookError::Name));
        assert_eq!(Book::from_bytes(&bytes[..12]), Err(BookError::Name));
        assert_eq!(
            Book::from_bytes(&bytes[..bytes.len() - 1]),
            Err(BookError::Length)
        );
        let mut swapped = bytes.clone();
        swapped[21..49].rotate_left(14);
        assert_eq!(Book::from_bytes(&swapped), Err(BookError::Order(1)));
    }
}
