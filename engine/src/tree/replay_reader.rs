//! Reads a growth journal for display: the tree after any iteration, in rows, and the history of the root moves' visits. The
//! game is known by name only, so that callers need no game types.

use std::path::{Path, PathBuf};

pub use super::index::ReplayLimits;
use super::{
    Tree, TreeError,
    extra::Extra,
    growth::{Growth, GrowthJournalFile, JournalFollower},
    index::JournalIndex,
    replay::{GrowthReplay, INVERTED_BIT, ONE},
};
use crate::games::{self, MoveCode};

mod lead;
mod playouts;
mod root_moves;
mod rows;

pub use self::playouts::IterationRecord;
use self::playouts::ReadIteration;
use self::root_moves::RootMoveSample;
pub(super) use self::root_moves::{RootMoveStats, RootMoveTally};
use self::rows::{FormatRootMoves, ShowTree, TreeSource, path_start};

/// A tree as it was after some iterations.
#[derive(Clone, Debug)]
pub struct ReplayTree {
    /// Number of completed iterations.
    pub iteration: u32,
    /// The tree.
    pub tree: Tree,
    /// Extra statistics, one per row.
    pub extra: Vec<Extra>,
    /// Whether the table's statistics are known, if the search has a transposition table.
    pub has_table: bool,
    /// Number of its nodes, including those omitted here.
    pub total_nodes: u64,
    /// The rows along which the last iteration went, the root first, as far as they are there.
    pub path: Vec<u32>,
    /// Omitted nodes have fewer visits than this; 0 if none was omitted.
    pub min_visits: u32,
}

/// Visits and values of the root's moves, at several times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RootMoveHistory {
    /// The moves, as they are written.
    pub moves: Vec<String>,
    /// By time, and there by move: its visits. The first time is 0 and the last the end; those between part all iterations as
    /// evenly as they are remembered, to a thousandth or, of a journal with an index, to a five-hundredth.
    pub visits: Vec<Vec<u32>>,
    /// By the same times, and there by move: the mean reward for the first player of the iterations that took it; 0 without
    /// visits.
    pub means: Vec<Vec<f32>>,
}

/// A journal to watch, finished or still being written.
pub struct ReplayReader {
    path: PathBuf,
    backing: JournalBacking,
    game: String,
    position: String,
    limits: ReplayLimits,
}

/// The two ways to read a journal.
enum JournalBacking {
    /// All of it is in memory.
    InMemory(Box<InMemoryJournal>),
    /// It is too large for that.
    Indexed(Box<JournalIndex>),
}

/// A journal in memory.
struct InMemoryJournal {
    replay: GrowthReplay,
    /// By node of a tree: which of the root's moves leads to it.
    branches: Vec<u32>,
    tally: RootMoveTally,
    /// Why no more of it is read.
    stop_reason: Option<String>,
}

impl InMemoryJournal {
    fn new(replay: GrowthReplay) -> Self {
        let mut whole = Self {
            replay,
            branches: Vec::new(),
            tally: RootMoveTally::new(RootMoveTally::MAX_SAMPLES),
            stop_reason: None,
        };
        whole.update();
        whole
    }

    fn bytes(&self) -> usize {
        self.replay.bytes() + 4 * self.branches.capacity()
    }

