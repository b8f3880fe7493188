//! A journal as something to watch: the tree after any iteration, in rows, and how the visits of the root's moves went. The
//! game is known by its name only, so that whoever watches need not know of games or searches.

use std::path::{Path, PathBuf};

pub use super::index::Limits;
use super::{
    Tree, TreeError,
    extra::Extra,
    growth::{Follower, Growth, JournalFile},
    index::{JournalIndex, Part, View},
    replay::Replay,
    snapshot::{self, Snapshot, Wanted},
};
use crate::{
    games::{self, Playable, Visitor, notation},
    search::{Frame, TreeView},
};

/// A tree as it was after some iterations.
#[derive(Clone, Debug)]
pub struct Shot {
    /// How many iterations were done.
    pub iteration: u32,
    /// The tree.
    pub tree: Tree,
    /// What is known beside its rows, one for each.
    pub extra: Vec<Extra>,
    /// Whether the figures of a table of positions are known, if the search has one.
    pub has_table: bool,
    /// How many nodes it had, with those that are left out here.
    pub nodes: u64,
    /// The rows along which the last iteration went, the root first, as far as they are there.
    pub path: Vec<u32>,
    /// What is not there has fewer visits; 0 if everything is.
    pub least_visits: u32,
}

/// How often each of the root's moves had been followed at some times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// The moves, as they are written.
    pub moves: Vec<String>,
    /// By time, and there by move: its visits. The first time is 0 and the last the end; those between part all iterations as
    /// evenly as they are remembered, to a thousandth or, of a journal with an index, to a five-hundredth.
    pub visits: Vec<Vec<u32>>,
}

/// A journal to watch, finished or still being written.
pub struct Film {
    path: PathBuf,
    reading: Reading,
    game: String,
    position: String,
    limits: Limits,
}

/// How a journal is read.
enum Reading {
    /// All of it is in memory.
    Whole(Box<Whole>),
    /// It is too large for that.
    Indexed(Box<JournalIndex>),
}

/// A journal in memory.
struct Whole {
    replay: Replay,
    /// By node of a tree: which of the root's moves leads to it.
    branches: Vec<u32>,
    tally: Tally,
    /// Why no more of it is read.
    stopped: Option<String>,
}

/// How often each of the root's moves was followed, at many times.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// So many iterations lie between two times.
    step: u32,
    /// By time, and there by move: after no iteration, after `step`, and so on. Moves at the end that were not known yet are
    /// missing.
    times: Vec<Vec<u32>>,
    now: Vec<u32>,
    done: u32,
    /// So many times are remembered, or half of them.
    most: usize,
}

impl Tally {
    const MANY: usize = 4096;
    /// Enough to draw, where memory is short.
    pub(super) const FEW: usize = 1024;

    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            step: 1,
            times: vec![Vec::new()],
            now: Vec::new(),
            done: 0,
        }
    }

    /// Counts one iteration, which followed that of the root's moves.
    pub(super) fn count(&mut self, branch: Option<usize>) {
        if let Some(count) = branch.and_then(|branch| self.now.get_mut(branch)) {
            *count = count.wrapping_add(1);
        }
        self.done += 1;
        if !self.done.is_multiple_of(self.step) {
            return;
        }
        self.times.push(self.now.clone());
        if self.times.len() > self.most {
            self.halve();
        }
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let moves: usize = self.times.iter().map(Vec::capacity).sum();
        self.times.capacity() * size_of::<Vec<u32>>() + 4 * moves
    }

    fn halve(&mut self) {
        let mut index = 0;
        self.times.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.step = self.step.saturating_mul(2);
    }

    /// The root's moves are known, by what was known of each before the search. Before the first iteration more may become
    /// known of moves that are there already.
    pub(super) fn extend(&mut self, inherited: impl Iterator<Item = u32>) {
        if self.done == 0 {
            self.now.clear();
        }
        let known = self.now.len();
        self.now.extend(inherited.skip(known));
        if self.done == 0 {
            self.times = vec![self.now.clone()];
        }
    }

    /// With the root's moves and what was known of them before, in at most so many bytes; none if that is too little.
    pub(super) fn to_bytes(&self, moves: &[(u16, u32)], most: usize) -> Option<Vec<u8>> {
        let mut tally = self.clone();
        loop {
            let mut bytes = Vec::new();
            let mut put = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
            put(moves.len() as u32);
            for &(code, inherited) in moves {
                put(code.into());
                put(inherited);
            }
            put(tally.step);
            put(tally.done);
            for time in tally.times.iter().chain([&tally.now]) {
                put(time.len() as u32);
                time.iter().for_each(|&visits| put(visits));
            }
            let is_short = bytes.len() <= most;
            if is_short || tally.times.len() < 2 {
                return is_short.then_some(bytes);
            }
            tally.halve();
        }
    }

    /// What [`Self::to_bytes`] wrote; none if it is damaged.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<(Self, Vec<(u16, u32)>)> {
        let mut words = bytes.chunks_exact(4).map(|word| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(word);
            u32::from_le_bytes(bytes)
        });
        let count = words.next()?;
        let mut moves = Vec::new();
        for _ in 0..count {
            moves.push((u16::try_from(words.next()?).ok()?, words.next()?));
        }
        let (step, done) = (words.next().filter(|&step| step > 0)?, words.next()?);
        let mut times: Vec<Vec<u32>> = Vec::new();
        while let Some(len) = words.next() {
            let time: Vec<u32> = words.by_ref().take(len as usize).collect();
            if time.len() < len as usize {
                return None;
            }
            times.push(time);
        }
        let now = times.pop()?;
        let tally = Self {
            step,
            times,
            now,
            done,
            most: Self::FEW,
        };
        Some((tally, moves))
    }
}

