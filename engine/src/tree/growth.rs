//! STEM.growth: the growth journal, from which the tree after any iteration can be rebuilt.
//!
//! ```text
//! header   8 bytes   "CANOPYG1"
//!          4         bit 0: a graph; bit 1: moves that were never followed are not shown; bits 2-3: positions are
//!                    grouped by no symmetry (0), rotations (1), rotations and reflections (2); bit 4: and by colours
//!          4         the number of the root
//!          8         committed length: bytes of complete records; ignore what follows them
//!          4         the version: 1; in journals of version 0 there are no records with a length
//!          4         0
//! records            4-byte words, little-endian; rewards and sums take two words, 1 being 2^32
//! ```
//!
//! The records are the search's own, with its numbers for nodes and moves: see [`crate::search::growth_records`]. Runs of
//! different threads are interleaved, so a record may refer to something that a later record creates; `growth_builder` holds
//! it back until then.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use byteorder::{ByteOrder as _, LittleEndian};

use super::{
    TreeError, files::create_temporary, growth_builder::GrowthBuilder,
    writer::rename_without_replacing,
};
use crate::{
    games::{MoveCode, Outcome},
    search::growth_records::{
        FIRST_TAG, GROWTH_FORMAT_VERSION, GrowthRecord, RawTableEntry, TRUNCATED_RECORD, decode,
        encode,
    },
};

const MAGIC: &[u8; 8] = b"CANOPYG1";
pub(super) const HEADER_BYTES: u64 = 32;
const COMMITTED_OFFSET: u64 = 16;
const VERSION_OFFSET: usize = 24;
/// No node, and no time.
pub(super) const NONE: u32 = u32::MAX;
/// No join yet, but there may be one.
pub(super) const LEAF: u32 = NONE - 1;

/// The header's flags: facts about the whole search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalKind {
    /// Whether a node may have several parents.
    pub is_graph: bool,
    /// Whether unvisited moves are left out of the tree.
    pub hides_unvisited: bool,
    /// 0 for no grouping by symmetries, 1 for rotations, 2 for reflections too.
    pub grouping: u8,
    /// Whether positions are grouped by an exchange of colours.
    pub invert_colours: bool,
}

impl JournalKind {
    fn to_bits(self) -> u32 {
        u32::from(self.is_graph)
            | u32::from(self.hides_unvisited) << 1
            | u32::from(self.grouping) << 2
            | u32::from(self.invert_colours) << 4
    }

    pub(super) fn from_bits(bits: u32) -> Option<Self> {
        let kind = Self {
            is_graph: bits & 1 == 1,
            hides_unvisited: bits >> 1 & 1 == 1,
            grouping: (bits >> 2 & 3) as u8,
            invert_colours: bits >> 4 & 1 == 1,
        };
        (bits < 32 && kind.grouping < 3).then_some(kind)
    }
}

/// Writes a journal.
pub struct GrowthJournalWriter {
    file: File,
    /// Bytes of records in the file, and bytes of records committed in its header.
    written: u64,
    committed: u64,
    max_bytes: u64,
    has_ended: bool,
}

impl GrowthJournalWriter {
    /// A journal of at most `most` bytes in a new file; an error if there is one of that name. The file has its name only
    /// when its header is there.
    pub fn create(path: &Path, kind: JournalKind, root: u32, max_bytes: u64) -> io::Result<Self> {
        let mut header = [0; HEADER_BYTES as usize];
        header[..8].copy_from_slice(MAGIC);
        LittleEndian::write_u32(&mut header[8..], kind.to_bits());
        LittleEndian::write_u32(&mut header[12..], root);
        LittleEndian::write_u32(&mut header[VERSION_OFFSET..], GROWTH_FORMAT_VERSION);
        let (mut file, temporary) = create_temporary(path)?;
        let named = file
            .write_all(&header)
            .and_then(|()| rename_without_replacing(&temporary, path));
        if let Err(error) = named {
            let _ = std::fs::remove_file(&temporary);
            return Err(error);
        }
        Ok(Self {
            file,
            written: 0,
            committed: 0,
            max_bytes,
            has_ended: false,
        })
    }

    /// Adds whole records, whose words may get another order of their bytes. When the journal would get too long it ends.
    pub fn append(&mut self, words: &mut [u32]) -> io::Result<()> {
        // The end record must fit too.
        if self.written + 4 * words.len() as u64 + 8 > self.max_bytes {
            return self.end(true);
        }
        self.write_words(words)
    }

