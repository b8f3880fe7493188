//! How a tree grows, told as it happens, in the words of which a journal is made.
//!
//! A search that is asked to tell speaks in runs of words, each run from one thread and in its order; runs of different
//! threads mix, so that a node may be spoken of before the run in which it was made has arrived. Nodes and moves have
//! whatever numbers the store gives them, all below [`FIRST_TAG`].
//!
//! A record that begins with a word below [`FIRST_TAG`] is an iteration of a tree: the node in which it ended, and its reward,
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

use super::mcts::{outcome_from_bits, outcome_to_bits};
use crate::games::Outcome;

/// Words from here on are tags: the numbers of nodes and moves are below.
pub const FIRST_TAG: u32 = 0xffff_ff00;
const TAG_MOVES: u32 = FIRST_TAG;
const TAG_LINK: u32 = FIRST_TAG + 1;
const TAG_PATH: u32 = FIRST_TAG + 2;
const TAG_PROVEN: u32 = FIRST_TAG + 3;
const TAG_INHERITED_STATS: u32 = FIRST_TAG + 4;
const TAG_INHERITED_EDGE_VISITS: u32 = FIRST_TAG + 5;
const TAG_SEARCH_STARTED: u32 = FIRST_TAG + 6;
const TAG_END: u32 = FIRST_TAG + 7;
/// The tags from here on are followed by the length of their record.
const FIRST_SIZED_TAG: u32 = FIRST_TAG + 8;
const TAG_INHERITED_SQUARES: u32 = FIRST_SIZED_TAG;
const TAG_TABLE: u32 = FIRST_SIZED_TAG + 1;
const TAG_TABLE_ENTRY: u32 = FIRST_SIZED_TAG + 2;

/// The version of the words: 0 had no records with a length, and none of squares.
pub const GROWTH_FORMAT_VERSION: u32 = 1;

/// Hears how a tree grows.
pub trait GrowthObserver: Sync {
    /// Before anything else: the number of the root, and what kind of tree it is. Bit 0: a graph; bit 1: moves that were
    /// never followed are not shown; bits 2-3: the symmetries by which positions are grouped, none, rotations, reflections
    /// too; bit 4: and by an exchange of colours.
    fn start(&self, root: u32, kind: u32);

