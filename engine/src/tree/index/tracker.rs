//! Follows a journal of a tree from its beginning and keeps the most visited part of it, in bounded memory.
//!
//! Every node that is tracked has exact figures. When there are too many, the least visited that have children are closed:
//! their children are forgotten, and what is told of anything below counts as theirs. A node that was closed stays closed,
//! so that a second reading of the journal, which knows how often each node is visited in the end, may choose better.

use std::{
    collections::{HashMap, VecDeque},
    io,
};

use super::{
    super::{
        TreeError,
        film::Tally,
        growth::{HEADER, Kind},
    },
    paged::PagedTable,
    part::{Part, PartNode, Step, add, of_one},
};
use crate::search::growth::{Codes, Entry, Record, TAGS, TORN, decode};

const ONE: u64 = 1 << 32;
/// Bit of a word of [`Tracker::owners`]: the node was visited.
const SEEN: u32 = 1 << 31;

/// How much a [`Tracker`] may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Nodes with figures.
    pub(super) nodes: usize,
    /// Bytes of the table of numbers.
    pub(super) table: usize,
    /// Bytes of records that came too early.
    pub(super) early: usize,
}

/// The bytes that a tracked node takes, with what is needed to forget others.
pub(super) const NODE_BYTES: usize = size_of::<PartNode>() + size_of::<Entry>() + 4 + 4 + 12 + 8;

/// Follows a journal.
pub(super) struct Tracker {
    part: Part,
    sizes: Sizes,
    /// By node: the journal's number, which of the root's moves leads there, and visits and rewards that were not handed to
    /// the nodes above yet.
    numbers: Vec<u32>,
    branches: Vec<u32>,
    told: Vec<Entry>,
    /// By the journal's number: 0 if it has not been given yet; else one more than the node that has its figures, and
    /// [`SEEN`].
    owners: PagedTable,
    /// Final visits by the journal's number, if known from a first reading.
    guide: Option<Guide>,
    /// The iterations since they were last taken.
    steps: Vec<Step>,
    /// Nodes that were made since the last iteration.
    made: u32,
    began: bool,
    ended: Option<bool>,
    was_raised: bool,
    /// Bytes of records that were read.
    read: u64,
    early: HashMap<u32, Vec<Early>>,
    early_bytes: usize,
    ready: VecDeque<Vec<Early>>,
    pub(super) tally: Tally,
}

/// A record that came before what it speaks of, and where in the file it stands.
struct Early {
    words: Box<[u32]>,
    at: u64,
}

/// How often nodes are visited in the end.
pub(super) struct Guide {
    pub(super) visits: PagedTable,
    /// How many iterations there are then.
    pub(super) iterations: u32,
}

/// What has to come first, by the journal's number for the node.
enum Missing {
    Nothing,
    Node(u32),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        Self::Wrong(text)
    }
}

/// Why a record cannot be taken in.
enum Problem {
    Io(io::Error),
    Wrong(String),
}

impl Problem {
    fn at(self, byte: u64) -> TreeError {
        match self {
            Self::Io(error) => error.into(),
            Self::Wrong(text) => TreeError::at_byte(byte, text),
        }
    }
}

impl Tracker {
    /// Before the first record of a tree.
    pub(super) fn new(
        kind: Kind,
        root: u32,
        sizes: Sizes,
        scratch: Option<std::fs::File>,
        guide: Option<Guide>,
    ) -> Result<Self, TreeError> {
        let mut owners = PagedTable::new(sizes.table, scratch);
        owners.set(root, 1)?;
        Ok(Self {
            part: Part {
                kind,
                at: 0,
                nodes: vec![PartNode::new(0, 0)],
                total: 1,
                least: 0,
                has_squares: false,
            },
            sizes,
            numbers: vec![root],
            branches: vec![0],
            told: vec![Entry::default()],
            owners,
            guide,
            steps: Vec::new(),
            made: 0,
            began: false,
            ended: None,
            was_raised: false,
            read: 0,
            early: HashMap::new(),
            early_bytes: 0,
            ready: VecDeque::new(),
            tally: Tally::new(Tally::FEW),
        })
    }

    /// How many bytes of records were read.
    pub(super) fn read(&self) -> u64 {
        self.read
    }

