//! Makes a [`Growth`] of the records of a journal, in whatever pieces they arrive.
//!
//! Nodes and moves get new numbers, which count them. A record that speaks of something that has not been made yet waits
//! for it, and is taken up as soon as it is there, before the next record is read: so it does not matter where one piece
//! ends and the next begins. Whoever waits is known to what it waits for, and a path goes on where it stopped, so that
//! the time this takes grows no faster than the journal, whatever is in it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::{
    TreeError,
    growth::{Growth, HEADER, Join, Kind, LEAF, NONE, PositionTable},
    numbers::{MOST, Numbers},
};
use crate::search::growth::{Codes, Entry, Record, TAGS, TORN, decode};

const ONE: u64 = 1 << 32;

/// Reads records.
pub(super) struct Grower {
    growth: Growth,
    version: u32,
    began: bool,
    /// Bytes of records read so far.
    read: u64,
    /// Bytes that there are to be read, as far as that is known.
    expected: u64,
    /// The numbers that have room in tables.
    room: usize,
    /// What the journal calls nodes and, in a graph, moves.
    nodes: Numbers,
    moves: Numbers,
    /// In a graph, by move: those that wait to hear where it leads.
    unlinked: BTreeMap<u32, u32>,
    early: Early,
    /// Lists of records whose time has come.
    ready: VecDeque<u32>,
}

/// What a record may wait for.
#[derive(Clone, Copy)]
enum Thing {
    /// A node, by the journal's number.
    Node(u32),
    /// A move of a graph, by the journal's number.
    Move(u32),
    /// Where a move of a graph leads, by our number for the move.
    Link(u32),
}

impl Grower {
    /// So many numbers have room in any case.
    const LEAST_ROOM: usize = 1 << 10;

    /// Before the first record.
    pub(super) fn new(kind: Kind, root: u32, version: u32) -> Self {
        let mut grower = Self {
            growth: Growth {
                kind,
                // The first version does not say whether squares are wanted; but from nothing on they can be added up.
                squares: (version == 0).then(HashMap::new),
                ..Growth::default()
            },
            version,
            began: false,
            read: 0,
            expected: 0,
            room: Self::LEAST_ROOM,
            nodes: Numbers::default(),
            moves: Numbers::default(),
            unlinked: BTreeMap::new(),
            early: Early::default(),
            ready: VecDeque::new(),
        };
        // Nothing else has a number yet.
        let _ = grower
            .nodes
            .give(root, 1, 0, grower.room, &mut grower.ready);
        grower.add_node();
        grower
    }

    /// How many bytes of records were read.
    pub(super) fn read(&self) -> u64 {
        self.read
    }

    pub(super) fn growth(&self) -> &Growth {
        &self.growth
    }

    pub(super) fn into_growth(self) -> Growth {
        self.growth
    }

    /// Reads on; how many words were read. The last record may be torn.
    pub(super) fn read_words(&mut self, words: &[u32]) -> Result<usize, TreeError> {
        // A thing that has a number takes two bytes of a journal at least, its code.
        let told = ((self.read / 2) as usize + words.len() * 2).max(self.expected as usize / 2);
        self.room = told.max(Self::LEAST_ROOM);
        let mut rest = words;
        while !rest.is_empty() {
            let at = HEADER + self.read;
            let wrong = |problem| TreeError::at_byte(at, problem);
            let (record, behind) = match decode(rest) {
                Err(problem) if problem == TORN => break,
                result => result.map_err(wrong)?,
            };
            let words = &rest[..rest.len() - behind.len()];
            if let Some(thing) = self.hear(record).map_err(wrong)? {
                let waiting = Waiting {
                    words: words.into(),
                    at,
                    ..Waiting::default()
                };
                self.wait(thing, waiting).map_err(wrong)?;
            }
            self.take_up()?;
            self.read += 4 * words.len() as u64;
            rest = behind;
        }
        Ok(words.len() - rest.len())
    }

    /// So many bytes are really there: tables may have room for what they tell of.
    pub(super) fn expect(&mut self, bytes: u64) {
        self.expected = bytes;
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.growth.bytes() + self.nodes.bytes() + self.moves.bytes() + self.early.bytes()
    }

    /// Takes up records whose time has come.
    fn take_up(&mut self) -> Result<(), TreeError> {
        while let Some(last) = self.ready.pop_front() {
            let mut place = self.early.first(last);
            loop {
                let mut waiting = self.early.take(place);
                let next = waiting.next;
                let at = waiting.at;
                let wrong = |problem| TreeError::at_byte(at, problem);
                if let Some(thing) = self.hear_again(&mut waiting).map_err(wrong)? {
                    self.wait(thing, waiting).map_err(wrong)?;
                }
                if place == last {
                    break;
                }
                place = next;
            }
        }
        Ok(())
    }