    /// Takes a run of words, which [`decode`] understands; it may give back room for the next.
    fn receive(&self, words: Vec<u32>) -> Vec<u32>;
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthRecord<'a> {
    /// A node got its moves, numbered one after the other from `first` on. In a tree a move and the node it leads to have
    /// the same number.
    Moves {
        /// The node.
        node: u32,
        /// The number of the first move.
        first: u32,
        /// The moves.
        codes: MoveCodes<'a>,
    },
    /// In a graph, a move was found to lead to a node. Two threads may find out at the same time, and both say so. When one
    /// thread works alone the node may be a leaf, which has the move's own number, until a second link says to which node it
    /// turned out to belong: what the leaf was told counts there from now on.
    Link {
        /// The move.
        edge: u32,
        /// The node.
        node: u32,
        /// How the node's frame comes from the position: see [`super::ReferenceFrame`].
        frame: u32,
    },
    /// An iteration in a tree.
    TreeIteration {
        /// The node in which the walk ended.
        node: u32,
        /// What it paid the first player of the root's frame; 1 is 2^32.
        reward: u64,
    },
    /// An iteration in a graph.
    GraphIteration {
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
    InheritedStats {
        /// The node.
        node: u32,
        /// Its visits.
        visits: u32,
        /// Its sum of rewards for the first player of its frame.
        sum: u64,
    },
    /// In a graph, how often a move had been followed before this search.
    InheritedEdgeVisits {
        /// The move.
        edge: u32,
        /// How often.
        visits: u32,
    },
    /// The squares of the rewards that were known of a node before this search. A search that adds up squares tells at least
    /// the root's; one that does not tells none.
    InheritedSquares {
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
    TableEntry {
        /// The node.
        node: u32,
        /// The key.
        key: u64,
        /// What the table was told of the position before, on other ways or in earlier searches.
        stats: Option<RawTableEntry>,
    },
    /// Something that a later version tells, and that can be left out.
    Unknown {
        /// Its tag.
        tag: u32,
    },
    /// All that was known before has been told. Up to here there is one thread.
    SearchStarted,
    /// Nothing more is told; no search says so, but who writes down what it says.
    End {
        /// Whether the search goes on.
        truncated: bool,
    },
}

/// What an entry of a table of positions was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawTableEntry {
    /// How many rewards.
    pub visits: u32,
    /// Their sum for the first player; 1 is 2^32.
    pub sum: u64,
    /// The sum of their squares; 0 if the search keeps none.
    pub squares: u64,
}

/// Moves, as [`crate::games::Game::move_to_bits`] numbers them: two to a word, and how many there are before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveCodes<'a>(&'a [u32]);

impl<'a> MoveCodes<'a> {
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
pub const TRUNCATED_RECORD: &str = "a record that is not complete";

/// The first record of a run of words, and the words behind it; a sentence if there is none. Who decodes many of them is
/// twice as fast if a record need not be put together before it is taken apart.
#[inline(always)]
pub fn decode(words: &[u32]) -> Result<(GrowthRecord<'_>, &[u32]), String> {
    fn take<const N: usize>(words: &[u32]) -> Result<([u32; N], &[u32]), String> {
        let (taken, rest) = words.split_first_chunk().ok_or_else(truncated_record)?;
        Ok((*taken, rest))
    }
    fn truncated_record() -> String {
        TRUNCATED_RECORD.to_owned()
    }
    let whole = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let ([tag], words) = take(words)?;
    Ok(match tag {
        TAG_MOVES => {
            let ([node, first], words) = take(words)?;
            let (codes, rest) = MoveCodes::split(words).ok_or_else(truncated_record)?;
            (GrowthRecord::Moves { node, first, codes }, rest)
        }
        TAG_LINK => {
            let ([edge, node, frame], rest) = take(words)?;
            (GrowthRecord::Link { edge, node, frame }, rest)
        }
        TAG_PATH => {
            let ([count], words) = take(words)?;
            let (edges, words) = words
                .split_at_checked(count as usize)
                .ok_or_else(truncated_record)?;
            let ([low, high], rest) = take(words)?;
            let reward = whole(low, high);
            (GrowthRecord::GraphIteration { edges, reward }, rest)
        }
        TAG_PROVEN => {
            let ([node, bits], rest) = take(words)?;
            let outcome = outcome_from_bits(bits.into()).filter(|_| bits < 4);
            let outcome =
                outcome.ok_or_else(|| format!("the result is {bits}: expected 1 to 3"))?;
            (GrowthRecord::Proven { node, outcome }, rest)
        }
        TAG_INHERITED_STATS => {
            let ([node, visits, low, high], rest) = take(words)?;
            let sum = whole(low, high);
            (GrowthRecord::InheritedStats { node, visits, sum }, rest)
        }
        TAG_INHERITED_EDGE_VISITS => {
            let ([edge, visits], rest) = take(words)?;
            (GrowthRecord::InheritedEdgeVisits { edge, visits }, rest)
        }
        TAG_SEARCH_STARTED => (GrowthRecord::SearchStarted, words),
        TAG_END => {
            let ([early], rest) = take(words)?;
            let early = early != 0;
            (GrowthRecord::End { truncated: early }, rest)
        }
        tag if tag >= FIRST_SIZED_TAG => {
            let ([len], words) = take(words)?;
            let (inside, rest) = words
                .split_at_checked(len as usize)
                .ok_or_else(truncated_record)?;
            (decode_sized(tag, inside)?, rest)
        }
        node => {
            let ([low, high], rest) = take(words)?;
            let reward = whole(low, high);
            (GrowthRecord::TreeIteration { node, reward }, rest)
        }
    })
}

/// A record that says how long it is, by the words behind its length. There may be more of them than this version knows.
#[inline(never)]
fn decode_sized(tag: u32, words: &[u32]) -> Result<GrowthRecord<'_>, String> {
    let whole = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    Ok(match (tag, words) {
        (TAG_INHERITED_SQUARES, &[node, low, high, ..]) => GrowthRecord::InheritedSquares {
            node,
            squares: whole(low, high),
        },
        (TAG_TABLE, &[low, high, verified, ..]) => GrowthRecord::Table {
            entries: whole(low, high),
            verified: verified != 0,
        },
        (TAG_TABLE_ENTRY, &[node, low, high, ref stats @ ..]) => GrowthRecord::TableEntry {
            node,
            key: whole(low, high),
            stats: match *stats {
                [visits, low, high, low_squares, high_squares, ..] => Some(RawTableEntry {
                    visits,
                    sum: whole(low, high),
                    squares: whole(low_squares, high_squares),
                }),
                _ => None,
            },
        },
        (TAG_INHERITED_SQUARES | TAG_TABLE | TAG_TABLE_ENTRY, _) => {
            return Err(format!(
                "a record of {} words: expected 3 or more",
                words.len()
            ));
        }
        (tag, _) => GrowthRecord::Unknown { tag },
    })
}

/// Adds a record to a run of words.
#[inline(always)]
pub fn encode(record: GrowthRecord<'_>, words: &mut Vec<u32>) {
    let halves = |number: u64| [number as u32, (number >> 32) as u32];
    match record {
        GrowthRecord::TreeIteration { node, reward } => {
            let [low, high] = halves(reward);
            words.extend_from_slice(&[node, low, high]);
        }
        GrowthRecord::GraphIteration { edges, reward } => {
            encode_path(edges.iter().copied(), reward, words)
        }
        GrowthRecord::Moves { node, first, codes } => {
            words.extend_from_slice(&[TAG_MOVES, node, first]);
            words.extend_from_slice(codes.0);
        }
        GrowthRecord::Link { edge, node, frame } => {
            words.extend_from_slice(&[TAG_LINK, edge, node, frame]);
        }
        GrowthRecord::Proven { node, outcome } => {
            words.extend_from_slice(&[TAG_PROVEN, node, outcome_to_bits(outcome) as u32]);
        }
        GrowthRecord::InheritedStats { node, visits, sum } => {
            let [low, high] = halves(sum);
            words.extend_from_slice(&[TAG_INHERITED_STATS, node, visits, low, high]);
        }
        GrowthRecord::InheritedEdgeVisits { edge, visits } => {
            words.extend_from_slice(&[TAG_INHERITED_EDGE_VISITS, edge, visits])
        }
        GrowthRecord::InheritedSquares { node, squares } => {
            let [low, high] = halves(squares);
            words.extend_from_slice(&[TAG_INHERITED_SQUARES, 3, node, low, high]);
        }
        GrowthRecord::Table { entries, verified } => {
            let [low, high] = halves(entries);
            words.extend_from_slice(&[TAG_TABLE, 3, low, high, verified.into()]);
        }
        GrowthRecord::TableEntry { node, key, stats } => {
            let [low, high] = halves(key);
            let len = if stats.is_some() { 8 } else { 3 };
            words.extend_from_slice(&[TAG_TABLE_ENTRY, len, node, low, high]);
            if let Some(stats) = stats {
                let [low, high] = halves(stats.sum);
                let [low_squares, high_squares] = halves(stats.squares);
                words.extend_from_slice(&[stats.visits, low, high, low_squares, high_squares]);
            }
        }
        // Nobody tells what nobody knows.
        GrowthRecord::Unknown { tag } => words.extend_from_slice(&[tag, 0]),
        GrowthRecord::SearchStarted => words.push(TAG_SEARCH_STARTED),
        GrowthRecord::End { truncated: early } => words.extend_from_slice(&[TAG_END, early.into()]),
    }
}

/// Adds a [`GrowthRecord::Moves`] to a run of words. There are at most 65,535 moves, and of their codes 16 bits are kept.
#[inline]
pub fn encode_moves(
    node: u32,
    first: u32,
    mut codes: impl ExactSizeIterator<Item = u32>,
    words: &mut Vec<u32>,
) {
    let count = codes.len() as u32 & 0xffff;
    words.extend_from_slice(&[TAG_MOVES, node, first]);
    let mut low = count;
    for _ in 0..=count / 2 {
        let high = codes.next().unwrap_or(0);
        words.push(low & 0xffff | high << 16);
        low = codes.next().unwrap_or(0);
    }
}

/// Adds a [`GrowthRecord::GraphIteration`] to a run of words.
#[inline]
pub fn encode_path(edges: impl ExactSizeIterator<Item = u32>, reward: u64, words: &mut Vec<u32>) {
    words.extend_from_slice(&[TAG_PATH, edges.len() as u32]);
    words.extend(edges);
    words.extend_from_slice(&[reward as u32, (reward >> 32) as u32]);
}

/// Collects what one thread has to tell.
pub(super) struct GrowthBuffer<'a> {
    observer: Option<&'a dyn GrowthObserver>,
    words: Vec<u32>,
}