    /// Iterations so far.
    pub(super) fn iterations(&self) -> u32 {
        self.part.at
    }

    pub(super) fn ended(&self) -> Option<bool> {
        self.ended
    }

    /// Iterations that were not taken yet.
    pub(super) fn waiting_steps(&self) -> usize {
        self.steps.len()
    }

    /// Whether nodes were ever left out because one that was closed has as many visits.
    pub(super) fn was_raised(&self) -> bool {
        self.was_raised
    }

    pub(super) fn bytes(&self) -> usize {
        let guide = self.guide.as_ref().map_or(0, |guide| guide.visits.bytes());
        self.part.bytes()
            + 4 * (self.numbers.capacity() + self.branches.capacity())
            + size_of::<Entry>() * self.told.capacity()
            + size_of::<Step>() * self.steps.capacity()
            + self.owners.bytes()
            + self.tally.bytes()
            + guide
            + self.early_bytes
    }

    /// The root's moves: their codes, and how often each had been followed before the search.
    pub(super) fn root_moves(&self) -> Vec<(u16, u32)> {
        let root = &self.part.nodes[0];
        let first = root.first as usize;
        (self.part.nodes[first..first + root.count as usize].iter())
            .map(|child| (child.code, child.inherited))
            .collect()
    }

    /// Reads records until there are `most` iterations to be taken; how many words were read. The last record may be torn.
    pub(super) fn read_words(&mut self, words: &[u32], most: usize) -> Result<usize, TreeError> {
        let mut rest = words;
        if self.steps.capacity() < most {
            self.steps.reserve_exact(most - self.steps.len());
        }
        while !rest.is_empty() && self.steps.len() < most {
            let at = HEADER + self.read;
            let (record, behind) = match decode(rest) {
                Err(problem) if problem == TORN => break,
                result => result.map_err(|problem| TreeError::at_byte(at, problem))?,
            };
            let words = &rest[..rest.len() - behind.len()];
            let heard = self.hear(record).map_err(|problem| problem.at(at))?;
            if let Missing::Node(number) = heard {
                let early = Early {
                    words: words.into(),
                    at,
                };
                self.wait(number, early).map_err(|problem| problem.at(at))?;
            }
            while let Some(list) = self.ready.pop_front() {
                self.hear_again(list)?;
            }
            self.read += 4 * words.len() as u64;
            rest = behind;
        }
        Ok(words.len() - rest.len())
    }

    fn hear_again(&mut self, list: Vec<Early>) -> Result<(), TreeError> {
        for early in list {
            let at = early.at;
            self.early_bytes -= early_bytes(&early);
            let wrong = |problem| TreeError::at_byte(at, problem);
            let (record, _) = decode(&early.words).map_err(wrong)?;
            if let Missing::Node(number) = self.hear(record).map_err(|problem| problem.at(at))? {
                self.wait(number, early).map_err(|problem| problem.at(at))?;
            }
        }
        Ok(())
    }

    fn wait(&mut self, number: u32, early: Early) -> Result<(), Problem> {
        if !self.began {
            return Err(format!("node {number} before the record that makes it").into());
        }
        if number >= TAGS {
            return Err(format!("{number:#x}, which is no number").into());
        }
        self.early_bytes += early_bytes(&early);
        if self.early_bytes > self.sizes.early {
            return Err(super::out_of_memory(
                "more records wait for what they speak of than the memory budget has room for",
            )
            .into());
        }
        self.early.entry(number).or_default().push(early);
        Ok(())
    }

    #[inline]
    fn owner(&mut self, number: u32) -> io::Result<Option<u32>> {
        if number >= TAGS {
            return Ok(None);
        }
        let word = self.owners.get(number)? & !SEEN;
        Ok(word.checked_sub(1))
    }