impl Whole {
    fn new(replay: Replay) -> Self {
        let mut whole = Self {
            replay,
            branches: Vec::new(),
            tally: Tally::new(Tally::MANY),
            stopped: None,
        };
        whole.extend();
        whole
    }

    fn bytes(&self) -> usize {
        self.replay.bytes() + 4 * self.branches.capacity()
    }

    /// Which of the root's moves an iteration followed; none if it ended at the root.
    fn branch(&self, iteration: u32) -> Option<usize> {
        let growth = self.replay.growth();
        let index = iteration as usize;
        if growth.kind.graph {
            let begin = path_begin(growth, index);
            let edge = growth.paths[begin..growth.leaves[index] as usize].first()?;
            Some(edge.wrapping_sub(growth.moves[0].0) as usize)
        } else {
            let leaf = growth.leaves[index] as usize;
            (leaf > 0).then(|| self.branches[leaf] as usize)
        }
    }

    /// Takes in what was read.
    fn extend(&mut self) {
        self.extend_branches();
        let growth = self.replay.growth();
        self.tally
            .extend(root_edges(growth).map(|(_, known)| known));
        for iteration in self.tally.done..growth.iterations() {
            let branch = self.branch(iteration);
            self.tally.count(branch);
        }
    }

    fn extend_branches(&mut self) {
        let growth = self.replay.growth();
        if growth.kind.graph {
            return;
        }
        // A node is numbered after its parent.
        for node in self.branches.len()..growth.nodes() {
            let branch = match node.checked_sub(1).map(|mv| growth.parents[mv]) {
                None => 0,
                Some(0) => (node as u32 - 1).wrapping_sub(growth.moves[0].0),
                Some(parent) => self.branches[parent as usize],
            };
            self.branches.push(branch);
        }
    }
}

impl Film {
    /// Opens a journal of a search in this game, from this position, and reads all of it.
    pub fn open(path: &Path, game: &str, position: &str) -> Result<Self, TreeError> {
        Ok(Self {
            path: path.to_owned(),
            reading: Reading::Whole(Box::new(Whole::new(Replay::follow(Follower::open(path)?)))),
            game: game.to_owned(),
            position: position.to_owned(),
            limits: Limits::default(),
        })
    }

    /// Opens a journal, of which no more than these limits allow is kept in memory; [`Self::poll`] reads it.
    pub fn open_within(
        path: &Path,
        game: &str,
        position: &str,
        limits: Limits,
    ) -> Result<Self, TreeError> {
        let file = JournalFile::open(path)?;
        let is_large = file.committed() as u128 * Self::GROWTH > limits.bytes as u128;
        let reading = if is_large && !file.kind().graph {
            Reading::Indexed(Box::new(JournalIndex::open(path, file, &limits)?))
        } else {
            let follower = Follower::begin(file, limits.bytes / 16);
            let replay = Replay::follow(follower).remembering(limits.bytes / 4);
            Reading::Whole(Box::new(Whole::new(replay)))
        };
        Ok(Self {
            path: path.to_owned(),
            reading,
            game: game.to_owned(),
            position: position.to_owned(),
            limits,
        })
    }