    /// Which of the root's moves an iteration followed; none if it ended at the root.
    #[expect(
        clippy::indexing_slicing,
        reason = "the tables of a `Growth` are of the lengths that its builder has checked, and branches are extended first"
    )]
    fn branch_of_iteration(&self, iteration: u32) -> Option<usize> {
        let growth = self.replay.growth();
        let index = iteration as usize;
        if growth.kind.is_graph {
            let begin = path_start(growth, index);
            let edge = growth.paths[begin..growth.leaves[index] as usize].first()?;
            Some(edge.wrapping_sub(growth.moves[0].0) as usize)
        } else {
            let leaf = growth.leaves[index] as usize;
            (leaf > 0).then(|| self.branches[leaf] as usize)
        }
    }

    /// Updates the samples with newly read records.
    fn update(&mut self) {
        self.extend_branches();
        let growth = self.replay.growth();
        self.tally
            .extend_moves(root_edges(growth).map(|(edge, visits)| RootMoveStats {
                visits,
                sum: inherited_sum(growth, edge, visits),
            }));
        for iteration in self.tally.iterations..growth.iterations() {
            let branch = self.branch_of_iteration(iteration);
            let reward = growth.rewards.get(iteration as usize).copied();
            self.tally.count_iteration(branch, reward.unwrap_or(0));
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the tables of a `Growth` are of the lengths that its builder has checked"
    )]
    fn extend_branches(&mut self) {
        let growth = self.replay.growth();
        if growth.kind.is_graph {
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

impl ReplayReader {
    /// Opens a journal of a search in this game, from this position, and reads all of it.
    pub fn open(path: &Path, game: &str, position: &str) -> Result<Self, TreeError> {
        Ok(Self {
            path: path.to_owned(),
            backing: JournalBacking::InMemory(Box::new(InMemoryJournal::new(
                GrowthReplay::follow(JournalFollower::open(path)?),
            ))),
            game: game.to_owned(),
            position: position.to_owned(),
            limits: ReplayLimits::default(),
        })
    }

    /// Opens a journal, of which no more than these limits allow is kept in memory; [`Self::poll`] reads it.
    pub fn open_with_limits(
        path: &Path,
        game: &str,
        position: &str,
        limits: ReplayLimits,
    ) -> Result<Self, TreeError> {
        let file = GrowthJournalFile::open(path)?;
        let is_large =
            file.committed() as u128 * Self::MEMORY_PER_JOURNAL_BYTE > limits.max_bytes as u128;
        let reading = if is_large && !file.kind().is_graph {
            JournalBacking::Indexed(Box::new(JournalIndex::open(path, file, &limits)?))
        } else {
            let follower = JournalFollower::new(file, limits.max_bytes / 16);
            let replay = GrowthReplay::follow(follower).with_checkpoint_limit(limits.max_bytes / 4);
            JournalBacking::InMemory(Box::new(InMemoryJournal::new(replay)))
        };
        Ok(Self {
            path: path.to_owned(),
            backing: reading,
            game: game.to_owned(),
            position: position.to_owned(),
            limits,
        })
    }

    /// Approximate memory of a replayed tree, in bytes per journal byte.
    const MEMORY_PER_JOURNAL_BYTE: u128 = 12;

    /// Reads new records, with a memory limit one chunk of them; true if there were any.
    pub fn poll(&mut self) -> Result<bool, TreeError> {
        let is_limited = self.limits.max_bytes > 0;
        match &mut self.backing {
            JournalBacking::InMemory(whole) if whole.stop_reason.is_some() => Ok(false),
            JournalBacking::InMemory(whole) => {
                let result = if is_limited {
                    whole.replay.poll_chunk()
                } else {
                    whole.replay.poll()
                };
                whole.update();
                if is_limited {
                    self.enforce_memory_limit()?;
                }
                result
            }
            JournalBacking::Indexed(index) => {
                if !index.is_behind() {
                    index.refresh()?;
                }
                index.advance()
            }
        }
    }

    /// A tree that has become too large for memory gets an index; a graph is read no further.
    fn enforce_memory_limit(&mut self) -> Result<(), TreeError> {
        let JournalBacking::InMemory(whole) = &mut self.backing else {
            return Ok(());
        };
        let growth = whole.replay.growth();
        // The lists that grow are twice as long for a moment.
        if whole.bytes() * 3 / 2 <= self.limits.max_bytes {
            return Ok(());
        }
        if growth.kind.is_graph {
            whole.stop_reason = Some(
                "the graph in this journal does not fit into the memory budget: its iterations up to here can be shown"
                    .to_owned(),
            );
            return Ok(());
        }
        let file = GrowthJournalFile::open(&self.path)?;
        // Free the old replay before creating the new one.
        let empty = GrowthReplay::follow(JournalFollower::new(
            GrowthJournalFile::open(&self.path)?,
            0,
        ));
        self.backing = JournalBacking::InMemory(Box::new(InMemoryJournal::new(empty)));
        let index = JournalIndex::open(&self.path, file, &self.limits)?;
        self.backing = JournalBacking::Indexed(Box::new(index));
        Ok(())
    }

    /// Whether records are unread or the index can still be refined.
    pub fn is_behind(&self) -> bool {
        match &self.backing {
            JournalBacking::InMemory(whole) => {
                whole.stop_reason.is_none()
                    && (whole.replay.follower()).is_some_and(JournalFollower::is_behind)
            }
            JournalBacking::Indexed(index) => index.is_behind(),
        }
    }

    /// Bytes of records read, and committed.
    pub fn progress(&self) -> (u64, u64) {
        match &self.backing {
            JournalBacking::InMemory(whole) => {
                (whole.replay.follower()).map_or((0, 0), JournalFollower::progress)
            }
            JournalBacking::Indexed(index) => index.progress(),
        }
    }

    /// Why the journal is read no further, if that is so.
    pub fn stop_reason(&self) -> Option<&str> {
        match &self.backing {
            JournalBacking::InMemory(whole) => whole.stop_reason.as_deref(),
            JournalBacking::Indexed(index) => index.stop_reason(),
        }
    }

    /// The bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        match &self.backing {
            JournalBacking::InMemory(whole) => whole.bytes(),
            JournalBacking::Indexed(index) => index.bytes(),
        }
    }

    /// The bytes of the index, if the journal is too large for memory.
    pub fn index_bytes(&self) -> Option<u64> {
        match &self.backing {
            JournalBacking::InMemory(_) => None,
            JournalBacking::Indexed(index) => Some(index.index_bytes()),
        }
    }

    /// Iterations read so far.
    pub fn iterations(&self) -> u32 {
        match &self.backing {
            JournalBacking::InMemory(whole) => whole.replay.growth().iterations(),
            JournalBacking::Indexed(index) => index.iterations(),
        }
    }

    /// None while the journal grows; true if it ended before the search.
    pub fn ended(&self) -> Option<bool> {
        match &self.backing {
            JournalBacking::InMemory(whole) => whole.replay.growth().ended(),
            JournalBacking::Indexed(index) => index.ended(),
        }
    }

    /// Moves towards `iteration`, at most the last, by at most `steps`, for callers with a deadline. With an index it
    /// arrives at once.
    pub fn seek_towards(&mut self, iteration: u32, steps: u32) {
        if let JournalBacking::InMemory(whole) = &mut self.backing {
            whole.replay.seek_towards(iteration, steps);
        }
    }

    /// The current iteration; with an index always the last.
    pub fn current_iteration(&self) -> u32 {
        match &self.backing {
            JournalBacking::InMemory(whole) => whole.replay.current_iteration(),
            JournalBacking::Indexed(index) => index.iterations(),
        }
    }

    /// The tree after `iteration` iterations, at most the last: all of it, or its most visited part of at most `max_nodes`
    /// nodes. Fails if the journal is not one of this game, or its index cannot be read.
    pub fn tree_at(
        &mut self,
        iteration: u32,
        max_nodes: Option<u64>,
    ) -> Result<ReplayTree, String> {
        let (source, max_nodes) = match &mut self.backing {
            JournalBacking::InMemory(whole) => {
                whole.replay.seek(iteration);
                let limit = (self.limits.max_bytes > 0).then_some(self.limits.max_nodes as u64);
                let max_nodes = max_nodes.into_iter().chain(limit).min();
                (TreeSource::Replay(&whole.replay), max_nodes)
            }
            JournalBacking::Indexed(index) => {
                index.seek(iteration).map_err(|error| error.to_string())?;
                let (part, last) = index.current().ok_or("there is nothing to be shown")?;
                (TreeSource::Part(part, last), max_nodes)
            }
        };
        let visitor = ShowTree {
            source,
            position: &self.position,
            max_nodes,
        };
        games::with_game(&self.game, visitor).map_err(|error| error.to_string())?
    }

    /// What the journal says of an iteration, the first being 1; none if there is no such iteration, or the journal is too
    /// large for memory. Fails if the journal is not one of this game.
    pub fn iteration_record(&self, iteration: u32) -> Result<Option<IterationRecord>, String> {
        let JournalBacking::InMemory(whole) = &self.backing else {
            return Ok(None);
        };
        let Some(index) = iteration.checked_sub(1) else {
            return Ok(None);
        };
        let playout = match whole.replay.follower() {
            Some(follower) => (follower.playout_codes(index)).map_err(|error| error.to_string())?,
            None => None,
        };
        let visitor = ReadIteration {
            replay: &whole.replay,
            position: &self.position,
            iteration: index,
            playout,
        };
        games::with_game(&self.game, visitor).map_err(|error| error.to_string())?
    }

    /// Number of iterations whose playouts are recorded; 0 if the journal is too large for memory.
    pub fn recorded_playouts(&self) -> usize {
        match &self.backing {
            JournalBacking::InMemory(whole) => whole.replay.growth().recorded_playouts(),
            JournalBacking::Indexed(_) => 0,
        }
    }

    /// Visits and values of the root's moves at `sample_count` times.
    #[expect(
        clippy::indexing_slicing,
        reason = "the moves of the root are moves of the journal"
    )]
    pub fn root_move_history(&self, sample_count: usize) -> Result<RootMoveHistory, String> {
        let (tally, root_moves) = match &self.backing {
            JournalBacking::InMemory(whole) => {
                let growth = whole.replay.growth();
                let code = |edge: u32| growth.codes[edge as usize];
                let moves: Vec<(MoveCode, u32)> = root_edges(growth)
                    .map(|(edge, known)| (code(edge), known))
                    .collect();
                (Some(&whole.tally), moves)
            }
            JournalBacking::Indexed(index) => (index.tally(), index.root_moves()),
        };
        let Some(tally) = tally else {
            return Ok(RootMoveHistory::default());
        };
        let visitor = FormatRootMoves {
            // Positions of trees are in no frame.
            replay: match &self.backing {
                JournalBacking::InMemory(whole) => Some(&whole.replay),
                JournalBacking::Indexed(_) => None,
            },
            moves: &root_moves,
            position: &self.position,
        };
        let (moves, is_inverted) =
            games::with_game(&self.game, visitor).map_err(|error| error.to_string())??;
        let parts = sample_count.max(2) as u64 - 1;
        let at = |part: u64| {
            let until = (u64::from(tally.iterations) * part / parts) as u32;
            let index = (until / tally.sample_interval) as usize;
            let mut known = match tally.samples.get(index) {
                Some(samples) if until < tally.iterations => samples.clone(),
                _ => tally.current.iter().map(|stats| stats.sample()).collect(),
            };
            // Of moves that were not known yet no more is known now.
            let missing = root_moves.iter().skip(known.len());
            known.extend(missing.map(|&(_, visits)| RootMoveSample { visits, mean: 0.0 }));
            known
        };
        let times: Vec<Vec<RootMoveSample>> = (0..=parts).map(at).collect();
        let mean = |sample: &RootMoveSample| match is_inverted && sample.visits > 0 {
            true => 1.0 - sample.mean,
            false => sample.mean,
        };
        let visits = |time: &Vec<RootMoveSample>| time.iter().map(|one| one.visits).collect();
        Ok(RootMoveHistory {
            visits: times.iter().map(visits).collect(),
            means: (times.iter())
                .map(|time| time.iter().map(mean).collect())
                .collect(),
            moves,
        })
    }
}