    /// Ends the journal; `early` if the search goes on without it.
    pub fn end(&mut self, early: bool) -> io::Result<()> {
        let mut words = Vec::new();
        encode(GrowthRecord::End { truncated: early }, &mut words);
        self.write_words(&mut words)?;
        self.has_ended = true;
        self.commit()
    }

    fn write_words(&mut self, words: &mut [u32]) -> io::Result<()> {
        if self.has_ended {
            return Ok(());
        }
        for word in words.iter_mut() {
            *word = word.to_le();
        }
        let bytes: &[u8] = bytemuck::cast_slice(words);
        self.file
            .seek(SeekFrom::Start(HEADER_BYTES + self.written))?;
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Writes the committed length to the header.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.committed < self.written {
            self.file.seek(SeekFrom::Start(COMMITTED_OFFSET))?;
            self.file.write_all(&self.written.to_le_bytes())?;
            self.committed = self.written;
        }
        Ok(())
    }
}

/// The growth of a tree, in memory. Times are numbers of completed iterations: the first iteration has time 1, the inherited
/// tree time 0. Nodes and moves are numbered from 0 in order of creation, the root being node 0. In a tree, move m leads to
/// node m + 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// The header's flags.
    pub kind: JournalKind,
    /// By node: its moves, as a range of move numbers, and since when it has them.
    pub(super) moves: Vec<(u32, u32)>,
    pub(super) expanded_at: Vec<u32>,
    /// By move: its code and the node it is made at.
    pub(super) codes: Vec<MoveCode>,
    pub(super) parents: Vec<u32>,
    /// By move, in a graph: the node it leads to, since when, and its frame.
    pub(super) targets: Vec<u32>,
    pub(super) linked_at: Vec<u32>,
    pub(super) frames: Vec<u8>,
    /// In a graph, the leaves that joined a node, in the order of time; and by move which of them it led to before, [`LEAF`]
    /// if it leads to a leaf of its own, and [`NONE`] otherwise.
    pub(super) merges: Vec<LeafMerge>,
    pub(super) merge_of_edge: Vec<u32>,
    /// By node and, in a graph, by move: visits and reward sum inherited from the search before.
    pub(super) inherited: Vec<(u32, u64)>,
    pub(super) inherited_edge_visits: Vec<u32>,
    /// By inherited node: the sum of squared rewards. None if the search keeps no squares, or they are unknown.
    pub(super) squares: Option<HashMap<u32, u64>>,
    /// The transposition table that supplies the means, if the journal records one.
    pub(super) table: Option<PositionTable>,
    /// By node: the iteration since which the result is proven, and the result.
    pub(super) proven: Vec<Option<(u32, Outcome)>>,
    /// By iteration: the leaf, or in a graph where its path ends in `paths`; and its reward.
    pub(super) leaves: Vec<u32>,
    pub(super) rewards: Vec<u64>,
    pub(super) paths: Vec<u32>,
    /// By iteration, as far as one is known: where its playout's record stands, in words; [`NONE`] without playout.
    pub(super) playouts: Vec<u32>,
    /// Set when the journal has ended; true if it ended before the search.
    pub(super) ended: Option<bool>,
}

/// The transposition table's entries by node. Entries are numbered from 0 in the order in which they occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PositionTable {
    /// Number of entries of the search's table.
    size: u64,
    /// Whether an entry holds one key at a time.
    pub(super) verified: bool,
    /// By place in the search's table: our number.
    entry_indices: HashMap<u64, u32>,
    /// By node, in `visited`; [`NONE`] or missing if it was never visited.
    by_node: Vec<u32>,
    /// The entries and keys of visited nodes.
    visited: Vec<(u32, u64)>,
    /// Content of entries from before the journal, in order of time: the iteration at which it was seen, the index into
    /// `visited`, and the content.
    pub(super) seeds: Vec<(u32, u32, RawTableEntry)>,
}

impl PositionTable {
    pub(super) fn new(size: u64, verified: bool) -> Self {
        Self {
            size,
            verified,
            entry_indices: HashMap::new(),
            by_node: Vec::new(),
            visited: Vec::new(),
            seeds: Vec::new(),
        }
    }