impl<'a> GrowthBuffer<'a> {
    /// A run is handed over when it has so many words.
    const FLUSH_WORDS: usize = 1 << 14;

    pub(super) fn new(observer: Option<&'a dyn GrowthObserver>) -> Self {
        Self {
            observer,
            words: Vec::new(),
        }
    }

    /// Whether somebody hears.
    #[inline(always)]
    pub(super) fn is_enabled(&self) -> bool {
        self.observer.is_some()
    }

    #[cold]
    pub(super) fn flush(&mut self) {
        if let Some(observer) = self.observer
            && !self.words.is_empty()
        {
            self.words = observer.receive(std::mem::take(&mut self.words));
            self.words.reserve(Self::FLUSH_WORDS + 1024);
        }
    }

    /// Says which moves a node got; see [`GrowthRecord::Moves`].
    pub(super) fn push_moves(
        &mut self,
        node: u32,
        first: u32,
        codes: impl ExactSizeIterator<Item = u32>,
    ) {
        encode_moves(node, first, codes, &mut self.words);
        self.flush_if_full();
    }

    /// Says along which moves an iteration went; see [`GrowthRecord::GraphIteration`].
    pub(super) fn push_path(&mut self, edges: impl ExactSizeIterator<Item = u32>, reward: u64) {
        encode_path(edges, reward, &mut self.words);
        self.flush_if_full();
    }

    /// Says something. A search says so at every iteration, and a record that is put together only to be taken apart again
    /// takes longer than the words.
    #[inline(always)]
    pub(super) fn push(&mut self, record: GrowthRecord<'_>) {
        encode(record, &mut self.words);
        self.flush_if_full();
    }

    #[inline(always)]
    fn flush_if_full(&mut self) {
        if self.words.len() >= Self::FLUSH_WORDS {
            self.flush();
        }
    }
}
