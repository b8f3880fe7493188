//! How a tree grows, told as it happens, in the words of which a journal is made.
//!
//! A search that is asked to tell speaks in runs of words, each run from one thread and in its order; runs of different
//! threads mix, so that a node may be spoken of before the run in which it was made has arrived. Nodes and moves have
//! whatever numbers the store gives them, all below [`TAGS`].
//!
//! A record that begins with a word below [`TAGS`] is an iteration of a tree: the node in which it ended, and its reward,
//! two words. Every other record begins with its tag:
//!
//! ```text
//! ffffff00 moves    node, number of the first move, then two bytes each: how many moves, their codes; filled up to
//!                   whole words
//! ffffff01 link     move, node, frame
//! ffffff02 path     number of moves, the moves, reward
//! ffffff03 result   node, 1 the first player wins, 2 the second, 3 drawn
//! ffffff04 known    node, visits, sum
//! ffffff05 chosen   move, visits
//! ffffff06 begin
//! ffffff07 end      0 the search is over, 1 it goes on untold
//! ffffff08 squares  3, node, sum of squared rewards
//! ffffff09 table    3, entries, 1 if they are told apart by their keys
//! ffffff0a entry    3 or 8, node, key; visits, sum, sum of squared rewards if there is something in the entry
//! ```
//!
//! From `ffffff08` on every tag is followed by the number of words that come after it, so that a reader can skip records
//! that it does not know.

use super::mcts::{outcome_bits, outcome_of_bits};
use crate::games::Outcome;

/// Words from here on are tags: the numbers of nodes and moves are below.
pub const TAGS: u32 = 0xffff_ff00;
const MOVES: u32 = TAGS;
const LINK: u32 = TAGS + 1;
const PATH: u32 = TAGS + 2;
const RESULT: u32 = TAGS + 3;
const KNOWN: u32 = TAGS + 4;
const CHOSEN: u32 = TAGS + 5;
const BEGIN: u32 = TAGS + 6;
const END: u32 = TAGS + 7;
/// The tags from here on are followed by the length of their record.
const MEASURED: u32 = TAGS + 8;
const SQUARES: u32 = MEASURED;
const TABLE: u32 = MEASURED + 1;
const ENTRY: u32 = MEASURED + 2;

/// The version of the words: 0 had no records with a length, and none of squares.
pub const VERSION: u32 = 1;

/// Hears how a tree grows.
pub trait Observer: Sync {
    /// Before anything else: the number of the root, and what kind of tree it is. Bit 0: a graph; bit 1: moves that were
    /// never followed are not shown; bits 2-3: the symmetries by which positions are grouped, none, rotations, reflections
    /// too; bit 4: and by an exchange of colours.
    fn begin(&self, root: u32, kind: u32);

    /// Takes a run of words, which [`decode`] understands; it may give back room for the next.
    fn hear(&self, words: Vec<u32>) -> Vec<u32>;
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A node got its moves, numbered one after the other from `first` on. In a tree a move and the node it leads to have
    /// the same number.
    Moves {
        /// The node.
        node: u32,
        /// The number of the first move.
        first: u32,
        /// The moves.
        codes: Codes<'a>,
    },
    /// In a graph, a move was found to lead to a node. Two threads may find out at the same time, and both say so. When one
    /// thread works alone the node may be a leaf, which has the move's own number, until a second link says to which node it
    /// turned out to belong: what the leaf was told counts there from now on.
    Link {
        /// The move.
        edge: u32,
        /// The node.
        node: u32,
        /// How the node's frame comes from the position: see [`super::Frame`].
        frame: u32,
    },
    /// An iteration in a tree.
    Leaf {
        /// The node in which the walk ended.
        node: u32,
        /// What it paid the first player of the root's frame; 1 is 2^32.
        reward: u64,
    },
    /// An iteration in a graph.
    Path {
        /// The moves that were followed.
        edges: &'a [u32],
        /// What it paid, as for a leaf.
        reward: u64,
    },
    /// A result became certain, in the node's frame.
    Proven {
        /// The node.
        node: u32,
        /// The result.
        outcome: Outcome,
    },
    /// What was known of a node before this search.
    Known {
        /// The node.
        node: u32,
        /// Its visits.
        visits: u32,
        /// Its sum of rewards for the first player of its frame.
        sum: u64,
    },
    /// In a graph, how often a move had been followed before this search.
    Chosen {
        /// The move.
        edge: u32,
        /// How often.
        visits: u32,
    },
    /// The squares of the rewards that were known of a node before this search. A search that adds up squares tells at least
    /// the root's; one that does not tells none.
    Squares {
        /// The node.
        node: u32,
        /// The sum of squared rewards for the first player of its frame.
        squares: u64,
    },
    /// The means come from a table of positions (see [`super::mcts`]), in which the position of key k has entry
    /// k mod `entries`.
    Table {
        /// How many entries it has.
        entries: u64,
        /// Whether an entry has the key of its position, and starts again for another.
        verified: bool,
    },
    /// Before the first visit of a node: the key of its position, which is its place in the table. Two threads may come at the
    /// same time, and both say so.
    Entry {
        /// The node.
        node: u32,
        /// The key.
        key: u64,
        /// What the table was told of the position before, on other ways or in earlier searches.
        told: Option<Entry>,
    },
    /// Something that a later version tells, and that can be left out.
    Unknown {
        /// Its tag.
        tag: u32,
    },
    /// All that was known before has been told. Up to here there is one thread.
    Begin,
    /// Nothing more is told; no search says so, but who writes down what it says.
    End {
        /// Whether the search goes on.
        early: bool,
    },
}