    fn wait(&mut self, thing: Thing, waiting: Waiting) -> Result<(), String> {
        // What was there before the search is told by one thread, in order.
        if !self.began {
            return Err(match thing {
                Thing::Node(number) => format!("node {number} before the record that makes it"),
                _ => "a move before the record that makes it".to_owned(),
            });
        }
        match thing {
            Thing::Node(number) | Thing::Move(number) if number >= TAGS => {
                return Err(format!("{number:#x}, which is no number"));
            }
            Thing::Node(number) => {
                let list = self.early.add(self.nodes.waiting(number), waiting)?;
                self.nodes.set_waiting(number, list, self.room);
            }
            Thing::Move(number) => {
                let list = self.early.add(self.moves.waiting(number), waiting)?;
                self.moves.set_waiting(number, list, self.room);
            }
            Thing::Link(edge) => {
                let list = self.unlinked.get(&edge).copied();
                let list = self.early.add(list, waiting)?;
                self.unlinked.insert(edge, list);
            }
        }
        Ok(())
    }

    /// Does what a record says; what it waits for if that is too early.
    #[inline(always)]
    fn hear(&mut self, record: Record<'_>) -> Result<Option<Thing>, String> {
        if self.growth.ended.is_some() {
            return Err("a record after the end of the journal".to_owned());
        }
        match record {
            Record::Leaf { node, reward } => {
                if self.growth.kind.graph {
                    return Err("an iteration of a tree in a graph".to_owned());
                }
                self.check(reward)?;
                let Some(leaf) = self.nodes.find(node) else {
                    return Ok(Some(Thing::Node(node)));
                };
                self.iterate(leaf, reward)?;
            }
            Record::Moves { node, first, codes } => return self.add_moves(node, first, codes),
            Record::Link { edge, node, frame } => return self.add_link(edge, node, frame),
            Record::Path { edges, reward } => return self.add_path(edges, reward),
            Record::Proven { node, outcome } => {
                let Some(node) = self.nodes.find(node) else {
                    return Ok(Some(Thing::Node(node)));
                };
                let now = self.now();
                self.growth.results[node as usize].get_or_insert((now, outcome));
            }
            Record::Known { node, visits, sum } => {
                if self.began || sum > u64::from(visits) << 32 {
                    return Err(format!("{visits} visits known with a sum of {sum}"));
                }
                let Some(node) = self.nodes.find(node) else {
                    return Ok(Some(Thing::Node(node)));
                };
                self.growth.known[node as usize] = (visits, sum);
                if self.version == 0 && visits > 0 {
                    self.growth.squares = None;
                }
            }
            Record::Squares { node, squares } => {
                if self.began {
                    return Err("squares known after the search began".to_owned());
                }
                let Some(node) = self.nodes.find(node) else {
                    return Ok(Some(Thing::Node(node)));
                };
                let (visits, _) = self.growth.known[node as usize];
                if squares > u64::from(visits) << 32 {
                    return Err(format!("squares of {squares} with {visits} visits known"));
                }
                let known = self.growth.squares.get_or_insert_default();
                known.insert(node, squares);
            }
            Record::Table { entries, verified } => {
                if self.began || self.growth.kind.graph || self.growth.table.is_some() {
                    return Err("a table of positions where there can be none".to_owned());
                }
                if entries == 0 {
                    return Err("a table of positions without entries".to_owned());
                }
                self.growth.table = Some(PositionTable::new(entries, verified));
            }
            Record::Entry { node, key, told } => return self.add_entry(node, key, told),
            Record::Unknown { .. } => {}
            Record::Chosen { edge, visits } => {
                if self.began || !self.growth.kind.graph {
                    return Err("a number of choices where there can be none".to_owned());
                }
                let Some(edge) = self.moves.find(edge) else {
                    return Ok(Some(Thing::Move(edge)));
                };
                self.growth.chosen[edge as usize] = visits;
            }
            Record::Begin => {
                if self.began {
                    return Err("the search begins a second time".to_owned());
                }
                self.began = true;
            }
            Record::End { early } => {
                // A journal that stops early may stop before what others wait for.
                if !early && self.early.count() > 0 {
                    return Err(format!(
                        "the end, with {} records that speak of what was never made",
                        self.early.count()
                    ));
                }
                self.growth.ended = Some(early);
            }
        }
        Ok(None)
    }

