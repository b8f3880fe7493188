//! Growth records: what a growth journal is made of, as 32-bit words.
//!
//! A search with an observer emits buffers of records. A buffer comes from one thread and is in that thread's order; buffers of
//! different threads interleave, so a record may name a node before the record that created it arrives. Node and edge ids are
//! those of the store, all below [`FIRST_TAG`].
//!
//! A record whose first word is below [`FIRST_TAG`] is an iteration of a tree: the id of the leaf, then the reward in two
//! words, low word first. Every other record begins with its tag:
//!
//! ```text
//! ffffff00 moves    node, first edge, then 16 bits each: number of moves, their codes; padded to whole words
//! ffffff01 link     edge, node, frame
//! ffffff02 path     number of edges, the edges, reward
//! ffffff03 result   node, 1 first player wins, 2 second player wins, 3 draw
//! ffffff04 known    node, visits, sum of rewards
//! ffffff05 chosen   edge, visits
//! ffffff06 begin
//! ffffff07 end      0 the search is over, 1 it continues unrecorded
//! ffffff08 squares  3, node, sum of squared rewards
//! ffffff09 table    3, entries, 1 if entries store their keys
//! ffffff0a entry    3 or 8, node, key; visits, sum, sum of squared rewards if the entry is in use
//! ffffff0b playout  number of words, 16 bits each: number of moves, their codes; directly before its iteration
//! ```
//!
//! From `ffffff08` on a tag is followed by the number of words in the rest of the record, so that readers can skip records
//! they do not know.

use super::mcts::{outcome_from_bits, outcome_to_bits};
use crate::games::{MoveCode, Outcome};

/// The smallest tag. Node and edge ids are smaller.
pub const FIRST_TAG: u32 = 0xffff_ff00;
const TAG_MOVES: u32 = FIRST_TAG;
const TAG_LINK: u32 = FIRST_TAG + 1;
const TAG_PATH: u32 = FIRST_TAG + 2;
const TAG_PROVEN: u32 = FIRST_TAG + 3;
const TAG_INHERITED_STATS: u32 = FIRST_TAG + 4;
const TAG_INHERITED_EDGE_VISITS: u32 = FIRST_TAG + 5;
const TAG_SEARCH_STARTED: u32 = FIRST_TAG + 6;
const TAG_END: u32 = FIRST_TAG + 7;
/// From this tag on, records state their length.
const FIRST_SIZED_TAG: u32 = FIRST_TAG + 8;
const TAG_INHERITED_SQUARES: u32 = FIRST_SIZED_TAG;
const TAG_TABLE: u32 = FIRST_SIZED_TAG + 1;
const TAG_TABLE_ENTRY: u32 = FIRST_SIZED_TAG + 2;
const TAG_PLAYOUT: u32 = FIRST_SIZED_TAG + 3;

/// Version of the record format. Version 0 had no records with a length, and so no sums of squares.
pub const GROWTH_FORMAT_VERSION: u32 = 1;

/// Receives the growth records of a search, from all of its threads.
pub trait GrowthObserver: Sync {
    /// Called once, before any record, with the root's id and the kind of tree. Bit 0: graph. Bit 1: edges that were never
    /// followed are not shown. Bits 2-3: symmetries that group positions: 0 none, 1 rotations, 2 rotations and reflections.
    /// Bit 4: positions with colours exchanged are grouped too.
    fn start(&self, root: u32, kind: u32);

    /// True if the moves of playouts are to be recorded too.
    fn wants_playouts(&self) -> bool {
        false
    }

    /// Takes a buffer of records, which [`decode`] reads. May return an old buffer for the caller to reuse.
    fn receive(&self, words: Vec<u32>) -> Vec<u32>;
}