    /// So many times the bytes of a journal a tree of it takes in memory, more or less.
    const GROWTH: u128 = 12;

    /// Reads what was added since, or within limits a piece of it; whether there was anything.
    pub fn poll(&mut self) -> Result<bool, TreeError> {
        let is_limited = self.limits.bytes > 0;
        match &mut self.reading {
            Reading::Whole(whole) if whole.stopped.is_some() => Ok(false),
            Reading::Whole(whole) => {
                let result = if is_limited {
                    whole.replay.poll_piece()
                } else {
                    whole.replay.poll()
                };
                whole.extend();
                if is_limited {
                    self.check_size()?;
                }
                result
            }
            Reading::Indexed(index) => {
                if !index.is_behind() {
                    index.refresh()?;
                }
                index.advance()
            }
        }
    }

    /// A tree that has become too large for memory gets an index; a graph is read no further.
    fn check_size(&mut self) -> Result<(), TreeError> {
        let Reading::Whole(whole) = &mut self.reading else {
            return Ok(());
        };
        let growth = whole.replay.growth();
        // The lists that grow are twice as long for a moment.
        if whole.bytes() * 3 / 2 <= self.limits.bytes {
            return Ok(());
        }
        if growth.kind.graph {
            whole.stopped = Some(
                "the graph in this journal does not fit into the memory budget: its iterations up to here can be shown"
                    .to_owned(),
            );
            return Ok(());
        }
        let file = JournalFile::open(&self.path)?;
        // One makes way before the other comes.
        let nothing = Replay::follow(Follower::begin(JournalFile::open(&self.path)?, 0));
        self.reading = Reading::Whole(Box::new(Whole::new(nothing)));
        let index = JournalIndex::open(&self.path, file, &self.limits)?;
        self.reading = Reading::Indexed(Box::new(index));
        Ok(())
    }

    /// Whether there is something that was not read yet, or an index that gets better.
    pub fn is_behind(&self) -> bool {
        match &self.reading {
            Reading::Whole(whole) => {
                whole.stopped.is_none()
                    && (whole.replay.follower()).is_some_and(Follower::is_behind)
            }
            Reading::Indexed(index) => index.is_behind(),
        }
    }

    /// Bytes of records that were read, and how many there are.
    pub fn progress(&self) -> (u64, u64) {
        match &self.reading {
            Reading::Whole(whole) => (whole.replay.follower()).map_or((0, 0), Follower::progress),
            Reading::Indexed(index) => index.progress(),
        }
    }

    /// Why the journal is read no further, if that is so.
    pub fn stopped(&self) -> Option<&str> {
        match &self.reading {
            Reading::Whole(whole) => whole.stopped.as_deref(),
            Reading::Indexed(index) => index.stopped(),
        }
    }