    fn hear(&mut self, record: Record<'_>) -> Result<Missing, Problem> {
        if self.ended.is_some() {
            return Err("a record after the end of the journal".to_owned().into());
        }
        match record {
            Record::Leaf { node, reward } => {
                if !self.began {
                    return Err("an iteration before the search begins".to_owned().into());
                }
                if reward > ONE {
                    let problem = format!("a reward of {reward}: expected 2^32 or less");
                    return Err(problem.into());
                }
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                self.iterate(node, owner, reward)?;
            }
            Record::Moves { node, first, codes } => return self.add_moves(node, first, codes),
            Record::Proven { node, outcome } => {
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                let now = self.now();
                let it = &mut self.part.nodes[owner as usize];
                if self.numbers[owner as usize] == node && it.proven.is_none() {
                    (it.proven_at, it.proven) = (now, Some(outcome));
                }
            }
            Record::Known { node, visits, sum } => {
                if self.began || sum > u64::from(visits) << 32 {
                    return Err(format!("{visits} visits known with a sum of {sum}").into());
                }
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                if visits > 0 && self.see(node, owner)? {
                    self.part.total += 1;
                }
                if self.numbers[owner as usize] == node {
                    let it = &mut self.part.nodes[owner as usize];
                    (it.visits, it.sum, it.inherited) = (visits, sum, visits);
                }
            }
            Record::Squares { node, squares } => {
                if self.began {
                    let problem = format!("squares known of node {node} after the search began");
                    return Err(problem.into());
                }
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                self.part.has_squares = true;
                if self.numbers[owner as usize] == node {
                    self.part.nodes[owner as usize].squares = squares;
                }
            }
            Record::Begin => {
                if self.began {
                    return Err("the search begins a second time".to_owned().into());
                }
                self.began = true;
                self.part.total += u64::from(std::mem::take(&mut self.made));
                self.tally_root();
            }
            Record::End { early } => {
                if !early && !self.early.is_empty() {
                    let count: usize = self.early.values().map(Vec::len).sum();
                    return Err(format!(
                        "the end, with {count} records that speak of what was never made"
                    )
                    .into());
                }
                self.ended = Some(early);
            }
            other => {
                // Whatever else there is says nothing of what is kept here.
                let is_of_graph = matches!(
                    other,
                    Record::Link { .. } | Record::Path { .. } | Record::Chosen { .. }
                );
                if is_of_graph {
                    return Err("a record of a graph in a tree".to_owned().into());
                }
            }
        }
        Ok(Missing::Nothing)
    }

    fn tally_root(&mut self) {
        let moves = self.root_moves();
        self.tally
            .extend(moves.into_iter().map(|(_, inherited)| inherited));
    }

    fn now(&self) -> u32 {
        self.part.at + u32::from(self.began)
    }

    /// Notes that a node is visited; whether it is one more node that is shown.
    fn see(&mut self, number: u32, owner: u32) -> io::Result<bool> {
        if !self.part.kind.hides_unvisited || (owner == 0 && self.numbers[0] == number) {
            return Ok(false);
        }
        let word = self.owners.entry(number)?;
        let is_new = *word & SEEN == 0;
        *word |= SEEN;
        Ok(is_new)
    }

    fn iterate(&mut self, number: u32, owner: u32, reward: u64) -> Result<(), Problem> {
        if self.part.at == u32::MAX - 2 {
            return Err("more than four billion iterations".to_owned().into());
        }
        self.made += u32::from(self.see(number, owner)?);
        let made = std::mem::take(&mut self.made);
        self.steps.push(Step {
            reward,
            node: owner,
            made,
        });
        add(&mut self.told[owner as usize], of_one(reward));
        self.part.at += 1;
        self.part.total += u64::from(made);
        let branch = (owner > 0).then(|| self.branches[owner as usize] as usize);
        self.tally.count(branch);
        Ok(())
    }