    /// [`Self::hear`] for a record that waited.
    #[inline(never)]
    fn hear_again(&mut self, waiting: &mut Waiting) -> Result<Option<Thing>, String> {
        let (record, _) = decode(&waiting.words)?;
        let Record::Path { edges, reward } = record else {
            return self.hear(record);
        };
        let count = edges.len();
        let edges = &mut waiting.words[2..2 + count];
        let missing = self.walk(edges, &mut waiting.done)?;
        if missing.is_none() {
            self.growth.paths.extend_from_slice(edges);
            self.end_path(reward)?;
        }
        Ok(missing)
    }

    /// The time of what is told now.
    fn now(&self) -> u32 {
        self.growth.iterations() + u32::from(self.began)
    }

    fn add_node(&mut self) {
        self.growth.moves.push((0, 0));
        self.growth.expanded.push(NONE);
        self.growth.known.push((0, 0));
        self.growth.results.push(None);
    }

    /// Whether there can be an iteration with this reward.
    fn check(&self, reward: u64) -> Result<(), String> {
        if !self.began {
            return Err("an iteration before the search begins".to_owned());
        }
        if reward > ONE {
            return Err(format!("a reward of {reward}: expected 2^32 or less"));
        }
        Ok(())
    }

    fn iterate(&mut self, leaf: u32, reward: u64) -> Result<(), String> {
        if self.growth.iterations() == u32::MAX - 2 {
            return Err("more than four billion iterations".to_owned());
        }
        self.growth.leaves.push(leaf);
        self.growth.rewards.push(reward);
        Ok(())
    }

    fn add_moves(
        &mut self,
        node: u32,
        first: u32,
        codes: Codes<'_>,
    ) -> Result<Option<Thing>, String> {
        let count = codes.count();
        if count == 0 {
            return Err(format!("no moves for node {node}"));
        }
        let Some(parent) = self.nodes.find(node) else {
            return Ok(Some(Thing::Node(node)));
        };
        let now = self.now();
        let growth = &mut self.growth;
        if growth.expanded[parent as usize] != NONE {
            return Err(format!("{count} moves for node {node}, which has moves"));
        }
        let begin = growth.codes.len() as u32;
        if begin + count >= MOST {
            return Err("more than two billion moves".to_owned());
        }
        // In a tree they are nodes too, of which there is one more.
        let (numbers, counted) = if growth.kind.graph {
            (&mut self.moves, begin)
        } else {
            (&mut self.nodes, begin + 1)
        };
        numbers.give(first, count, counted, self.room, &mut self.ready)?;
        growth.moves[parent as usize] = (begin, begin + count);
        growth.expanded[parent as usize] = now;
        growth.codes.extend(codes.iter());
        let len = growth.codes.len();
        growth.parents.resize(len, parent);
        if growth.kind.graph {
            growth.targets.resize(len, NONE);
            growth.linked.resize(len, NONE);
            growth.frames.resize(len, 0);
            growth.joined.resize(len, NONE);
            growth.chosen.resize(len, 0);
        } else {
            growth.moves.resize(len + 1, (0, 0));
            growth.expanded.resize(len + 1, NONE);
            growth.known.resize(len + 1, (0, 0));
            growth.results.resize(len + 1, None);
        }
        Ok(None)
    }

    fn add_entry(
        &mut self,
        number: u32,
        key: u64,
        told: Option<Entry>,
    ) -> Result<Option<Thing>, String> {
        let is_possible = |told: &Entry| {
            let most = u64::from(told.visits) << 32;
            told.visits > 0 && told.sum <= most && told.squares <= most
        };
        if told.is_some_and(|told| !is_possible(&told)) {
            return Err(format!("an entry for node {number} that cannot be"));
        }
        let Some(node) = self.nodes.find(number) else {
            return Ok(Some(Thing::Node(number)));
        };
        let now = self.now();
        let Some(table) = &mut self.growth.table else {
            return Err(format!("an entry for node {number} without a table"));
        };
        if !table.visit(node, key, now, told) {
            return Err(format!("another key for node {number}"));
        }
        Ok(None)
    }

