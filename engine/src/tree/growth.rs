//! STEM.growth: the journal of how a tree grew, from which the tree after any iteration can be rebuilt.
//!
//! ```text
//! header   8 bytes   "CANOPYG1"
//!          4         bit 0: a graph; bit 1: moves that were never followed are not shown; bits 2-3: positions are
//!                    grouped by no symmetry (0), rotations (1), rotations and reflections (2); bit 4: and by colours
//!          4         the number of the root
//!          8         how many bytes of records are complete; what lies behind them is to be ignored
//!          4         the version: 1; in journals of version 0 there are no records with a length
//!          4         0
//! records            words of 4 bytes, the least significant byte first; rewards and sums have two words, 1 being 2^32
//! ```
//!
//! The records are the words of the search itself, with its own numbers for nodes and moves: see
//! [`crate::search::growth`]. Runs of different threads follow each other as they come, and so a record may speak of
//! something that is only made in a later one. The reader sees to that: see `grower`.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use byteorder::{ByteOrder as _, LittleEndian};

use super::{TreeError, files::create_hidden, grower::Grower, writer::publish_new};
use crate::{
    games::Outcome,
    search::growth::{Entry, Record, TAGS, TORN, VERSION, encode},
};

const MAGIC: &[u8; 8] = b"CANOPYG1";
pub(super) const HEADER: u64 = 32;
const COMMITTED: u64 = 16;
const VERSION_AT: usize = 24;
/// No node, and no time.
pub(super) const NONE: u32 = u32::MAX;
/// No join yet, but there may be one.
pub(super) const LEAF: u32 = NONE - 1;

/// What a journal says of the whole search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// Whether nodes may be reached in more ways than one.
    pub graph: bool,
    /// Whether moves that were never followed are not shown.
    pub hides_unvisited: bool,
    /// 0 for no grouping by symmetries, 1 for rotations, 2 for reflections too.
    pub grouping: u8,
    /// Whether positions are grouped by an exchange of colours.
    pub invert_colours: bool,
}

impl Kind {
    fn to_bits(self) -> u32 {
        u32::from(self.graph)
            | u32::from(self.hides_unvisited) << 1
            | u32::from(self.grouping) << 2
            | u32::from(self.invert_colours) << 4
    }

    pub(super) fn from_bits(bits: u32) -> Option<Self> {
        let kind = Self {
            graph: bits & 1 == 1,
            hides_unvisited: bits >> 1 & 1 == 1,
            grouping: (bits >> 2 & 3) as u8,
            invert_colours: bits >> 4 & 1 == 1,
        };
        (bits < 32 && kind.grouping < 3).then_some(kind)
    }
}

/// Writes a journal.
pub struct JournalWriter {
    file: File,
    /// Bytes of records in the file, and of those that its header tells of.
    written: u64,
    committed: u64,
    most: u64,
    over: bool,
}

impl JournalWriter {
    /// A journal of at most `most` bytes in a new file; an error if there is one of that name. The file has its name only
    /// when its header is there.
    pub fn create(path: &Path, kind: Kind, root: u32, most: u64) -> io::Result<Self> {
        let mut header = [0; HEADER as usize];
        header[..8].copy_from_slice(MAGIC);
        LittleEndian::write_u32(&mut header[8..], kind.to_bits());
        LittleEndian::write_u32(&mut header[12..], root);
        LittleEndian::write_u32(&mut header[VERSION_AT..], VERSION);
        let (mut file, temporary) = create_hidden(path)?;
        let named = file
            .write_all(&header)
            .and_then(|()| publish_new(&temporary, path));
        if let Err(error) = named {
            let _ = std::fs::remove_file(&temporary);
            return Err(error);
        }
        Ok(Self {
            file,
            written: 0,
            committed: 0,
            most,
            over: false,
        })
    }

    /// Adds whole records, whose words may get another order of their bytes. When the journal would get too long it ends.
    pub fn add(&mut self, words: &mut [u32]) -> io::Result<()> {
        // The end record must fit too.
        if self.written + 4 * words.len() as u64 + 8 > self.most {
            return self.end(true);
        }
        self.put(words)
    }

    /// Ends the journal; `early` if the search goes on without it.
    pub fn end(&mut self, early: bool) -> io::Result<()> {
        let mut words = Vec::new();
        encode(Record::End { early }, &mut words);
        self.put(&mut words)?;
        self.over = true;
        self.commit()
    }