    /// The bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        match &self.reading {
            Reading::Whole(whole) => whole.bytes(),
            Reading::Indexed(index) => index.bytes(),
        }
    }

    /// The bytes of the index, if the journal is too large for memory.
    pub fn index_bytes(&self) -> Option<u64> {
        match &self.reading {
            Reading::Whole(_) => None,
            Reading::Indexed(index) => Some(index.index_bytes()),
        }
    }

    /// The iterations there are so far.
    pub fn iterations(&self) -> u32 {
        match &self.reading {
            Reading::Whole(whole) => whole.replay.growth().iterations(),
            Reading::Indexed(index) => index.iterations(),
        }
    }

    /// Whether the journal has ended; and if it has, whether the search went on without it.
    pub fn ended(&self) -> Option<bool> {
        match &self.reading {
            Reading::Whole(whole) => whole.replay.growth().ended(),
            Reading::Indexed(index) => index.ended(),
        }
    }

    /// Goes towards the time after so many iterations, at most after the last, by a few steps: for those who have little
    /// time. With an index it is there at once.
    pub fn approach(&mut self, iteration: u32, steps: u32) {
        if let Reading::Whole(whole) = &mut self.reading {
            whole.replay.approach(iteration, steps);
        }
    }

    /// The iteration it is turned to; with an index always the last.
    pub fn at(&self) -> u32 {
        match &self.reading {
            Reading::Whole(whole) => whole.replay.at(),
            Reading::Indexed(index) => index.iterations(),
        }
    }

    /// The tree after so many iterations, at most after the last: all of it, or its most visited part of at most so many
    /// nodes. An error says that the journal is not one of this game, or that its index cannot be read.
    pub fn shot(&mut self, iteration: u32, most: Option<u64>) -> Result<Shot, String> {
        match &mut self.reading {
            Reading::Whole(whole) => {
                whole.replay.seek(iteration);
                let limit = (self.limits.bytes > 0).then_some(self.limits.nodes as u64);
                let visitor = TakeShot {
                    replay: &whole.replay,
                    position: &self.position,
                    most: most.into_iter().chain(limit).min(),
                };
                games::with_game(&self.game, visitor).map_err(|error| error.to_string())?
            }
            Reading::Indexed(index) => {
                index.seek(iteration).map_err(|error| error.to_string())?;
                let (part, last) = index.shown().ok_or("there is nothing to be shown")?;
                let visitor = TakePart {
                    part,
                    last,
                    position: &self.position,
                    most,
                };
                games::with_game(&self.game, visitor).map_err(|error| error.to_string())?
            }
        }
    }

    /// How the visits of the root's moves went, at so many times.
    pub fn shares(&self, times: usize) -> Result<Shares, String> {
        let (tally, root_moves) = match &self.reading {
            Reading::Whole(whole) => {
                let growth = whole.replay.growth();
                let code = |edge: u32| growth.codes[edge as usize];
                let moves: Vec<(u16, u32)> = root_edges(growth)
                    .map(|(edge, known)| (code(edge), known))
                    .collect();
                (Some(&whole.tally), moves)
            }
            Reading::Indexed(index) => (index.tally(), index.root_moves()),
        };
        let Some(tally) = tally else {
            return Ok(Shares::default());
        };
        let visitor = NameMoves {
            // Positions of trees are in no frame.
            replay: match &self.reading {
                Reading::Whole(whole) => Some(&whole.replay),
                Reading::Indexed(_) => None,
            },
            moves: &root_moves,
            position: &self.position,
        };
        let moves = games::with_game(&self.game, visitor).map_err(|error| error.to_string())??;
        let parts = times.max(2) as u64 - 1;
        let at = |part: u64| {
            let until = (u64::from(tally.done) * part / parts) as u32;
            let known = if until == tally.done {
                &tally.now
            } else {
                tally
                    .times
                    .get((until / tally.step) as usize)
                    .unwrap_or(&tally.now)
            };
            // Of moves that were not known yet no more is known now.
            let missing = root_moves.iter().skip(known.len());
            let missing = missing.map(|&(_, inherited)| inherited);
            known.iter().copied().chain(missing).collect()
        };
        Ok(Shares {
            visits: (0..=parts).map(at).collect(),
            moves,
        })
    }
}

fn path_begin(growth: &Growth, iteration: usize) -> usize {
    (iteration.checked_sub(1)).map_or(0, |before| growth.leaves[before] as usize)
}

/// The moves of the root, and how often each had been followed before the search.
fn root_edges(growth: &Growth) -> impl Iterator<Item = (u32, u32)> {
    let (first, end) = growth.moves[0];
    (first..end).map(|edge| {
        let inherited = if growth.kind.graph {
            growth.chosen[edge as usize]
        } else {
            growth.known[edge as usize + 1].0
        };
        (edge, inherited)
    })
}

struct TakeShot<'a> {
    replay: &'a Replay,
    position: &'a str,
    most: Option<u64>,
}

impl Visitor for TakeShot<'_> {
    type Out = Result<Shot, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::position(rules, self.position).map_err(|error| error.to_string())?;
        let view = self.replay.view(&root);
        let wanted = Wanted {
            max_nodes: self.most,
            extra: true,
            ..Wanted::default()
        };
        let taken = snapshot::take(&view, &wanted)?;
        let path = way_along(last_codes(self.replay), &view, &taken.tree);
        Ok(Shot {
            iteration: self.replay.at(),
            nodes: taken.tree.nodes().len() as u64 + taken.cut.left_out,
            least_visits: least_visits(&taken),
            tree: taken.tree,
            extra: taken.extra,
            has_table: self.replay.growth().has_table(),
            path,
        })
    }
}

/// What nodes that were left out have fewer visits than; 0 if none was.
fn least_visits(taken: &Snapshot) -> u32 {
    if taken.cut.left_out == 0 {
        return 0;
    }
    let visits = taken.tree.nodes().iter().skip(1).map(|node| node.visits);
    // Of those with the fewest some may be there, and some not.
    visits.min().map_or(u32::MAX, |fewest| fewest as u32 + 1)
}

