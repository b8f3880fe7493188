//! STEM.growth: the journal of how a tree grew, from which the tree after any iteration can be rebuilt.
//!
//! ```text
//! header   8 bytes   "CANOPYG1"
//!          4         bit 0: a graph; bit 1: moves that were never followed are not shown; bits 2-3: positions are
//!                    grouped by no symmetry (0), rotations (1), rotations and reflections (2); bit 4: and by colours
//!          4         0
//!          8         how many bytes of records are complete; what lies behind them is to be ignored
//!          8         0
//! records            words of 4 bytes, the least significant byte first; rewards and sums have two words, 1 being 2^32
//! ```
//!
//! A record that begins with a word below `0xffffff00` is an iteration of a tree: the node in which it ended, and what it
//! paid the first player; every node from there up to the root is visited. Other records begin with one of these words:
//!
//! ```text
//! ffffff00 moves    node, number of moves, then a code of two bytes for each, filled up to whole words
//! ffffff01 link     move, node, frame: in a graph, the move leads to this node
//! ffffff02 path     number of moves, the moves, reward: an iteration of a graph
//! ffffff03 result   node, 1 the first player wins, 2 the second, 3 drawn: it is certain from now on
//! ffffff04 known    node, visits, sum: what was known of a node before this search
//! ffffff05 chosen   move, visits: in a graph, how often a move had been followed before this search
//! ffffff06 begin    what was known before has been told; the search begins
//! ffffff07 end      0 the search is over, 1 the journal stops early
//! ```
//!
//! Moves are numbered from 0 in the order in which they appear. The root is node 0. In a tree move m leads to node m + 1;
//! in a graph a link to the next number makes a new node.

use std::{
    fs::File,
    io::{self, Read, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use byteorder::{ByteOrder as _, LittleEndian};

use super::{TreeError, extra::outcome_of_code};
use crate::games::Outcome;

const MAGIC: &[u8; 8] = b"CANOPYG1";
const HEADER: u64 = 32;
const COMMITTED: u64 = 16;
/// Words from here on are tags.
const TAGS: u32 = 0xffff_ff00;
const MOVES: u32 = TAGS;
const LINK: u32 = TAGS + 1;
const PATH: u32 = TAGS + 2;
const RESULT: u32 = TAGS + 3;
const KNOWN: u32 = TAGS + 4;
const CHOSEN: u32 = TAGS + 5;
const BEGIN: u32 = TAGS + 6;
const END: u32 = TAGS + 7;
const ONE: u64 = 1 << 32;
/// No node, and no time.
pub(super) const NONE: u32 = u32::MAX;

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

/// Writes a journal, with the numbers that the file wants.
pub struct JournalWriter {
    file: File,
    buffer: Vec<u32>,
    /// Bytes of records in the file.
    written: u64,
    most: u64,
    over: bool,
}

impl JournalWriter {
    /// A journal of at most `most` bytes in a new file; an error if there is one of that name.
    pub fn create(path: &Path, kind: Kind, most: u64) -> io::Result<Self> {
        let mut file = File::options().write(true).create_new(true).open(path)?;
        let mut header = [0; HEADER as usize];
        header[..8].copy_from_slice(MAGIC);
        LittleEndian::write_u32(&mut header[8..], kind.to_bits());
        file.write_all(&header)?;
        Ok(Self {
            file,
            buffer: Vec::new(),
            written: 0,
            most,
            over: false,
        })
    }

    fn put(&mut self, words: &[u32]) {
        self.buffer.extend_from_slice(words);
    }

    fn put_long(&mut self, number: u64) {
        self.put(&[number as u32, (number >> 32) as u32]);
    }

    /// Whether nothing more is written.
    pub fn is_over(&self) -> bool {
        self.over
    }

    pub(super) fn moves(&mut self, node: u32, codes: &[u32]) {
        self.put(&[MOVES, node, codes.len() as u32]);
        let pairs = codes.chunks(2).map(|pair| match *pair {
            [low, high] => low & 0xffff | high << 16,
            _ => pair[0] & 0xffff,
        });
        self.buffer.extend(pairs);
    }

    pub(super) fn link(&mut self, edge: u32, node: u32, frame: u32) {
        self.put(&[LINK, edge, node, frame]);
    }

    pub(super) fn leaf(&mut self, node: u32, reward: u64) {
        self.put(&[node, reward as u32, (reward >> 32) as u32]);
    }

    pub(super) fn path(&mut self, edges: &[u32], reward: u64) {
        self.put(&[PATH, edges.len() as u32]);
        self.put(edges);
        self.put_long(reward);
    }

    pub(super) fn result(&mut self, node: u32, code: u8) {
        self.put(&[RESULT, node, code.into()]);
    }

    pub(super) fn known(&mut self, node: u32, visits: u32, sum: u64) {
        self.put(&[KNOWN, node, visits]);
        self.put_long(sum);
    }

    pub(super) fn chosen(&mut self, edge: u32, visits: u32) {
        self.put(&[CHOSEN, edge, visits]);
    }

    pub(super) fn begin(&mut self) {
        self.put(&[BEGIN]);
    }

    /// Puts what there is into the file, and then says so in its header. When the journal gets too long it ends here.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.over {
            self.buffer.clear();
            return Ok(());
        }
        // The end record must fit too.
        if self.written + 4 * self.buffer.len() as u64 + 8 > self.most {
            self.buffer.clear();
            return self.end(true);
        }
        self.flush()
    }

    /// Ends the journal; `early` if the search goes on without it.
    pub fn end(&mut self, early: bool) -> io::Result<()> {
        if !self.over {
            self.over = true;
            self.put(&[END, early.into()]);
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(HEADER + self.written))?;
        for word in &mut self.buffer {
            *word = word.to_le();
        }
        let bytes: &[u8] = bytemuck::cast_slice(&self.buffer);
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        self.buffer.clear();
        self.file.seek(SeekFrom::Start(COMMITTED))?;
        self.file.write_all(&self.written.to_le_bytes())
    }
}