    fn add_moves(&mut self, node: u32, first: u32, codes: Codes<'_>) -> Result<Missing, Problem> {
        let count = codes.count();
        if count == 0 {
            return Err(format!("no moves for node {node}").into());
        }
        let Some(parent) = self.owner(node)? else {
            return Ok(Missing::Node(node));
        };
        if u64::from(first) + u64::from(count) > u64::from(TAGS) {
            return Err(format!("{count} numbers from {first} on").into());
        }
        let is_itself = self.numbers[parent as usize] == node;
        if is_itself && (self.part.nodes[parent as usize].count > 0) {
            return Err(format!("{count} moves for node {node}, which has moves").into());
        }
        let now = self.now();
        let has_room = |tracker: &Self| {
            tracker.part.nodes.len() + count as usize <= tracker.sizes.nodes || parent == 0
        };
        let mut owner = parent;
        let mut is_tracked = is_itself && !self.part.nodes[parent as usize].is_closed;
        if is_tracked && !has_room(self) {
            self.forget()?;
            owner = self.owner(node)?.unwrap_or(0);
            is_tracked = self.numbers[owner as usize] == node && has_room(self);
        }
        let begin = self.part.nodes.len() as u32;
        if is_tracked {
            self.make_room(count as usize);
            let it = &mut self.part.nodes[owner as usize];
            (it.first, it.count, it.expanded) = (begin, count as u16, now);
        } else if self.numbers[owner as usize] == node {
            let it = &mut self.part.nodes[owner as usize];
            (it.is_closed, it.expanded) = (true, now);
        }
        for (place, (number, code)) in (first..first + count).zip(codes.iter()).enumerate() {
            let word = self.owners.entry(number)?;
            if *word != 0 {
                let problem = format!("{count} numbers from {first} on, one of them taken");
                return Err(problem.into());
            }
            *word = owner + 1;
            if is_tracked {
                *word = begin + place as u32 + 1;
                self.part.nodes.push(PartNode::new(owner, code));
                self.numbers.push(number);
                let branch = match owner {
                    0 => place as u32,
                    _ => self.branches[owner as usize],
                };
                self.branches.push(branch);
                self.told.push(Entry::default());
            }
        }
        if !self.part.kind.hides_unvisited {
            self.made = self.made.saturating_add(count);
        }
        if owner == 0 && is_tracked {
            self.tally_root();
        }
        if !self.early.is_empty() {
            let lists = (first..first + count).filter_map(|number| self.early.remove(&number));
            self.ready.extend(lists);
        }
        Ok(Missing::Nothing)
    }

    /// Lists grow by half, but not beyond what they may ever have.
    fn make_room(&mut self, more: usize) {
        let len = self.part.nodes.len();
        if len + more > self.part.nodes.capacity() {
            let wanted = (len + len / 2).min(self.sizes.nodes).max(len + more) - len;
            self.part.nodes.reserve_exact(wanted);
            self.numbers.reserve_exact(wanted);
            self.branches.reserve_exact(wanted);
            self.told.reserve_exact(wanted);
        }
    }

    /// Hands everything that was told to the nodes above.
    fn settle(&mut self) {
        self.part.hand_up(&mut self.told, true);
    }

    /// Closes the least visited nodes, so that half of the room is free.
    fn forget(&mut self) -> io::Result<()> {
        self.settle();
        let mut scores = Vec::with_capacity(self.part.nodes.len());
        for index in 0..self.part.nodes.len() {
            scores.push(self.score(index)?);
        }
        let mut parents: Vec<(u64, u32)> = (self.part.nodes.iter().zip(&scores))
            .filter(|(node, _)| node.count > 0)
            .map(|(node, &score)| (score, node.count.into()))
            .collect();
        parents.sort_unstable_by(|one, other| other.cmp(one));
        let mut room = self.sizes.nodes as u64 / 2;
        let mut least = 0;
        for (score, count) in parents {
            match room.checked_sub(count.into()) {
                Some(left) => room = left,
                None => {
                    least = score + 1;
                    break;
                }
            }
        }
        let is_open = |index: usize| index == 0 || scores[index] >= least;
        // By node: whether it stays, and what it is from now on, or which node above it has its place.
        let mut stays: Vec<bool> = Vec::with_capacity(self.part.nodes.len());
        let mut places: Vec<u32> = Vec::with_capacity(self.part.nodes.len());
        let mut kept = 0;
        for (index, node) in self.part.nodes.iter().enumerate() {
            let parent = node.parent as usize;
            stays.push(index == 0 || stays[parent] && is_open(parent));
            if stays[index] {
                places.push(kept);
                kept += 1;
            } else {
                places.push(places[parent]);
            }
        }
        for index in (0..stays.len()).filter(|&index| stays[index]) {
            let mut node = self.part.nodes[index];
            node.parent = places[node.parent as usize];
            if node.count > 0 && is_open(index) {
                node.first = places[node.first as usize];
            } else if node.count > 0 {
                (node.first, node.count, node.is_closed) = (0, 0, true);
            }
            let place = places[index] as usize;
            self.part.nodes[place] = node;
            self.numbers[place] = self.numbers[index];
            self.branches[place] = self.branches[index];
        }
        let kept = kept as usize;
        self.part.nodes.truncate(kept);
        self.numbers.truncate(kept);
        self.branches.truncate(kept);
        self.told.truncate(kept);
        for step in &mut self.steps {
            step.node = places[step.node as usize];
        }
        self.owners.for_each(|word| {
            if let Some(owner) = (*word & !SEEN).checked_sub(1) {
                *word = *word & SEEN | (places[owner as usize] + 1);
            }
        })
    }