/// Makes rows of a part.
struct TakePart<'a> {
    part: &'a Part,
    /// The last node of the last iteration's way.
    last: Option<u32>,
    position: &'a str,
    most: Option<u64>,
}

impl Visitor for TakePart<'_> {
    type Out = Result<Shot, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::position(rules, self.position).map_err(|error| error.to_string())?;
        let view = View {
            part: self.part,
            root: &root,
        };
        let wanted = Wanted {
            max_nodes: self.most,
            extra: true,
            ..Wanted::default()
        };
        let taken = snapshot::take(&view, &wanted)?;
        let moves = (self.last).map(|last| self.part.codes_to(last));
        let path = way_along(moves, &view, &taken.tree);
        Ok(Shot {
            iteration: self.part.at,
            nodes: self.part.total,
            least_visits: least_visits(&taken).max(self.part.least),
            tree: taken.tree,
            extra: taken.extra,
            has_table: false,
            path,
        })
    }
}

/// Writes the root's moves.
struct NameMoves<'a> {
    /// Where positions may be in a frame.
    replay: Option<&'a Replay>,
    /// The codes of the moves, and what is of no matter here.
    moves: &'a [(u16, u32)],
    position: &'a str,
}

impl Visitor for NameMoves<'_> {
    type Out = Result<Vec<String>, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::position(rules, self.position).map_err(|error| error.to_string())?;
        let frame =
            (self.replay).map_or_else(Frame::default, |replay| replay.view(&root).frame(&root));
        (self.moves.iter())
            .map(|&(code, _)| {
                let mv = G::move_from_bits(code.into());
                let mv = snapshot::on_board(&root, frame, mv)
                    .ok_or("a move of the root is not one that the rules allow")?;
                Ok(notation::move_text(&root, mv))
            })
            .collect()
    }
}

/// The codes of the moves that the last iteration went along; none if there was no iteration yet.
fn last_codes(replay: &Replay) -> Option<Vec<u16>> {
    let growth = replay.growth();
    let last = (replay.at() as usize).checked_sub(1)?;
    let code = |mv: &u32| growth.codes[*mv as usize];
    if growth.kind.graph {
        let way = path_begin(growth, last)..growth.leaves[last] as usize;
        return Some(growth.paths[way].iter().map(code).collect());
    }
    let mut codes = Vec::new();
    let mut node = growth.leaves[last];
    while node > 0 {
        codes.push(code(&(node - 1)));
        node = growth.parents[node as usize - 1];
    }
    codes.reverse();
    Some(codes)
}

/// The rows that moves lead along, as far as they are there.
fn way_along<G: Playable>(
    codes: Option<Vec<u16>>,
    view: &dyn TreeView<G>,
    tree: &Tree,
) -> Vec<u32> {
    let Some(codes) = codes else {
        return Vec::new();
    };
    let sizes = tree.sizes();
    let mut way = vec![0];
    let (mut row, mut position) = (0, view.root_position().clone());
    for code in codes {
        let mv = G::move_from_bits(code.into());
        let Some(mv) = snapshot::on_board(&position, view.frame(&position), mv) else {
            break;
        };
        let name = notation::move_text(&position, mv);
        let Some(child) = (tree.children(row, &sizes)).find(|&child| tree.move_name(child) == name)
        else {
            break;
        };
        way.push(child as u32);
        // A shared node is expanded elsewhere, and there it may be seen from another side.
        let elsewhere = (tree.state(child).strip_prefix('='))
            .and_then(|number| number.parse::<usize>().ok()?.checked_sub(1))
            .filter(|&row| row < tree.nodes().len());
        if let Some(elsewhere) = elsewhere {
            let Some(there) = position_of(view.root_position(), tree, elsewhere) else {
                break;
            };
            (row, position) = (elsewhere, there);
        } else {
            position.play(mv);
            row = child;
        }
    }
    way
}

/// The position of a row.
fn position_of<G: Playable>(root: &G, tree: &Tree, row: usize) -> Option<G> {
    let mut rows = Vec::new();
    let mut at = row;
    while at > 0 {
        rows.push(at);
        at = tree.nodes()[at].parent as usize;
    }
    let mut position = root.clone();
    for &row in rows.iter().rev() {
        let mv = position.parse_move(tree.move_name(row)).ok()?;
        position.play(mv);
    }
    Some(position)
}