/// How a tree grew. Times are numbers of completed iterations: what happened in the first iteration has time 1, what was
/// there before has time 0.
#[derive(Clone, Debug, Default)]
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
    /// By node and, in a graph, by move: what was known before.
    pub(super) known: Vec<(u32, u64)>,
    pub(super) chosen: Vec<u32>,
    /// By node: the certain result, and since when.
    pub(super) results: Vec<Option<(u32, Outcome)>>,
    /// By iteration: the leaf, or in a graph where its path ends in `paths`; and its reward.
    pub(super) leaves: Vec<u32>,
    pub(super) rewards: Vec<u64>,
    pub(super) paths: Vec<u32>,
    began: bool,
    /// Whether the journal has ended, and if so whether early.
    ended: Option<bool>,
    /// Bytes of records read so far.
    read: u64,
}

impl Growth {
    /// The iterations there are.
    pub fn iterations(&self) -> u32 {
        self.rewards.len() as u32
    }

    /// Whether the journal has ended; and if it has, whether the search went on without it.
    pub fn ended(&self) -> Option<bool> {
        self.ended
    }

    /// How many nodes there are in the end.
    pub fn nodes(&self) -> usize {
        self.expanded.len()
    }

    fn add_node(&mut self) {
        self.moves.push((0, 0));
        self.expanded.push(NONE);
        self.known.push((0, 0));
        self.results.push(None);
    }

    /// The time of what is told now.
    fn now(&self) -> u32 {
        self.iterations() + u32::from(self.began)
    }

    /// Reads a journal from its beginning, as far as it is complete.
    pub fn read(mut input: impl Read) -> Result<Self, TreeError> {
        let (mut growth, committed) = Self::read_header(&mut input)?;
        growth.read_records(input.take(committed), committed)?;
        Ok(growth)
    }