/// What an entry of a table of positions was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// How many rewards.
    pub visits: u32,
    /// Their sum for the first player; 1 is 2^32.
    pub sum: u64,
    /// The sum of their squares; 0 if the search keeps none.
    pub squares: u64,
}

/// Moves, as [`crate::games::Game::move_to_bits`] numbers them: two to a word, and how many there are before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes<'a>(&'a [u32]);

impl<'a> Codes<'a> {
    /// The moves that are noted at the beginning of `words`, and the words behind them.
    fn split(words: &'a [u32]) -> Option<(Self, &'a [u32])> {
        let count = *words.first()? as usize & 0xffff;
        let (codes, rest) = words.split_at_checked(1 + count / 2)?;
        Some((Self(codes), rest))
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        self.0[0] & 0xffff
    }

    /// The moves.
    pub fn iter(self) -> impl Iterator<Item = u16> + use<'a> {
        let halves = self
            .0
            .iter()
            .flat_map(|&word| [word as u16, (word >> 16) as u16]);
        halves.skip(1).take(self.count() as usize)
    }
}

/// What [`decode`] says of words that end within a record.
pub const TORN: &str = "a record that is not complete";

/// The first record of a run of words, and the words behind it; a sentence if there is none. Who decodes many of them is
/// twice as fast if a record need not be put together before it is taken apart.
#[inline(always)]
pub fn decode(words: &[u32]) -> Result<(Record<'_>, &[u32]), String> {
    fn take<const N: usize>(words: &[u32]) -> Result<([u32; N], &[u32]), String> {
        let (taken, rest) = words.split_first_chunk().ok_or_else(torn)?;
        Ok((*taken, rest))
    }
    fn torn() -> String {
        TORN.to_owned()
    }
    let whole = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let ([tag], words) = take(words)?;
    Ok(match tag {
        MOVES => {
            let ([node, first], words) = take(words)?;
            let (codes, rest) = Codes::split(words).ok_or_else(torn)?;
            (Record::Moves { node, first, codes }, rest)
        }
        LINK => {
            let ([edge, node, frame], rest) = take(words)?;
            (Record::Link { edge, node, frame }, rest)
        }
        PATH => {
            let ([count], words) = take(words)?;
            let (edges, words) = words.split_at_checked(count as usize).ok_or_else(torn)?;
            let ([low, high], rest) = take(words)?;
            let reward = whole(low, high);
            (Record::Path { edges, reward }, rest)
        }
        RESULT => {
            let ([node, bits], rest) = take(words)?;
            let outcome = outcome_of_bits(bits.into()).filter(|_| bits < 4);
            let outcome =
                outcome.ok_or_else(|| format!("the result is {bits}: expected 1 to 3"))?;
            (Record::Proven { node, outcome }, rest)
        }
        KNOWN => {
            let ([node, visits, low, high], rest) = take(words)?;
            let sum = whole(low, high);
            (Record::Known { node, visits, sum }, rest)
        }
        CHOSEN => {
            let ([edge, visits], rest) = take(words)?;
            (Record::Chosen { edge, visits }, rest)
        }
        BEGIN => (Record::Begin, words),
        END => {
            let ([early], rest) = take(words)?;
            let early = early != 0;
            (Record::End { early }, rest)
        }
        tag if tag >= MEASURED => {
            let ([len], words) = take(words)?;
            let (inside, rest) = words.split_at_checked(len as usize).ok_or_else(torn)?;
            (decode_measured(tag, inside)?, rest)
        }
        node => {
            let ([low, high], rest) = take(words)?;
            let reward = whole(low, high);
            (Record::Leaf { node, reward }, rest)
        }
    })
}

/// A record that says how long it is, by the words behind its length. There may be more of them than this version knows.
#[inline(never)]
fn decode_measured(tag: u32, words: &[u32]) -> Result<Record<'_>, String> {
    let whole = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    Ok(match (tag, words) {
        (SQUARES, &[node, low, high, ..]) => Record::Squares {
            node,
            squares: whole(low, high),
        },
        (TABLE, &[low, high, verified, ..]) => Record::Table {
            entries: whole(low, high),
            verified: verified != 0,
        },
        (ENTRY, &[node, low, high, ref told @ ..]) => Record::Entry {
            node,
            key: whole(low, high),
            told: match *told {
                [visits, low, high, low_squares, high_squares, ..] => Some(Entry {
                    visits,
                    sum: whole(low, high),
                    squares: whole(low_squares, high_squares),
                }),
                _ => None,
            },
        },
        (SQUARES | TABLE | ENTRY, _) => {
            return Err(format!(
                "a record of {} words: expected 3 or more",
                words.len()
            ));
        }
        (tag, _) => Record::Unknown { tag },
    })
}