    /// How much a node is worth keeping open: its visits, or those it will have in the end if that is more, on the scale of
    /// the end. It is never more than its parent's.
    fn score(&mut self, index: usize) -> io::Result<u64> {
        let visits = u64::from(self.part.nodes[index].visits);
        let Some(guide) = &mut self.guide else {
            return Ok(visits);
        };
        let last = guide.visits.get(self.numbers[index])?;
        let scaled = visits * u64::from(guide.iterations) / u64::from(self.part.at.max(1));
        Ok(scaled.max(last.into()))
    }

    /// The most visited part of at most `most` nodes where the tracker stands, and the iterations that were not taken yet,
    /// as that part has them.
    pub(super) fn select(&mut self, most: usize) -> (Part, Vec<Step>) {
        self.settle();
        let least = self.threshold(most.max(1));
        let mut part = Part {
            nodes: Vec::new(),
            least,
            ..self.part_without_nodes()
        };
        let mut places: Vec<u32> = Vec::with_capacity(self.part.nodes.len());
        let mut is_kept: Vec<bool> = Vec::with_capacity(self.part.nodes.len());
        for (index, node) in self.part.nodes.iter().enumerate() {
            let parent = node.parent as usize;
            is_kept.push(index == 0 || is_kept[parent] && node.visits >= least);
            if !is_kept[index] {
                places.push(places[parent]);
                continue;
            }
            let place = part.nodes.len() as u32;
            places.push(place);
            let parent = places[parent];
            part.nodes.push(PartNode {
                parent,
                first: 0,
                count: 0,
                ..*node
            });
            if index > 0 {
                let parent = &mut part.nodes[parent as usize];
                if parent.count == 0 {
                    parent.first = place;
                }
                parent.count += 1;
            }
        }
        let steps = (self.steps.iter())
            .map(|step| Step {
                node: places[step.node as usize],
                ..*step
            })
            .collect();
        (part, steps)
    }

    fn part_without_nodes(&self) -> Part {
        Part {
            kind: self.part.kind,
            at: self.part.at,
            nodes: Vec::new(),
            total: self.part.total,
            least: 0,
            has_squares: self.part.has_squares,
        }
    }

    /// The fewest visits that leave at most so many nodes, and more than any node has that may be hidden below a closed one;
    /// 0 if all nodes are there and stay.
    fn threshold(&mut self, most: usize) -> u32 {
        let nodes = &self.part.nodes;
        let is_closed = |node: &&PartNode| node.is_closed;
        let closed = nodes.iter().filter(is_closed).map(|node| node.visits).max();
        let hidden = closed.map_or(0, |visits| visits.saturating_add(1));
        if nodes.len() <= most {
            self.was_raised |= hidden > 0;
            return hidden;
        }
        // The root is one of them.
        let mut visits: Vec<u32> = nodes[1..].iter().map(|node| node.visits).collect();
        let (_, &mut first_left_out, _) =
            visits.select_nth_unstable_by(most - 1, |one, other| other.cmp(one));
        let least = first_left_out.saturating_add(1);
        self.was_raised |= hidden > least;
        hidden.max(least)
    }

    /// Forgets the iterations that were taken.
    pub(super) fn clear_steps(&mut self) {
        self.steps.clear();
    }
}

fn early_bytes(early: &Early) -> usize {
    4 * early.words.len() + size_of::<Early>() + 16
}