    fn put(&mut self, words: &mut [u32]) -> io::Result<()> {
        if self.over {
            return Ok(());
        }
        for word in words.iter_mut() {
            *word = word.to_le();
        }
        let bytes: &[u8] = bytemuck::cast_slice(words);
        self.file.seek(SeekFrom::Start(HEADER + self.written))?;
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Says in the header what there is.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.committed < self.written {
            self.file.seek(SeekFrom::Start(COMMITTED))?;
            self.file.write_all(&self.written.to_le_bytes())?;
            self.committed = self.written;
        }
        Ok(())
    }
}

/// How a tree grew. Times are numbers of completed iterations: what happened in the first iteration has time 1, what was
/// there before has time 0. Nodes and moves are numbered from 0 in the order in which they were made, the root being node
/// 0. In a tree move m leads to node m + 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// What the header says.
    pub kind: Kind,
    /// By node: its moves, as a range of move numbers, and since when it has them.
    pub(super) moves: Vec<(u32, u32)>,
    pub(super) expanded: Vec<u32>,
    /// By move: its code and the node it is made at.
    pub(super) codes: Vec<u16>,
    pub(super) parents: Vec<u32>,
    /// By move, in a graph: the node it leads to, since when, and its frame.
    pub(super) targets: Vec<u32>,
    pub(super) linked: Vec<u32>,
    pub(super) frames: Vec<u8>,
    /// In a graph, the leaves that joined a node, in the order of time; and by move which of them it led to before, [`LEAF`]
    /// if it leads to a leaf of its own, and [`NONE`] otherwise.
    pub(super) joins: Vec<Join>,
    pub(super) joined: Vec<u32>,
    /// By node and, in a graph, by move: what was known before.
    pub(super) known: Vec<(u32, u64)>,
    pub(super) chosen: Vec<u32>,
    /// By node of which something was known before: the squares of its rewards; none if the search adds up no squares, or if
    /// they cannot be known.
    pub(super) squares: Option<HashMap<u32, u64>>,
    /// The table of positions from which means come, if there is one and the journal tells of it.
    pub(super) table: Option<PositionTable>,
    /// By node: the certain result, and since when.
    pub(super) results: Vec<Option<(u32, Outcome)>>,
    /// By iteration: the leaf, or in a graph where its path ends in `paths`; and its reward.
    pub(super) leaves: Vec<u32>,
    pub(super) rewards: Vec<u64>,
    pub(super) paths: Vec<u32>,
    /// Whether the journal has ended, and if so whether early.
    pub(super) ended: Option<bool>,
}

/// Which nodes have which entries in a table of positions. Entries are numbered from 0 in the order in which they are met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PositionTable {
    /// How many entries the search's table has.
    size: u64,
    /// Whether an entry is of one key at a time.
    pub(super) verified: bool,
    /// By place in the search's table: our number.
    numbers: HashMap<u64, u32>,
    /// By node, in `visited`; [`NONE`] or missing if it was never visited.
    by_node: Vec<u32>,
    /// The entries and keys of visited nodes.
    visited: Vec<(u32, u64)>,
    /// What entries were told that the journal does not tell: when it was seen, by which of `visited`, and what; in the
    /// order of time.
    pub(super) told: Vec<(u32, u32, Entry)>,
}

impl PositionTable {
    pub(super) fn new(size: u64, verified: bool) -> Self {
        Self {
            size,
            verified,
            numbers: HashMap::new(),
            by_node: Vec::new(),
            visited: Vec::new(),
            told: Vec::new(),
        }
    }

    /// The bytes it takes in memory.
    fn bytes(&self) -> usize {
        self.numbers.capacity() * 19
            + self.by_node.capacity() * size_of::<u32>()
            + self.visited.capacity() * size_of::<(u32, u64)>()
            + self.told.capacity() * size_of::<(u32, u32, Entry)>()
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The entry of a node and its key, if it was visited.
    pub(super) fn of_node(&self, node: u32) -> Option<(u32, u64)> {
        let place = *self.by_node.get(node as usize)?;
        self.visited.get(place as usize).copied()
    }

    /// The entry and key of one that was told of.
    pub(super) fn of_visited(&self, place: u32) -> (u32, u64) {
        self.visited[place as usize]
    }

    /// A node is visited for the first time at this time, and the table was told so much of its position before. Two threads
    /// may say so; false if they differ.
    pub(super) fn visit(&mut self, node: u32, key: u64, at: u32, told: Option<Entry>) -> bool {
        if let Some((_, known)) = self.of_node(node) {
            return known == key;
        }
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(key % self.size).or_insert(next);
        let place = self.visited.len() as u32;
        if self.by_node.len() <= node as usize {
            self.by_node.resize(node as usize + 1, NONE);
        }
        self.by_node[node as usize] = place;
        self.visited.push((number, key));
        self.told.extend(told.map(|told| (at, place, told)));
        true
    }
}

/// In a graph a leaf turned out to be the position of a node. What it was told counts there from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Join {
    /// When.
    pub(super) at: u32,
    /// The leaf.
    pub(super) leaf: u32,
    /// The node.
    pub(super) node: u32,
}