/// Adds a record to a run of words.
#[inline(always)]
pub fn encode(record: Record<'_>, words: &mut Vec<u32>) {
    let halves = |number: u64| [number as u32, (number >> 32) as u32];
    match record {
        Record::Leaf { node, reward } => {
            let [low, high] = halves(reward);
            words.extend_from_slice(&[node, low, high]);
        }
        Record::Path { edges, reward } => encode_path(edges.iter().copied(), reward, words),
        Record::Moves { node, first, codes } => {
            words.extend_from_slice(&[MOVES, node, first]);
            words.extend_from_slice(codes.0);
        }
        Record::Link { edge, node, frame } => {
            words.extend_from_slice(&[LINK, edge, node, frame]);
        }
        Record::Proven { node, outcome } => {
            words.extend_from_slice(&[RESULT, node, outcome_bits(outcome) as u32]);
        }
        Record::Known { node, visits, sum } => {
            let [low, high] = halves(sum);
            words.extend_from_slice(&[KNOWN, node, visits, low, high]);
        }
        Record::Chosen { edge, visits } => words.extend_from_slice(&[CHOSEN, edge, visits]),
        Record::Squares { node, squares } => {
            let [low, high] = halves(squares);
            words.extend_from_slice(&[SQUARES, 3, node, low, high]);
        }
        Record::Table { entries, verified } => {
            let [low, high] = halves(entries);
            words.extend_from_slice(&[TABLE, 3, low, high, verified.into()]);
        }
        Record::Entry { node, key, told } => {
            let [low, high] = halves(key);
            let len = if told.is_some() { 8 } else { 3 };
            words.extend_from_slice(&[ENTRY, len, node, low, high]);
            if let Some(told) = told {
                let [low, high] = halves(told.sum);
                let [low_squares, high_squares] = halves(told.squares);
                words.extend_from_slice(&[told.visits, low, high, low_squares, high_squares]);
            }
        }
        // Nobody tells what nobody knows.
        Record::Unknown { tag } => words.extend_from_slice(&[tag, 0]),
        Record::Begin => words.push(BEGIN),
        Record::End { early } => words.extend_from_slice(&[END, early.into()]),
    }
}

/// Adds a [`Record::Moves`] to a run of words. There are at most 65,535 moves, and of their codes 16 bits are kept.
#[inline]
pub fn encode_moves(
    node: u32,
    first: u32,
    mut codes: impl ExactSizeIterator<Item = u32>,
    words: &mut Vec<u32>,
) {
    let count = codes.len() as u32 & 0xffff;
    words.extend_from_slice(&[MOVES, node, first]);
    let mut low = count;
    for _ in 0..=count / 2 {
        let high = codes.next().unwrap_or(0);
        words.push(low & 0xffff | high << 16);
        low = codes.next().unwrap_or(0);
    }
}

/// Adds a [`Record::Path`] to a run of words.
#[inline]
pub fn encode_path(edges: impl ExactSizeIterator<Item = u32>, reward: u64, words: &mut Vec<u32>) {
    words.extend_from_slice(&[PATH, edges.len() as u32]);
    words.extend(edges);
    words.extend_from_slice(&[reward as u32, (reward >> 32) as u32]);
}

/// Collects what one thread has to tell.
pub(super) struct Teller<'a> {
    observer: Option<&'a dyn Observer>,
    words: Vec<u32>,
}

impl<'a> Teller<'a> {
    /// A run is handed over when it has so many words.
    const RUN: usize = 1 << 14;

    pub(super) fn new(observer: Option<&'a dyn Observer>) -> Self {
        Self {
            observer,
            words: Vec::new(),
        }
    }

    /// Whether somebody hears.
    #[inline(always)]
    pub(super) fn is_heard(&self) -> bool {
        self.observer.is_some()
    }

    #[cold]
    pub(super) fn hand_over(&mut self) {
        if let Some(observer) = self.observer
            && !self.words.is_empty()
        {
            self.words = observer.hear(std::mem::take(&mut self.words));
            self.words.reserve(Self::RUN + 1024);
        }
    }

    /// Says which moves a node got; see [`Record::Moves`].
    pub(super) fn tell_moves(
        &mut self,
        node: u32,
        first: u32,
        codes: impl ExactSizeIterator<Item = u32>,
    ) {
        encode_moves(node, first, codes, &mut self.words);
        self.check();
    }

    /// Says along which moves an iteration went; see [`Record::Path`].
    pub(super) fn tell_path(&mut self, edges: impl ExactSizeIterator<Item = u32>, reward: u64) {
        encode_path(edges, reward, &mut self.words);
        self.check();
    }

    /// Says something. A search says so at every iteration, and a record that is put together only to be taken apart again
    /// takes longer than the words.
    #[inline(always)]
    pub(super) fn tell(&mut self, record: Record<'_>) {
        encode(record, &mut self.words);
        self.check();
    }

    #[inline(always)]
    fn check(&mut self) {
        if self.words.len() >= Self::RUN {
            self.hand_over();
        }
    }
}