    /// The bytes it takes in memory.
    fn bytes(&self) -> usize {
        self.entry_indices.capacity() * 19
            + self.by_node.capacity() * size_of::<u32>()
            + self.visited.capacity() * size_of::<(u32, u64)>()
            + self.seeds.capacity() * size_of::<(u32, u32, RawTableEntry)>()
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.entry_indices.len()
    }

    /// The entry of a node and its key, if it was visited.
    pub(super) fn entry_of_node(&self, node: u32) -> Option<(u32, u64)> {
        self.visited_entry(*self.by_node.get(node as usize)?)
    }

    /// The entry and key at an index of `visited`.
    pub(super) fn visited_entry(&self, place: u32) -> Option<(u32, u64)> {
        self.visited.get(place as usize).copied()
    }

    /// Records the first visit of a node, and the content its table entry had before. Two threads may record the same visit;
    /// false if they disagree.
    pub(super) fn visit(
        &mut self,
        node: u32,
        key: u64,
        at: u32,
        told: Option<RawTableEntry>,
    ) -> bool {
        if let Some((_, known)) = self.entry_of_node(node) {
            return known == key;
        }
        let next = self.entry_indices.len() as u32;
        let number = *self.entry_indices.entry(key % self.size).or_insert(next);
        let place = self.visited.len() as u32;
        if self.by_node.len() <= node as usize {
            self.by_node.resize(node as usize + 1, NONE);
        }
        if let Some(slot) = self.by_node.get_mut(node as usize) {
            *slot = place;
        }
        self.visited.push((number, key));
        self.seeds.extend(told.map(|told| (at, place, told)));
        true
    }
}

/// A leaf of a graph that turned out to be an existing node's position: its visits count for that node from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeafMerge {
    /// When.
    pub(super) iteration: u32,
    /// The leaf.
    pub(super) leaf: u32,
    /// The node.
    pub(super) node: u32,
}

impl Growth {
    /// The node that a graph's move led to after `at` iterations; none if it led nowhere yet.
    pub(super) fn target_at(&self, edge: u32, at: u32) -> Option<u32> {
        let index = edge as usize;
        if *self.linked_at.get(index)? > at {
            return None;
        }
        let merge = *self.merge_of_edge.get(index)?;
        match self.merges.get(merge as usize) {
            Some(join) if join.iteration > at => Some(join.leaf),
            _ => self.targets.get(index).copied(),
        }
    }

    /// The iterations there are.
    pub fn iterations(&self) -> u32 {
        self.rewards.len() as u32
    }

    /// None while the journal grows; true if it ended before the search.
    pub fn ended(&self) -> Option<bool> {
        self.ended
    }

    /// Number of iterations whose playout is recorded.
    pub fn recorded_playouts(&self) -> usize {
        let is_recorded = |&&offset: &&u32| offset != NONE;
        self.playouts.iter().filter(is_recorded).count()
    }

    /// Whether the statistics of a transposition table are known.
    pub fn has_table(&self) -> bool {
        self.table.is_some()
    }

    /// Number of nodes after the last iteration.
    pub fn nodes(&self) -> usize {
        self.expanded_at.len()
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        fn of<T>(list: &Vec<T>) -> usize {
            list.capacity() * size_of::<T>()
        }
        // A hash map takes about a byte per entry on top, and leaves an eighth of its room empty.
        let squares = self.squares.as_ref().map_or(0, |map| map.capacity() * 19);
        let table = self.table.as_ref().map_or(0, PositionTable::bytes);
        squares
            + table
            + of(&self.moves)
            + of(&self.expanded_at)
            + of(&self.codes)
            + of(&self.parents)
            + of(&self.targets)
            + of(&self.linked_at)
            + of(&self.frames)
            + of(&self.merges)
            + of(&self.merge_of_edge)
            + of(&self.inherited)
            + of(&self.inherited_edge_visits)
            + of(&self.proven)
            + of(&self.leaves)
            + of(&self.rewards)
            + of(&self.paths)
            + of(&self.playouts)
    }

    /// Reads a journal from its beginning, as far as it is complete.
    pub fn read(mut input: impl Read) -> Result<Self, TreeError> {
        let header = read_header(&mut input)?;
        let mut builder = GrowthBuilder::new(header.kind, header.root, header.version);
        read_records(&mut builder, input, header.committed)?;
        Ok(builder.into_growth())
    }
}