impl Growth {
    /// The node that a move of a graph led to after so many iterations, if it did.
    pub(super) fn target(&self, edge: u32, at: u32) -> Option<u32> {
        let index = edge as usize;
        if self.linked[index] > at {
            return None;
        }
        Some(match self.joins.get(self.joined[index] as usize) {
            Some(join) if join.at > at => join.leaf,
            _ => self.targets[index],
        })
    }

    /// The iterations there are.
    pub fn iterations(&self) -> u32 {
        self.rewards.len() as u32
    }

    /// Whether the journal has ended; and if it has, whether the search went on without it.
    pub fn ended(&self) -> Option<bool> {
        self.ended
    }

    /// Whether there is a table of positions whose figures are known.
    pub fn has_table(&self) -> bool {
        self.table.is_some()
    }

    /// How many nodes there are in the end.
    pub fn nodes(&self) -> usize {
        self.expanded.len()
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        fn of<T>(list: &Vec<T>) -> usize {
            list.capacity() * size_of::<T>()
        }
        // What a hash map takes for an entry beside it is about a byte, and an eighth of the room is left empty.
        let squares = self.squares.as_ref().map_or(0, |map| map.capacity() * 19);
        let table = self.table.as_ref().map_or(0, PositionTable::bytes);
        squares
            + table
            + of(&self.moves)
            + of(&self.expanded)
            + of(&self.codes)
            + of(&self.parents)
            + of(&self.targets)
            + of(&self.linked)
            + of(&self.frames)
            + of(&self.joins)
            + of(&self.joined)
            + of(&self.known)
            + of(&self.chosen)
            + of(&self.results)
            + of(&self.leaves)
            + of(&self.rewards)
            + of(&self.paths)
    }

    /// Reads a journal from its beginning, as far as it is complete.
    pub fn read(mut input: impl Read) -> Result<Self, TreeError> {
        let header = read_header(&mut input)?;
        let mut grower = Grower::new(header.kind, header.root, header.version);
        read_records(&mut grower, input, header.committed)?;
        Ok(grower.into_growth())
    }
}

/// What the header of a journal says.
struct Header {
    kind: Kind,
    root: u32,
    version: u32,
    committed: u64,
}

fn read_header(input: &mut impl Read) -> Result<Header, TreeError> {
    let mut header = [0; HEADER as usize];
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
    let kind = Kind::from_bits(bits)
        .ok_or_else(|| TreeError::at_byte(8, format!("unknown kind of journal: {bits:#x}")))?;
    let root = LittleEndian::read_u32(&header[12..]);
    if root >= TAGS {
        let problem = format!("the root is node {root}: expected a number below {TAGS}");
        return Err(TreeError::at_byte(12, problem));
    }
    let committed = LittleEndian::read_u64(&header[16..]);
    Ok(Header {
        kind,
        root,
        version: LittleEndian::read_u32(&header[VERSION_AT..]),
        committed,
    })
}

/// So much of a journal is read at a time.
const PIECE: usize = 1 << 20;

/// Reads on: records up to `committed` bytes in all.
fn read_records(
    grower: &mut Grower,
    mut input: impl Read,
    committed: u64,
) -> Result<(), TreeError> {
    // What a liar promises is not worth the memory for it: it grows with what there is.
    const FIRST: usize = 1 << 14;
    let begin = HEADER + grower.read();
    let wanted = committed - grower.read();
    let mut words: Vec<u32> = Vec::new();
    while (words.len() as u64) < wanted / 4 {
        let before = words.len();
        let left = wanted / 4 - before as u64;
        let more = left.min(before.max(FIRST) as u64) as usize;
        words.resize(before + more, 0);
        let room: &mut [u8] = bytemuck::cast_slice_mut(&mut words[before..]);
        let got = fill(&mut input, room)?;
        if got < room.len() {
            let at = begin + 4 * before as u64 + got as u64;
            return Err(ends_early(at, committed));
        }
    }
    for word in &mut words {
        *word = u32::from_le(*word);
    }
    grower.read_words(&words)?;
    if grower.read() < committed {
        return Err(TreeError::at_byte(HEADER + grower.read(), TORN));
    }
    Ok(())
}

