//! Opening books that clients choose: Polyglot's `.bin` for the game that has them, and Canopy's own `.cbook`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    games::Playable,
    rng::Rng,
    search::exact::book::{self, Book, BookError},
};

/// The most bytes of a book: larger files are refused unread.
const MAX_BOOK_BYTES: u64 = 1 << 30;
/// Bytes of an entry of a Polyglot book.
const ENTRY_BYTES: usize = 16;

/// A book in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningBook {
    /// Entries in ascending order of key.
    Polyglot(Vec<PolyglotEntry>),
    /// A book of exact values: its weights are 1 for the best moves.
    Exact(Book),
}

/// An entry of a Polyglot book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolyglotEntry {
    key: u64,
    mv: u16,
    weight: u16,
}

/// Why there is no book.
#[derive(Debug, thiserror::Error)]
pub enum OpeningBookError {
    /// The file cannot be read.
    #[error("cannot read the book {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// The file is too large to be a book.
    #[error("{} is too large for a book: expected at most {} MB", .0.display(), MAX_BOOK_BYTES >> 20)]
    Size(PathBuf),
    /// A Polyglot book that ends in the middle of an entry, or is empty.
    #[error(
        "{} is no Polyglot book: expected entries of {ENTRY_BYTES} bytes, found {bytes} bytes", path.display()
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// A Polyglot book whose keys are not sorted.
    #[error("{} is damaged: entry {index} is not in ascending order of key", path.display())]
    Order {
        /// The file.
        path: PathBuf,
        /// The first entry out of order, counted from 0.
        index: usize,
    },
    /// A damaged book of exact values.
    #[error("{}: {error}", path.display())]
    Exact {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: BookError,
    },
}

impl OpeningBook {
    /// Reads a book: one of exact values if it begins as those do, else one of Polyglot's.
    pub fn read(path: &Path) -> Result<Self, OpeningBookError> {
        let io_error = |error| OpeningBookError::Io {
            path: path.to_owned(),
            error,
        };
        let about = fs::metadata(path).map_err(io_error)?;
        if about.len() > MAX_BOOK_BYTES {
            return Err(OpeningBookError::Size(path.to_owned()));
        }
        if !about.is_file() {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "it is not a file");
            return Err(io_error(error));
        }
        let bytes = fs::read(path).map_err(io_error)?;
        if bytes.starts_with(book::MAGIC) {
            return match Book::from_bytes(&bytes) {
                Ok(book) => Ok(Self::Exact(book)),
                Err(error) => Err(OpeningBookError::Exact {
                    path: path.to_owned(),
                    error,
                }),
            };
        }
        Self::read_polyglot(path, &bytes)
    }

    fn read_polyglot(path: &Path, bytes: &[u8]) -> Result<Self, OpeningBookError> {
        let (chunks, rest) = bytes.as_chunks::<ENTRY_BYTES>();
        if chunks.is_empty() || !rest.is_empty() {
            return Err(OpeningBookError::Length {
                path: path.to_owned(),
                bytes: bytes.len(),
            });
        }
        let entries: Vec<PolyglotEntry> = chunks.iter().map(PolyglotEntry::read).collect();
        if !entries.is_sorted_by_key(|entry| entry.key) {
            let sorted = entries.iter().zip(entries.iter().skip(1));
            let index = sorted.take_while(|(one, next)| one.key <= next.key).count();
            return Err(OpeningBookError::Order {
                path: path.to_owned(),
                index: index + 1,
            });
        }
        Ok(Self::Polyglot(entries))
    }

    /// The legal moves that the book has for a position, with their weights; those without weight are left out.
    pub fn moves<G: Playable>(&self, position: &G) -> Vec<(G::Move, u32)> {
        let mut moves: Vec<(G::Move, u32)> = match self {
            Self::Polyglot(entries) => {
                let Some(key) = position.polyglot_key() else {
                    return Vec::new();
                };
                let start = entries.partition_point(|entry| entry.key < key);
                (entries.iter().skip(start))
                    .take_while(|entry| entry.key == key)
                    .filter_map(|entry| {
                        let mv = position.parse_polyglot_move(entry.mv)?;
                        Some((mv, u32::from(entry.weight)))
                    })
                    .collect()
            }
            Self::Exact(book)
                if book.game != crate::games::notation::full_name::<G>(position.rules()) =>
            {
                Vec::new()
            }
            Self::Exact(book) => (book.moves(position).into_iter())
                .map(|(mv, record)| (mv, u32::from(record.weight)))
                .collect(),
        };
        moves.retain(|&(_, weight)| weight > 0);
        moves
    }

    /// A move of the book, drawn by weight; none if the book does not have the position.
    pub fn choose<G: Playable>(&self, position: &G, rng: &mut Rng) -> Option<G::Move> {
        let moves = self.moves(position);
        let total = moves.iter().map(|&(_, weight)| weight).sum::<u32>();
        let mut drawn = (total > 0).then(|| rng.below(total))?;
        let mut moves = moves.into_iter();
        let found = moves.find(|&(_, weight)| {
            let is_drawn = drawn < weight;
            drawn = drawn.saturating_sub(weight);
            is_drawn
        });
        found.map(|(mv, _)| mv)
    }
}

impl PolyglotEntry {
    /// Key, move, weight and learning data, big-endian.
    fn read(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let number = u128::from_be_bytes(*bytes);
        Self {
            key: (number >> 64) as u64,
            mv: (number >> 48) as u16,
            weight: (number >> 32) as u16,
        }
    }
}