/// A step in the growth of a tree or graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthRecord<'a> {
    /// A node was expanded. Its edges have consecutive ids from `first` on. In a tree an edge and the child it leads to have the
    /// same id.
    Moves {
        /// The expanded node.
        node: u32,
        /// Id of the first edge.
        first: u32,
        /// Codes of the moves, in edge order.
        codes: MoveCodes<'a>,
    },
    /// Graphs: an edge leads to a node. Threads that resolve the same edge at once both emit the record. A search with one
    /// thread may link an edge first to a leaf, whose id is the edge's own; a second link then names the transposition it
    /// turned out to be, and the leaf's statistics count there from then on.
    Link {
        /// The edge.
        edge: u32,
        /// The child.
        node: u32,
        /// Transformation from the position to the child's frame; see [`super::ReferenceFrame`].
        frame: u32,
    },
    /// An iteration of a tree.
    TreeIteration {
        /// The leaf where selection ended.
        node: u32,
        /// Reward for the first player of the root's frame, in units of 2^-32.
        reward: u64,
    },
    /// An iteration of a graph.
    GraphIteration {
        /// The edges of the path, from the root.
        edges: &'a [u32],
        /// Reward, as in [`Self::TreeIteration`].
        reward: u64,
    },
    /// A result was proven, in the node's frame.
    Proven {
        /// The node.
        node: u32,
        /// The proven result.
        outcome: Outcome,
    },
    /// A node's statistics from before this search.
    InheritedStats {
        /// The node.
        node: u32,
        /// Visits.
        visits: u32,
        /// Sum of rewards for the first player of the node's frame, in units of 2^-32.
        sum: u64,
    },
    /// Graphs: an edge's visits from before this search.
    InheritedEdgeVisits {
        /// The edge.
        edge: u32,
        /// Visits.
        visits: u32,
    },
    /// A node's sum of squared rewards from before this search. A search that keeps squares emits it at least for the root, any
    /// other search never.
    InheritedSquares {
        /// The node.
        node: u32,
        /// Sum of squared rewards for the first player of the node's frame.
        squares: u64,
    },
    /// Means come from a bounded transposition table (see [`super::mcts`]) of `entries` entries; key k has entry k mod
    /// `entries`.
    Table {
        /// Number of entries.
        entries: u64,
        /// True if an entry stores its key and starts over for another position.
        verified: bool,
    },
    /// Emitted before a node's first visit: the key of its position, which selects its table entry. Threads that arrive at once
    /// both emit it.
    TableEntry {
        /// The node.
        node: u32,
        /// The position's key.
        key: u64,
        /// The entry's statistics so far, from other paths or earlier searches; `None` if it is empty.
        stats: Option<RawTableEntry>,
    },
    /// The playout of the iteration whose record follows directly, if the observer wants playouts and there was one.
    Playout {
        /// Its moves from the leaf on, in the leaf's frame.
        codes: MoveCodes<'a>,
    },
    /// A record of a later version. Readers skip it.
    Unknown {
        /// The record's tag.
        tag: u32,
    },
    /// End of the inherited statistics. All records before it come from one thread.
    SearchStarted,
    /// End of the journal. Emitted by the journal writer, never by a search.
    End {
        /// True if the search continues unrecorded.
        truncated: bool,
    },
}

/// A table entry in fixed-point units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawTableEntry {
    /// Number of rewards.
    pub visits: u32,
    /// Sum of rewards for the first player, in units of 2^-32.
    pub sum: u64,
    /// Sum of squared rewards; 0 if the search keeps none.
    pub squares: u64,
}

/// Move codes (see [`crate::games::Game::move_to_bits`]), two to a word, after their number as the first half word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveCodes<'a>(&'a [u32]);

impl<'a> MoveCodes<'a> {
    /// Splits `words` into the codes at its beginning and the rest; `None` if they are incomplete.
    fn split(words: &'a [u32]) -> Option<(Self, &'a [u32])> {
        let count = *words.first()? as usize & 0xffff;
        let (codes, rest) = words.split_at_checked(1 + count / 2)?;
        Some((Self(codes), rest))
    }

    /// Number of moves.
    pub fn count(self) -> u32 {
        self.0[0] & 0xffff
    }

    /// The codes, in order.
    pub fn iter(self) -> impl Iterator<Item = MoveCode> + use<'a> {
        let halves = self
            .0
            .iter()
            .flat_map(|&word| [word as MoveCode, (word >> MoveCode::BITS) as MoveCode]);
        halves.skip(1).take(self.count() as usize)
    }
}

/// Error of [`decode`] for words that end within a record.
pub const TRUNCATED_RECORD: &str = "a record that is not complete";

/// Splits off the first record of a buffer; the error says what is wrong with it. Always inlined: decoding is twice as fast when
/// the record is matched on without being stored first.
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