    fn read_header(input: &mut impl Read) -> Result<(Self, u64), TreeError> {
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
        let mut growth = Self {
            kind,
            ..Self::default()
        };
        growth.add_node();
        Ok((growth, LittleEndian::read_u64(&header[16..])))
    }

    /// Reads on: records up to `committed` bytes in all.
    fn read_records(&mut self, input: impl Read, committed: u64) -> Result<(), TreeError> {
        let mut bytes = Vec::new();
        let wanted = committed - self.read;
        input.take(wanted).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < wanted {
            return Err(TreeError::at_byte(
                HEADER + self.read + bytes.len() as u64,
                format!("the file ends, but its header promises {committed} bytes of records"),
            ));
        }
        let mut words = Words { bytes: &bytes };
        while !words.bytes.is_empty() {
            let before = bytes.len() - words.bytes.len();
            let at = HEADER + self.read + before as u64;
            self.record(&mut words)
                .map_err(|problem| TreeError::at_byte(at, problem))?;
        }
        self.read = committed;
        Ok(())
    }

    fn record(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        let tag = words.word()?;
        if self.ended.is_some() {
            return Err("a record after the end of the journal".to_owned());
        }
        match tag {
            MOVES => self.add_moves(words),
            LINK => self.add_link(words),
            PATH => self.add_path(words),
            RESULT => {
                let node = self.node(words.word()?)?;
                let code = words.word()?;
                let outcome = u8::try_from(code).ok().and_then(outcome_of_code).flatten();
                let outcome =
                    outcome.ok_or_else(|| format!("the result is {code}: expected 1 to 3"))?;
                let now = self.now();
                self.results[node].get_or_insert((now, outcome));
                Ok(())
            }
            KNOWN => {
                let node = self.node(words.word()?)?;
                let (visits, sum) = (words.word()?, words.long()?);
                if self.began || sum > u64::from(visits) << 32 {
                    return Err(format!("{visits} visits known with a sum of {sum}"));
                }
                self.known[node] = (visits, sum);
                Ok(())
            }
            CHOSEN => {
                let edge = self.edge(words.word()?)?;
                if self.began || !self.kind.graph {
                    return Err("a number of choices where there can be none".to_owned());
                }
                self.chosen[edge] = words.word()?;
                Ok(())
            }
            BEGIN if !self.began => {
                self.began = true;
                Ok(())
            }
            END => {
                self.ended = Some(words.word()? != 0);
                Ok(())
            }
            tag if tag >= TAGS => Err(format!("{tag:#x} is no record")),
            leaf => {
                let leaf = self.node(leaf)?;
                let reward = words.long()?;
                if self.kind.graph {
                    return Err("an iteration of a tree in a graph".to_owned());
                }
                self.iterate(leaf as u32, reward)
            }
        }
    }

    fn iterate(&mut self, leaf: u32, reward: u64) -> Result<(), String> {
        if !self.began {
            return Err("an iteration before the search begins".to_owned());
        }
        if reward > ONE {
            return Err(format!("a reward of {reward}: expected 2^32 or less"));
        }
        if self.iterations() == u32::MAX - 2 {
            return Err("more than four billion iterations".to_owned());
        }
        self.leaves.push(leaf);
        self.rewards.push(reward);
        Ok(())
    }

    fn node(&self, number: u32) -> Result<usize, String> {
        let node = number as usize;
        if node < self.nodes() {
            Ok(node)
        } else {
            Err(format!(
                "node {number}, where there are {} so far",
                self.nodes()
            ))
        }
    }

    fn edge(&self, number: u32) -> Result<usize, String> {
        let edge = number as usize;
        if edge < self.codes.len() {
            Ok(edge)
        } else {
            Err(format!(
                "move {number}, where there are {} so far",
                self.codes.len()
            ))
        }
    }