/// The header of a growth journal.
struct JournalHeader {
    kind: JournalKind,
    root: u32,
    version: u32,
    committed: u64,
}

fn read_header(input: &mut impl Read) -> Result<JournalHeader, TreeError> {
    let mut header = [0; HEADER_BYTES as usize];
    input.read_exact(&mut header).map_err(|error| {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            TreeError::at_byte(0, "the file ends inside its header of 32 bytes")
        } else {
            error.into()
        }
    })?;
    if header[..8] != *MAGIC {
        return Err(TreeError::at_byte(0, "not a journal: expected CANOPYG1"));
    }
    let bits = LittleEndian::read_u32(&header[8..]);
    let kind = JournalKind::from_bits(bits)
        .ok_or_else(|| TreeError::at_byte(8, format!("unknown kind of journal: {bits:#x}")))?;
    let root = LittleEndian::read_u32(&header[12..]);
    if root >= FIRST_TAG {
        let problem = format!("the root is node {root}: expected a number below {FIRST_TAG}");
        return Err(TreeError::at_byte(12, problem));
    }
    let committed = LittleEndian::read_u64(&header[16..]);
    Ok(JournalHeader {
        kind,
        root,
        version: LittleEndian::read_u32(&header[VERSION_OFFSET..]),
        committed,
    })
}

/// Upper bound of one read.
const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Reads on: records up to `committed` bytes in all.
fn read_records(
    builder: &mut GrowthBuilder,
    mut input: impl Read,
    committed: u64,
) -> Result<(), TreeError> {
    // A forged record count must not reserve memory: the buffer grows with the words actually read.
    const INITIAL_WORDS: usize = 1 << 14;
    let begin = HEADER_BYTES + builder.bytes_read();
    let wanted = committed - builder.bytes_read();
    let mut words: Vec<u32> = Vec::new();
    while (words.len() as u64) < wanted / 4 {
        let before = words.len();
        let left = wanted / 4 - before as u64;
        let more = left.min(before.max(INITIAL_WORDS) as u64) as usize;
        words.resize(before + more, 0);
        let new = words.get_mut(before..).unwrap_or_default();
        let room: &mut [u8] = bytemuck::cast_slice_mut(new);
        let got = read_full(&mut input, room)?;
        if got < room.len() {
            let at = begin + 4 * before as u64 + got as u64;
            return Err(truncated_error(at, committed));
        }
    }
    for word in &mut words {
        *word = u32::from_le(*word);
    }
    builder.read_words(&words)?;
    if builder.bytes_read() < committed {
        return Err(TreeError::at_byte(
            HEADER_BYTES + builder.bytes_read(),
            TRUNCATED_RECORD,
        ));
    }
    Ok(())
}

fn truncated_error(at: u64, committed: u64) -> TreeError {
    TreeError::at_byte(
        at,
        format!("the file ends, but its header promises {committed} bytes of records"),
    )
}

/// Reads until the buffer is full or the input ends; returns the bytes read.
fn read_full(input: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while let Some(rest) = room.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// A journal whose records are read piece by piece, wherever they stand.
pub(super) struct GrowthJournalFile {
    file: File,
    header: JournalHeader,
}

impl GrowthJournalFile {
    pub(super) fn open(path: &Path) -> Result<Self, TreeError> {
        let mut file = File::open(path)?;
        let header = read_header(&mut file)?;
        Ok(Self { file, header })
    }

    pub(super) fn kind(&self) -> JournalKind {
        self.header.kind
    }

    pub(super) fn root(&self) -> u32 {
        self.header.root
    }

    /// The committed length: bytes of complete records.
    pub(super) fn committed(&self) -> u64 {
        self.header.committed
    }

    /// Rereads the committed length.
    pub(super) fn refresh(&mut self) -> Result<(), TreeError> {
        let mut committed = [0; 8];
        self.file.seek(SeekFrom::Start(COMMITTED_OFFSET))?;
        self.file.read_exact(&mut committed)?;
        self.header.committed = u64::from_le_bytes(committed).max(self.header.committed);
        Ok(())
    }

    /// The file's actual length.
    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |meta| meta.len())
    }

    /// Reads committed words from byte `at` of the records on, at most `max_bytes` bytes.
    pub(super) fn read_words(
        &self,
        at: u64,
        max_bytes: usize,
        words: &mut Vec<u32>,
    ) -> Result<(), TreeError> {
        let left = self.committed().saturating_sub(at) / 4;
        words.clear();
        words.resize(left.min(max_bytes as u64 / 4) as usize, 0);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(HEADER_BYTES + at))?;
        let room: &mut [u8] = bytemuck::cast_slice_mut(words);
        let got = read_full(&mut file, room)?;
        if got < room.len() {
            return Err(truncated_error(
                HEADER_BYTES + at + got as u64,
                self.committed(),
            ));
        }
        for word in words {
            *word = u32::from_le(*word);
        }
        Ok(())
    }
}