    fn add_link(&mut self, number: u32, node: u32, frame: u32) -> Result<Option<Thing>, String> {
        if !self.growth.kind.graph || frame > 15 {
            return Err(format!("move {number} cannot lead to node {node}"));
        }
        let Some(edge) = self.moves.find(number) else {
            return Ok(Some(Thing::Move(number)));
        };
        let index = edge as usize;
        let known = self.nodes.find(node);
        let before = self.growth.targets[index];
        if before != NONE {
            let is_framed_so = u32::from(self.growth.frames[index]) == frame;
            // Two threads may find out at the same time.
            if is_framed_so && known == Some(before) {
                return Ok(None);
            }
            let is_leaf =
                self.growth.joined[index] == LEAF && self.growth.expanded[before as usize] == NONE;
            if !(is_framed_so && is_leaf && self.began) {
                return Err(format!("move {number} leads to node {node} and elsewhere"));
            }
        }
        let target = match known {
            Some(target) => target,
            None => {
                let target = self.growth.nodes() as u32;
                self.nodes
                    .give(node, 1, target, self.room, &mut self.ready)?;
                self.add_node();
                target
            }
        };
        let now = self.now();
        self.growth.targets[index] = target;
        if before != NONE {
            self.growth.joined[index] = self.growth.joins.len() as u32;
            self.growth.joins.push(Join {
                at: now,
                leaf: before,
                node: target,
            });
        } else {
            self.growth.linked[index] = now;
            self.growth.frames[index] = frame as u8;
            // A leaf has the number of the move that led there.
            if node == number {
                self.growth.joined[index] = LEAF;
            }
        }
        self.ready.extend(self.unlinked.remove(&edge));
        Ok(None)
    }

    fn add_path(&mut self, edges: &[u32], reward: u64) -> Result<Option<Thing>, String> {
        if !self.growth.kind.graph {
            return Err("an iteration of a graph in a tree".to_owned());
        }
        self.check(reward)?;
        let mut paths = std::mem::take(&mut self.growth.paths);
        let begin = paths.len();
        paths.extend_from_slice(edges);
        let missing = self.walk(&mut paths[begin..], &mut 0);
        // One that has to wait begins once more when it is taken up, and from then on goes on where it stopped.
        if !matches!(missing, Ok(None)) {
            paths.truncate(begin);
        }
        self.growth.paths = paths;
        if let Ok(None) = missing {
            self.end_path(reward)?;
        }
        missing
    }

    /// Follows a path from its `done`-th move on, putting our numbers in place of the journal's.
    fn walk(&self, edges: &mut [u32], done: &mut u32) -> Result<Option<Thing>, String> {
        let growth = &self.growth;
        let mut node = match *done {
            0 => 0,
            done => growth.targets[edges[done as usize - 1] as usize],
        };
        for number in &mut edges[*done as usize..] {
            let Some(edge) = self.moves.find(*number) else {
                return Ok(Some(Thing::Move(*number)));
            };
            let index = edge as usize;
            if growth.parents[index] != node {
                return Err(format!(
                    "a path with move {number}, which is made elsewhere"
                ));
            }
            node = growth.targets[index];
            if node == NONE {
                return Ok(Some(Thing::Link(edge)));
            }
            *number = edge;
            *done += 1;
        }
        Ok(None)
    }

    /// Makes an iteration of the path that was added last.
    fn end_path(&mut self, reward: u64) -> Result<(), String> {
        let end = u32::try_from(self.growth.paths.len()).map_err(|_| "too many paths")?;
        self.iterate(end, reward)
    }
}

/// A record that came too early.
#[derive(Default)]
struct Waiting {
    words: Box<[u32]>,
    /// Where it stands in the file.
    at: u64,
    /// Of a path: how many of its moves have our numbers.
    done: u32,
    /// The place of the next one in its list.
    next: u32,
}

/// Records that came too early, in lists: each list is a ring, known by the place of its last.
#[derive(Default)]
struct Early {
    places: Vec<Waiting>,
    free: Vec<u32>,
}

impl Early {
    fn bytes(&self) -> usize {
        let words: usize = self.places.iter().map(|waiting| waiting.words.len()).sum();
        self.places.capacity() * size_of::<Waiting>() + 4 * (words + self.free.capacity())
    }

    fn count(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Adds a record to a list, or begins one; the list.
    fn add(&mut self, list: Option<u32>, mut waiting: Waiting) -> Result<u32, String> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.places.len() < MOST as usize => {
                self.places.push(Waiting::default());
                self.places.len() as u32 - 1
            }
            None => return Err("more than two billion records that wait".to_owned()),
        };
        waiting.next = match list {
            Some(last) => std::mem::replace(&mut self.places[last as usize].next, place),
            None => place,
        };
        self.places[place as usize] = waiting;
        Ok(place)
    }

    /// The place of the first of a list.
    fn first(&self, list: u32) -> u32 {
        self.places[list as usize].next
    }

    /// Takes out a record.
    fn take(&mut self, place: u32) -> Waiting {
        self.free.push(place);
        std::mem::take(&mut self.places[place as usize])
    }
}