/// The rewards of a root's move that are inherited from the search before, for the first player of the root's frame. In a
/// graph, where the position counts for all moves that lead to it, they are its mean for each of the move's visits.
fn inherited_sum(growth: &Growth, edge: u32, visits: u32) -> u64 {
    let of_node = |node: usize| growth.inherited.get(node).copied().unwrap_or_default();
    if !growth.kind.is_graph {
        return of_node(edge as usize + 1).1;
    }
    let edge = edge as usize;
    let target = growth.targets.get(edge).copied();
    let (all, sum) = target.map_or((0, 0), |target| of_node(target as usize));
    let mean = match all {
        0 => return u64::from(visits) * (ONE / 2),
        all => sum / u64::from(all),
    };
    let is_flipped = (growth.frames.get(edge)).is_some_and(|frame| frame & INVERTED_BIT != 0);
    let mean = match is_flipped {
        true => ONE.saturating_sub(mean),
        false => mean,
    };
    u64::from(visits).saturating_mul(mean)
}

/// The moves of the root, and their visits inherited from the search before.
#[expect(
    clippy::indexing_slicing,
    reason = "the tables of a `Growth` are of the lengths that its builder has checked"
)]
fn root_edges(growth: &Growth) -> impl Iterator<Item = (u32, u32)> {
    let (first, end) = growth.moves[0];
    (first..end).map(|edge| {
        let inherited = if growth.kind.is_graph {
            growth.inherited_edge_visits[edge as usize]
        } else {
            growth.inherited[edge as usize + 1].0
        };
        (edge, inherited)
    })
}