/// A journal that is read while it is written.
pub struct JournalFollower {
    file: GrowthJournalFile,
    builder: GrowthBuilder,
    words: Vec<u32>,
    /// Bytes that are read at a time.
    chunk_bytes: usize,
}

impl JournalFollower {
    /// Opens a journal and reads its committed records.
    pub fn open(path: &Path) -> Result<Self, TreeError> {
        let mut follower = Self::new(GrowthJournalFile::open(path)?, MAX_CHUNK_BYTES);
        follower.read_all()?;
        Ok(follower)
    }

    /// A follower that has read nothing yet; it reads at most `chunk_bytes` at a time.
    pub(super) fn new(file: GrowthJournalFile, chunk_bytes: usize) -> Self {
        Self {
            builder: GrowthBuilder::new(file.kind(), file.root(), file.header.version),
            file,
            words: Vec::new(),
            chunk_bytes: chunk_bytes.clamp(1 << 14, MAX_CHUNK_BYTES),
        }
    }

    /// Reads newly committed records; true if there were any.
    pub fn poll(&mut self) -> Result<bool, TreeError> {
        self.file.refresh()?;
        let is_more = self.is_behind();
        self.read_all()?;
        Ok(is_more)
    }

    fn read_all(&mut self) -> Result<(), TreeError> {
        while self.is_behind() {
            self.read_chunk()?;
        }
        Ok(())
    }

    /// Whether committed records are still unread.
    pub(super) fn is_behind(&self) -> bool {
        self.builder.bytes_read() < self.file.committed()
    }

    /// Updates the committed length without reading records.
    pub(super) fn refresh(&mut self) -> Result<(), TreeError> {
        self.file.refresh()
    }

    /// Bytes of records read, and committed.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.builder.bytes_read(), self.file.committed())
    }

    /// Reads the next chunk of committed records.
    pub(super) fn read_chunk(&mut self) -> Result<(), TreeError> {
        let mut piece = self.chunk_bytes;
        loop {
            let at = self.builder.bytes_read();
            let left = self.file.committed() - at;
            self.file.read_words(at, piece, &mut self.words)?;
            self.builder.set_expected_bytes(self.file.length());
            if self.builder.read_words(&self.words)? > 0 {
                return Ok(());
            }
            // Not one record: it is longer than a piece, or it is torn.
            if left <= piece as u64 {
                return Err(TreeError::at_byte(HEADER_BYTES + at, TRUNCATED_RECORD));
            }
            piece *= 2;
        }
    }

    /// The codes of the moves of the playout of an iteration, from 0, in the leaf's frame; none if it is not recorded.
    pub(super) fn playout_codes(&self, iteration: u32) -> Result<Option<Vec<MoveCode>>, TreeError> {
        /// The words of a record of 65,535 moves.
        const MAX_RECORD_WORDS: usize = (1 << 15) + 2;
        let playouts = &self.growth().playouts;
        let Some(&offset) = (playouts.get(iteration as usize)).filter(|&&offset| offset != NONE)
        else {
            return Ok(None);
        };
        let at = 4 * u64::from(offset);
        let mut words = Vec::new();
        (self.file).read_words(at, 4 * MAX_RECORD_WORDS, &mut words)?;
        match decode(&words) {
            Ok((GrowthRecord::Playout { codes }, _)) => Ok(Some(codes.iter().collect())),
            _ => Err(TreeError::at_byte(
                HEADER_BYTES + at,
                "no playout here any more: the file was changed while it was read",
            )),
        }
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.builder.bytes() + 4 * self.words.capacity()
    }

    /// The growth read so far.
    pub fn growth(&self) -> &Growth {
        self.builder.growth()
    }

    /// The growth read so far, by value.
    pub fn into_growth(self) -> Growth {
        self.builder.into_growth()
    }
}