/// Decodes a record with a length from the words after it. Extra words, of a later version, are ignored.
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
        (TAG_PLAYOUT, words) => {
            let (codes, _) = MoveCodes::split(words)
                .ok_or("a playout of more moves than its record has room for")?;
            GrowthRecord::Playout { codes }
        }
        (TAG_INHERITED_SQUARES | TAG_TABLE | TAG_TABLE_ENTRY, _) => {
            return Err(format!(
                "a record of {} words: expected 3 or more",
                words.len()
            ));
        }
        (tag, _) => GrowthRecord::Unknown { tag },
    })
}

/// Appends a record to a buffer. Always inlined, for the same reason as [`decode`].
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
        GrowthRecord::Playout { codes } => {
            words.extend_from_slice(&[TAG_PLAYOUT, codes.0.len() as u32]);
            words.extend_from_slice(codes.0);
        }
        // No search emits it: a record without content keeps the match total.
        GrowthRecord::Unknown { tag } => words.extend_from_slice(&[tag, 0]),
        GrowthRecord::SearchStarted => words.push(TAG_SEARCH_STARTED),
        GrowthRecord::End { truncated: early } => words.extend_from_slice(&[TAG_END, early.into()]),
    }
}

/// Appends a [`GrowthRecord::Moves`] to a buffer, of at most 65,535 moves.
#[inline]
pub fn encode_moves(
    node: u32,
    first: u32,
    codes: impl ExactSizeIterator<Item = MoveCode>,
    words: &mut Vec<u32>,
) {
    words.extend_from_slice(&[TAG_MOVES, node, first]);
    encode_codes(codes, words);
}

/// Appends move codes, two to a word, after their number as the first half word: the inverse of [`MoveCodes`].
#[inline]
fn encode_codes(mut codes: impl ExactSizeIterator<Item = MoveCode>, words: &mut Vec<u32>) {
    let count = codes.len() as MoveCode;
    let mut low = count;
    for _ in 0..=count / 2 {
        let high = codes.next().unwrap_or(0);
        words.push(u32::from(low) | u32::from(high) << MoveCode::BITS);
        low = codes.next().unwrap_or(0);
    }
}

/// Appends a [`GrowthRecord::Playout`] to a buffer; nothing if it has more than 65,535 moves.
pub fn encode_playout(codes: impl ExactSizeIterator<Item = MoveCode>, words: &mut Vec<u32>) {
    if codes.len() > usize::from(MoveCode::MAX) {
        return;
    }
    words.extend_from_slice(&[TAG_PLAYOUT, 1 + codes.len() as u32 / 2]);
    encode_codes(codes, words);
}

/// Appends a [`GrowthRecord::GraphIteration`] to a buffer.
#[inline]
pub fn encode_path(edges: impl ExactSizeIterator<Item = u32>, reward: u64, words: &mut Vec<u32>) {
    words.extend_from_slice(&[TAG_PATH, edges.len() as u32]);
    words.extend(edges);
    words.extend_from_slice(&[reward as u32, (reward >> 32) as u32]);
}

/// Collects the growth records of one thread. Push only if [`Self::is_enabled`]: without an observer the buffer is never emptied.
pub(super) struct GrowthBuffer<'a> {
    observer: Option<&'a dyn GrowthObserver>,
    words: Vec<u32>,
}

impl<'a> GrowthBuffer<'a> {
    /// Buffer length, in words, at which it is handed to the observer.
    const FLUSH_WORDS: usize = 1 << 14;

    pub(super) fn new(observer: Option<&'a dyn GrowthObserver>) -> Self {
        Self {
            observer,
            words: Vec::new(),
        }
    }

    /// True if there is an observer.
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

    /// Appends a [`GrowthRecord::Moves`].
    pub(super) fn push_moves(
        &mut self,
        node: u32,
        first: u32,
        codes: impl ExactSizeIterator<Item = MoveCode>,
    ) {
        encode_moves(node, first, codes, &mut self.words);
        self.flush_if_full();
    }

    /// Appends a [`GrowthRecord::Playout`]. The buffer is not handed over yet: nothing may come between it and its iteration.
    pub(super) fn push_playout(&mut self, codes: impl ExactSizeIterator<Item = MoveCode>) {
        encode_playout(codes, &mut self.words);
    }

    /// Appends a [`GrowthRecord::GraphIteration`].
    pub(super) fn push_path(&mut self, edges: impl ExactSizeIterator<Item = u32>, reward: u64) {
        encode_path(edges, reward, &mut self.words);
        self.flush_if_full();
    }

    /// Appends a record. Always inlined: it is called in every iteration, and storing the record would cost more than writing
    /// its words.
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