fn ends_early(at: u64, committed: u64) -> TreeError {
    TreeError::at_byte(
        at,
        format!("the file ends, but its header promises {committed} bytes of records"),
    )
}

/// Reads until the room is full or there is no more; how many bytes it was.
fn fill(input: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < room.len() {
        match input.read(&mut room[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// A journal whose records are read piece by piece, wherever they stand.
pub(super) struct JournalFile {
    file: File,
    header: Header,
}

impl JournalFile {
    pub(super) fn open(path: &Path) -> Result<Self, TreeError> {
        let mut file = File::open(path)?;
        let header = read_header(&mut file)?;
        Ok(Self { file, header })
    }

    pub(super) fn kind(&self) -> Kind {
        self.header.kind
    }

    pub(super) fn root(&self) -> u32 {
        self.header.root
    }

    /// How many bytes of records are complete.
    pub(super) fn committed(&self) -> u64 {
        self.header.committed
    }

    /// Looks again how many they are.
    pub(super) fn refresh(&mut self) -> Result<(), TreeError> {
        let mut committed = [0; 8];
        self.file.seek(SeekFrom::Start(COMMITTED))?;
        self.file.read_exact(&mut committed)?;
        self.header.committed = u64::from_le_bytes(committed).max(self.header.committed);
        Ok(())
    }

    /// How many bytes the file really has.
    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |meta| meta.len())
    }

    /// Reads the words from a byte of the records on: at most so many bytes, and only what is complete.
    pub(super) fn read_words(
        &self,
        at: u64,
        most: usize,
        words: &mut Vec<u32>,
    ) -> Result<(), TreeError> {
        let left = self.committed().saturating_sub(at) / 4;
        words.clear();
        words.resize(left.min(most as u64 / 4) as usize, 0);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(HEADER + at))?;
        let room: &mut [u8] = bytemuck::cast_slice_mut(words);
        let got = fill(&mut file, room)?;
        if got < room.len() {
            return Err(ends_early(HEADER + at + got as u64, self.committed()));
        }
        for word in words {
            *word = u32::from_le(*word);
        }
        Ok(())
    }
}

/// A journal that is read while it is written.
pub struct Follower {
    file: JournalFile,
    grower: Grower,
    words: Vec<u32>,
    /// Bytes that are read at a time.
    piece: usize,
}

impl Follower {
    /// Opens a journal and reads what is complete.
    pub fn open(path: &Path) -> Result<Self, TreeError> {
        let mut follower = Self::begin(JournalFile::open(path)?, PIECE);
        follower.read_on()?;
        Ok(follower)
    }

    /// Nothing was read yet; so many bytes, or fewer, are read at a time.
    pub(super) fn begin(file: JournalFile, piece: usize) -> Self {
        Self {
            grower: Grower::new(file.kind(), file.root(), file.header.version),
            file,
            words: Vec::new(),
            piece: piece.clamp(1 << 14, PIECE),
        }
    }

    /// Reads what was added since; whether there was anything.
    pub fn poll(&mut self) -> Result<bool, TreeError> {
        self.file.refresh()?;
        let is_more = self.is_behind();
        self.read_on()?;
        Ok(is_more)
    }

    fn read_on(&mut self) -> Result<(), TreeError> {
        while self.is_behind() {
            self.read_piece()?;
        }
        Ok(())
    }

    /// Whether there is something that was not read yet.
    pub(super) fn is_behind(&self) -> bool {
        self.grower.read() < self.file.committed()
    }

    /// Looks whether there is more, without reading it.
    pub(super) fn refresh(&mut self) -> Result<(), TreeError> {
        self.file.refresh()
    }

    /// Bytes of records that were read, and how many there are.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.grower.read(), self.file.committed())
    }

    /// Reads a piece of what there is.
    pub(super) fn read_piece(&mut self) -> Result<(), TreeError> {
        let mut piece = self.piece;
        loop {
            let at = self.grower.read();
            let left = self.file.committed() - at;
            self.file.read_words(at, piece, &mut self.words)?;
            self.grower.expect(self.file.length());
            if self.grower.read_words(&self.words)? > 0 {
                return Ok(());
            }
            // Not one record: it is longer than a piece, or it is torn.
            if left <= piece as u64 {
                return Err(TreeError::at_byte(HEADER + at, TORN));
            }
            piece *= 2;
        }
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.grower.bytes() + 4 * self.words.capacity()
    }

    /// What was read.
    pub fn growth(&self) -> &Growth {
        self.grower.growth()
    }

    /// What was read, to keep.
    pub fn into_growth(self) -> Growth {
        self.grower.into_growth()
    }
}