    fn add_moves(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        let node = self.node(words.word()?)?;
        let count = words.word()?;
        if self.expanded[node] != NONE || count == 0 {
            return Err(format!(
                "{count} moves for node {node}, which cannot have them"
            ));
        }
        let codes = words.take((count as usize).div_ceil(2) * 4)?;
        let first = self.codes.len() as u32;
        if self.codes.len() + count as usize >= TAGS as usize {
            return Err("more than four billion moves".to_owned());
        }
        self.moves[node] = (first, first + count);
        self.expanded[node] = self.now();
        for code in codes.chunks_exact(2).take(count as usize) {
            self.codes.push(LittleEndian::read_u16(code));
            self.parents.push(node as u32);
            if self.kind.graph {
                self.targets.push(NONE);
                self.linked.push(NONE);
                self.frames.push(0);
                self.chosen.push(0);
            } else {
                self.add_node();
            }
        }
        Ok(())
    }

    fn add_link(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        let edge = self.edge(words.word()?)?;
        let node = words.word()?;
        let frame = words.word()?;
        if !self.kind.graph || frame > 15 || self.targets[edge] != NONE {
            return Err(format!("move {edge} cannot lead to node {node}"));
        }
        if node as usize == self.nodes() {
            self.add_node();
        }
        self.node(node)?;
        self.targets[edge] = node;
        self.linked[edge] = self.now();
        self.frames[edge] = frame as u8;
        Ok(())
    }

    fn add_path(&mut self, words: &mut Words<'_>) -> Result<(), String> {
        let count = words.word()? as usize;
        let edges = words.take(count.checked_mul(4).ok_or("too long a path")?)?;
        let reward = words.long()?;
        if !self.kind.graph {
            return Err("an iteration of a graph in a tree".to_owned());
        }
        let begin = self.paths.len();
        let mut node = 0;
        for word in edges.chunks_exact(4) {
            let edge = self.edge(LittleEndian::read_u32(word))?;
            if self.parents[edge] != node || self.targets[edge] == NONE {
                self.paths.truncate(begin);
                return Err(format!("a path with move {edge} at node {node}"));
            }
            node = self.targets[edge];
            self.paths.push(edge as u32);
        }
        let end = u32::try_from(self.paths.len()).map_err(|_| "too many paths")?;
        self.iterate(end, reward)
    }
}

struct Words<'a> {
    bytes: &'a [u8],
}

impl<'a> Words<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or("a record that is not complete")?;
        self.bytes = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, String> {
        self.take(4).map(LittleEndian::read_u32)
    }

    fn long(&mut self) -> Result<u64, String> {
        self.take(8).map(LittleEndian::read_u64)
    }
}

/// A journal that is read while it is written.
pub struct Follower {
    file: File,
    growth: Growth,
}

impl Follower {
    /// Opens a journal and reads what is complete.
    pub fn open(path: &Path) -> Result<Self, TreeError> {
        let mut file = File::open(path)?;
        let (growth, committed) = Growth::read_header(&mut file)?;
        let mut follower = Self { file, growth };
        follower.read_to(committed)?;
        Ok(follower)
    }

    /// Reads what was added since; whether there was anything.
    pub fn poll(&mut self) -> Result<bool, TreeError> {
        self.file.seek(SeekFrom::Start(COMMITTED))?;
        let mut committed = [0; 8];
        self.file.read_exact(&mut committed)?;
        let committed = u64::from_le_bytes(committed);
        if committed <= self.growth.read {
            return Ok(false);
        }
        self.read_to(committed)?;
        Ok(true)
    }

    fn read_to(&mut self, committed: u64) -> Result<(), TreeError> {
        self.file.seek(SeekFrom::Start(HEADER + self.growth.read))?;
        self.growth.read_records(&self.file, committed)
    }

    /// What was read.
    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// What was read, to keep.
    pub fn into_growth(self) -> Growth {
        self.growth
    }
}
