//! A tree as it was after any number of iterations, rebuilt from its journal.

use super::{
    TreeError,
    growth::{Growth, JournalFollower, LeafMerge, PositionTable},
};
use crate::{
    games::Outcome,
    search::{
        EdgeView, ReferenceFrame, Reward, RootEdge, Searchable, TableEntry, TreeView,
        growth_records::RawTableEntry,
        mcts::{Grouping, Sharing, canonical_frame, square_reward},
    },
};

/// The statistics of a tree at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ReplayStats {
    iteration: u32,
    /// By node.
    visits: Vec<u32>,
    sums: Vec<u64>,
    /// By node, where squares are added up: the sums of squared rewards.
    squares: Vec<u64>,
    /// By move, in a graph.
    edge_visits: Vec<u32>,
    /// Number of visited nodes of a tree.
    visited_nodes: u64,
    /// Number of a graph's leaf merges applied.
    applied_merges: usize,
    /// By table entry: its key and statistics.
    entries: Vec<(u64, RawTableEntry)>,
    /// Number of seeds already applied.
    applied_seeds: usize,
}

impl ReplayStats {
    fn bytes(&self) -> usize {
        4 * (self.visits.capacity() + self.edge_visits.capacity())
            + 8 * (self.sums.capacity() + self.squares.capacity())
            + size_of::<(u64, RawTableEntry)>() * self.entries.capacity()
    }

    /// Extends the tables to the journal's current size, with inherited statistics for new items.
    #[expect(
        clippy::indexing_slicing,
        reason = "a journal only grows: its tables are at least as long as the statistics"
    )]
    fn extend_to(&mut self, growth: &Growth) {
        if let Some(known) = &growth.squares {
            let new = self.squares.len() as u32..growth.nodes() as u32;
            self.squares
                .extend(new.map(|node| known.get(&node).copied().unwrap_or(0)));
        }
        let new = &growth.inherited[self.visits.len()..];
        self.visited_nodes += new.iter().filter(|(visits, _)| *visits > 0).count() as u64;
        self.visits.extend(new.iter().map(|&(visits, _)| visits));
        self.sums.extend(new.iter().map(|&(_, sum)| sum));
        self.edge_visits
            .extend_from_slice(&growth.inherited_edge_visits[self.edge_visits.len()..]);
        if let Some(table) = &growth.table {
            self.entries.resize(table.len(), Default::default());
            self.apply_seeds(table, self.iteration);
        }
    }

    /// Applies the seeds of entries up to this iteration. In a journal of one thread, entries with the same key have them
    /// already.
    fn apply_seeds(&mut self, table: &PositionTable, at: u32) {
        while let Some(&(when, place, told)) = table.seeds.get(self.applied_seeds)
            && when <= at
        {
            if let Some((number, key)) = table.visited_entry(place)
                && let Some(entry) = self.entries.get_mut(number as usize)
                && !entry_matches(entry, key, table.verified)
            {
                *entry = (key, told);
            }
            self.applied_seeds += 1;
        }
    }

    /// Counts a visit in the table, after the node's own update. An entry of another position, or with fewer visits than the
    /// node, is replaced by the node's statistics, as `BoundedStore` does.
    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn update_table(&mut self, table: &PositionTable, node: u32, reward: u64) {
        let Some((number, key)) = table.entry_of_node(node) else {
            return;
        };
        let own = RawTableEntry {
            visits: self.visits[node as usize],
            sum: self.sums[node as usize],
            squares: self.squares.get(node as usize).copied().unwrap_or(0),
        };
        let entry = &mut self.entries[number as usize];
        let is_known = entry_matches(entry, key, table.verified);
        let (of, told) = entry;
        if table.verified && (!is_known || told.visits.wrapping_add(1) < own.visits) {
            (*of, *told) = (key, own);
            return;
        }
        told.visits = told.visits.wrapping_add(1);
        told.sum = told.sum.wrapping_add(reward);
        told.squares = told.squares.wrapping_add(square_reward(reward));
    }

    /// Adds the statistics of merged leaves to their nodes at this iteration. The leaves keep theirs, though unreachable, so
    /// that the merge can be reverted.
    fn apply_merges(&mut self, growth: &Growth, at: u32) {
        while let Some(join) = growth.merges.get(self.applied_merges)
            && join.iteration <= at
        {
            self.merge_leaf(join, u32::wrapping_add, u64::wrapping_add);
            self.applied_merges += 1;
        }
    }

    /// Reverts [`Self::apply_merges`] at this iteration.
    fn revert_merges(&mut self, growth: &Growth, at: u32) {
        while let Some(last) = self.applied_merges.checked_sub(1)
            && let Some(join) = growth.merges.get(last)
            && join.iteration >= at
        {
            self.merge_leaf(join, u32::wrapping_sub, u64::wrapping_sub);
            self.applied_merges = last;
        }
    }

    /// Adds the statistics of a leaf to those of the node it merged into, or subtracts them.
    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn merge_leaf(
        &mut self,
        join: &LeafMerge,
        visits: impl Fn(u32, u32) -> u32,
        sum: impl Fn(u64, u64) -> u64,
    ) {
        let (leaf, node) = (join.leaf as usize, join.node as usize);
        self.visits[node] = visits(self.visits[node], self.visits[leaf]);
        self.sums[node] = sum(self.sums[node], self.sums[leaf]);
        if !self.squares.is_empty() {
            self.squares[node] = sum(self.squares[node], self.squares[leaf]);
        }
    }

    /// Drops the tail that [`Self::extend_to`] can restore, because nothing has happened to it yet.
    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn trim_unchanged(&mut self, growth: &Growth) {
        let last = |figures: &Self| {
            let index = figures.visits.len().checked_sub(1)?;
            Some((index, (figures.visits[index], figures.sums[index])))
        };
        while last(self).is_some_and(|(index, known)| growth.inherited[index] == known) {
            self.visited_nodes -= u64::from(self.visits.pop() > Some(0));
            self.sums.pop();
            self.squares.pop();
        }
        while (self.edge_visits.last()).is_some_and(|&chosen| {
            growth.inherited_edge_visits[self.edge_visits.len() - 1] == chosen
        }) {
            self.edge_visits.pop();
        }
        let empty = <(u64, RawTableEntry)>::default();
        let used = self.entries.iter().rposition(|entry| *entry != empty);
        self.entries.truncate(used.map_or(0, |last| last + 1));
        self.entries.shrink_to_fit();
        self.visits.shrink_to_fit();
        self.sums.shrink_to_fit();
        self.squares.shrink_to_fit();
        self.edge_visits.shrink_to_fit();
    }
}

/// Whether an entry is occupied and, if entries are verified, has this key.
fn entry_matches((key, told): &(u64, RawTableEntry), wanted: u64, verified: bool) -> bool {
    told.visits > 0 && (!verified || *key == wanted)
}

/// The source of a journal's records.
enum JournalSource {
    /// It was read.
    Complete(Box<Growth>),
    /// It is read while it is written.
    Following(Box<JournalFollower>),
}

impl JournalSource {
    fn growth(&self) -> &Growth {
        match self {
            Self::Complete(growth) => growth,
            Self::Following(follower) => follower.growth(),
        }
    }
}

/// A journal that can be moved to any iteration. A seek takes a few milliseconds: it steps forwards or backwards from the
/// nearest checkpoint, since integer sums can be subtracted exactly.
pub struct GrowthReplay {
    source: JournalSource,
    stats: ReplayStats,
    /// Statistics at multiples of `step`, in order.
    checkpoints: Vec<ReplayStats>,
    checkpoint_interval: u32,
    /// The most bytes that these may take.
    max_checkpoint_bytes: usize,
    /// Room for the nodes of an iteration.
    path: Vec<u32>,
}

impl GrowthReplay {
    /// Upper bound of kept checkpoints.
    const MAX_CHECKPOINTS: usize = 12;
    /// Times closer than this are not worth remembering.
    const MIN_CHECKPOINT_INTERVAL: u32 = 20_000;

    /// A replay that stands before the first iteration.
    pub fn new(growth: Growth) -> Self {
        let mut replay = Self::from_source(JournalSource::Complete(Box::new(growth)));
        // The way there is remembered.
        replay.seek(u32::MAX);
        replay.seek(0);
        replay
    }

    /// A replay of a journal that may still be written; it stands before the first iteration.
    pub fn follow(follower: JournalFollower) -> Self {
        Self::from_source(JournalSource::Following(Box::new(follower)))
    }

    fn from_source(source: JournalSource) -> Self {
        let mut stats = ReplayStats::default();
        stats.extend_to(source.growth());
        Self {
            source,
            stats,
            checkpoints: Vec::new(),
            checkpoint_interval: Self::MIN_CHECKPOINT_INTERVAL,
            path: Vec::new(),
            max_checkpoint_bytes: usize::MAX,
        }
    }

    /// Limits the memory of checkpoints, in bytes.
    pub(super) fn with_checkpoint_limit(mut self, bytes: usize) -> Self {
        self.max_checkpoint_bytes = bytes;
        self
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let source = match &self.source {
            JournalSource::Complete(growth) => growth.bytes(),
            JournalSource::Following(follower) => follower.bytes(),
        };
        source + self.stats.bytes() + self.checkpoint_bytes()
    }

    fn checkpoint_bytes(&self) -> usize {
        self.checkpoints.iter().map(ReplayStats::bytes).sum()
    }

    /// The followed journal, if any.
    pub(super) fn follower(&self) -> Option<&JournalFollower> {
        match &self.source {
            JournalSource::Following(follower) => Some(follower),
            JournalSource::Complete(_) => None,
        }
    }

    /// Reads new records of a followed journal; true if there were any.
    pub fn poll(&mut self) -> Result<bool, TreeError> {
        self.read_more(JournalFollower::poll)
    }

    /// Reads the next chunk of a followed journal; true if there was one.
    pub(super) fn poll_chunk(&mut self) -> Result<bool, TreeError> {
        self.read_more(|follower| {
            if !follower.is_behind() {
                follower.refresh()?;
            }
            let is_more = follower.is_behind();
            if is_more {
                follower.read_chunk()?;
            }
            Ok(is_more)
        })
    }

    fn read_more(
        &mut self,
        read: impl FnOnce(&mut JournalFollower) -> Result<bool, TreeError>,
    ) -> Result<bool, TreeError> {
        let JournalSource::Following(follower) = &mut self.source else {
            return Ok(false);
        };
        // Before the first iteration more may become known of nodes that are there already.
        let has_begun = follower.growth().iterations() > 0;
        let result = read(follower);
        if !has_begun {
            self.stats = ReplayStats::default();
        }
        self.stats.extend_to(self.source.growth());
        result
    }

    /// The journal.
    pub fn growth(&self) -> &Growth {
        self.source.growth()
    }

    /// The current number of completed iterations.
    pub fn current_iteration(&self) -> u32 {
        self.stats.iteration
    }

    /// Moves to the state after `iterations`, at most the last.
    pub fn seek(&mut self, iterations: u32) {
        self.seek_towards(iterations, u32::MAX);
    }

    /// Moves towards `iterations` by at most `steps`, from the nearest checkpoint.
    pub fn seek_towards(&mut self, iterations: u32, steps: u32) {
        let to = iterations.min(self.growth().iterations());
        // A replaced table entry cannot be restored, so with a table there are no steps backwards.
        let is_one_way = self.growth().has_table();
        if is_one_way && to < self.stats.iteration {
            self.stats = ReplayStats::default();
            self.stats.extend_to(self.source.growth());
        }
        let distance = |figures: &ReplayStats| figures.iteration.abs_diff(to);
        let nearest = self
            .checkpoints
            .iter()
            .filter(|figures| !is_one_way || figures.iteration <= to)
            .min_by_key(|figures| distance(figures));
        // Copying the statistics of every node takes as long as thousands of iterations.
        if let Some(nearest) = nearest
            && distance(nearest) + Self::MIN_CHECKPOINT_INTERVAL / 2 < distance(&self.stats)
        {
            self.stats.clone_from(nearest);
            self.stats.extend_to(self.source.growth());
        }
        let at = self.stats.iteration;
        self.step_to(to.clamp(at.saturating_sub(steps), at.saturating_add(steps)));
    }

    fn step_to(&mut self, to: u32) {
        while self.stats.iteration < to {
            self.apply(self.stats.iteration, true);
            self.stats.iteration += 1;
            if self
                .stats
                .iteration
                .is_multiple_of(self.checkpoint_interval)
            {
                self.add_checkpoint();
            }
        }
        while self.stats.iteration > to {
            self.stats.iteration -= 1;
            self.apply(self.stats.iteration, false);
        }
    }

    /// Adds a checkpoint; above the memory limit, half of the checkpoints are dropped.
    fn add_checkpoint(&mut self) {
        let at = self.stats.iteration;
        if self
            .checkpoints
            .last()
            .is_some_and(|last| last.iteration >= at)
        {
            return;
        }
        let bytes = self.checkpoint_bytes() + self.stats.bytes();
        if self.checkpoints.len() >= Self::MAX_CHECKPOINTS || bytes > self.max_checkpoint_bytes {
            self.checkpoint_interval *= 2;
            let step = self.checkpoint_interval;
            self.checkpoints
                .retain(|figures| figures.iteration.is_multiple_of(step));
        }
        let bytes = self.checkpoint_bytes() + self.stats.bytes();
        if at.is_multiple_of(self.checkpoint_interval) && bytes <= self.max_checkpoint_bytes {
            let mut figures = self.stats.clone();
            figures.trim_unchanged(self.source.growth());
            self.checkpoints.push(figures);
        }
    }

    /// The reward of an iteration, the first being 0, for the first player of the root's frame, from 0 to 1.
    pub(super) fn reward_of(&self, iteration: usize) -> Option<f64> {
        self.growth()
            .rewards
            .get(iteration)
            .copied()
            .map(fixed_to_reward)
    }

    /// Adds an iteration to the statistics, or subtracts it.
    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn apply(&mut self, iteration: u32, forwards: bool) {
        let Self {
            source,
            stats: figures,
            path,
            ..
        } = self;
        let growth = source.growth();
        let index = iteration as usize;
        let reward = growth.rewards[index];
        if forwards {
            figures.apply_merges(growth, iteration + 1);
        }
        let mut visit = |node: usize, reward: u64| {
            let (visits, sum) = (&mut figures.visits[node], &mut figures.sums[node]);
            let squares = figures.squares.get_mut(node);
            if forwards {
                figures.visited_nodes += u64::from(*visits == 0);
                *visits = visits.wrapping_add(1);
                *sum = sum.wrapping_add(reward);
                if let Some(squares) = squares {
                    *squares = squares.wrapping_add(square_reward(reward));
                }
            } else {
                figures.visited_nodes -= u64::from(*visits == 1);
                *visits = visits.wrapping_sub(1);
                *sum = sum.wrapping_sub(reward);
                if let Some(squares) = squares {
                    *squares = squares.wrapping_sub(square_reward(reward));
                }
            }
        };
        if growth.kind.is_graph {
            let begin = index
                .checked_sub(1)
                .map_or(0, |before| growth.leaves[before] as usize);
            visit(0, reward);
            let mut flipped = false;
            let path = &growth.paths[begin..growth.leaves[index] as usize];
            for (place, &edge) in (1..).zip(path) {
                flipped ^= growth.frames[edge as usize] & INVERTED_BIT != 0;
                let mut node = growth.targets[edge as usize];
                // Only the end may be a leaf that is known since.
                if place == path.len() {
                    node = growth.target_at(edge, iteration + 1).unwrap_or(node);
                }
                visit(node as usize, if flipped { ONE - reward } else { reward });
                let chosen = &mut figures.edge_visits[edge as usize];
                *chosen = if forwards {
                    chosen.wrapping_add(1)
                } else {
                    chosen.wrapping_sub(1)
                };
            }
        } else {
            let mut node = growth.leaves[index];
            loop {
                visit(node as usize, reward);
                if node == 0 {
                    break;
                }
                node = growth.parents[node as usize - 1];
            }
            if let Some(table) = &growth.table {
                figures.apply_seeds(table, iteration + 1);
                // From the root down: two positions of the path may share an entry.
                path.clear();
                let mut node = growth.leaves[index];
                path.push(node);
                while node > 0 {
                    node = growth.parents[node as usize - 1];
                    path.push(node);
                }
                for &node in path.iter().rev() {
                    figures.update_table(table, node, reward);
                }
            }
        }
        if !forwards {
            figures.revert_merges(growth, iteration + 1);
        }
    }

    /// The tree as it is now, `root` being its root position. A journal is untrusted: callers must check that its moves are
    /// legal.
    pub fn view<'a, G: Searchable>(&'a self, root: &'a G) -> GrowthReplayView<'a, G> {
        GrowthReplayView { replay: self, root }
    }

    fn sharing(&self) -> Sharing {
        let kind = self.growth().kind;
        Sharing {
            transpositions: kind.is_graph,
            grouping: match kind.grouping {
                0 => Grouping::None,
                1 => Grouping::Rotations,
                _ => Grouping::Dihedral,
            },
            invert_colours: kind.invert_colours,
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn value(&self, node: usize) -> f64 {
        match self.stats.visits[node] {
            0 => 0.5,
            visits => fixed_to_reward(self.stats.sums[node]) / f64::from(visits),
        }
    }

    /// The sum of squared rewards for the first player of a node's frame, or of a move that leads nowhere yet; NaN if it is
    /// unknown.
    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn squares(&self, node: Option<u32>) -> f64 {
        if self.growth().squares.is_none() {
            return f64::NAN;
        }
        let squares = node.map_or(0, |node| self.stats.squares[node as usize]);
        fixed_to_reward(squares)
    }

    /// The table entry of a visited node, if it applies.
    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn table(&self, node: u32) -> Option<TableEntry> {
        let table = self.growth().table.as_ref()?;
        let (number, key) = table.entry_of_node(node)?;
        let entry = &self.stats.entries[number as usize];
        let (_, told) = entry;
        let visits = self.stats.visits[node as usize];
        let knows = visits > 0 && told.visits >= visits;
        (knows && entry_matches(entry, key, table.verified)).then(|| TableEntry {
            visits: told.visits,
            mean: fixed_to_reward(told.sum) / f64::from(told.visits),
            squares: if self.growth().squares.is_some() {
                fixed_to_reward(told.squares)
            } else {
                f64::NAN
            },
        })
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn proven(&self, node: u32) -> Option<Outcome> {
        let (since, outcome) = self.growth().proven[node as usize]?;
        (since <= self.stats.iteration).then_some(outcome)
    }
}

/// A sum of whole-number rewards as rewards in [0, 1].
fn fixed_to_reward(sum: u64) -> f64 {
    (sum as i64) as f64 * (1.0 / ONE as f64)
}

/// The reward of a win.
pub(super) const ONE: u64 = 1 << 32;
/// The bit of a frame that says that colours are exchanged.
pub(super) const INVERTED_BIT: u8 = 8;

/// The current tree of a [`GrowthReplay`], as a [`TreeView`].
pub struct GrowthReplayView<'a, G> {
    replay: &'a GrowthReplay,
    root: &'a G,
}

impl<G: Searchable> TreeView<G> for GrowthReplayView<'_, G> {
    fn root_position(&self) -> &G {
        self.root
    }

    fn root(&self) -> u32 {
        0
    }

    #[expect(clippy::indexing_slicing, reason = "there is always a root")]
    fn root_stats(&self) -> (u64, u64, Reward) {
        let visits = self.replay.stats.visits[0];
        let inherited = self.replay.growth().inherited[0].0;
        let first = self.replay.value(0);
        let inverted = self.frame(self.root).inverted;
        (
            visits.into(),
            u64::from(visits.wrapping_sub(inherited)),
            Reward::new(if inverted { 1.0 - first } else { first }),
        )
    }

    fn frame(&self, position: &G) -> ReferenceFrame {
        canonical_frame(position, self.replay.sharing())
    }

    #[expect(clippy::indexing_slicing, reason = "a parent is a node")]
    fn node_count(&self) -> Option<u64> {
        let (growth, figures) = (self.replay.growth(), &self.replay.stats);
        if growth.kind.is_graph {
            return None;
        }
        if growth.kind.hides_unvisited {
            return Some(figures.visited_nodes.max(1));
        }
        // Nodes are numbered in the order in which they were made, but for those that several threads made at one time.
        let is_made = |parent: &u32| growth.expanded_at[*parent as usize] <= figures.iteration;
        Some(growth.parents.partition_point(is_made) as u64 + 1)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        let (growth, figures) = (self.replay.growth(), &self.replay.stats);
        if growth.expanded_at[node as usize] > figures.iteration {
            return;
        }
        let (first, end) = growth.moves[node as usize];
        for edge in first..end {
            let index = edge as usize;
            let graph = growth.kind.is_graph;
            let child = if !graph {
                Some(edge + 1)
            } else {
                growth.target_at(edge, figures.iteration)
            };
            let node_visits = child.map_or(0, |child| figures.visits[child as usize]);
            let (visits, inherited) = if graph {
                (
                    figures.edge_visits[index],
                    growth.inherited_edge_visits[index],
                )
            } else {
                (node_visits, growth.inherited[edge as usize + 1].0)
            };
            if visits == 0 && growth.kind.hides_unvisited {
                continue;
            }
            visit(EdgeView {
                mv: G::move_from_bits(growth.codes[index]),
                child,
                visits: visits.into(),
                recent_visits: u64::from(visits.wrapping_sub(inherited)),
                node_visits: node_visits.into(),
                value: Reward::new(child.map_or(0.5, |child| self.replay.value(child as usize))),
                proven: child.and_then(|child| self.replay.proven(child)),
                pruned: false,
                prior: None,
                squares: self.replay.squares(child),
                table: child.and_then(|child| self.replay.table(child)),
                window: None,
            });
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the statistics are as long as the tables of their `Growth`, whose numbers the builder has checked"
    )]
    fn for_each_child(&self, node: u32, visit: &mut dyn FnMut(u64, Option<u32>)) {
        let (growth, figures) = (self.replay.growth(), &self.replay.stats);
        if growth.kind.is_graph {
            return self.for_each_edge(node, &mut |edge| visit(edge.visits, edge.child));
        }
        if growth.expanded_at[node as usize] > figures.iteration {
            return;
        }
        let (first, end) = growth.moves[node as usize];
        for child in first + 1..end + 1 {
            let visits = figures.visits[child as usize];
            if visits > 0 || !growth.kind.hides_unvisited {
                visit(visits.into(), Some(child));
            }
        }
    }

    fn is_graph(&self) -> bool {
        self.replay.growth().kind.is_graph
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            squares: self.replay.squares(Some(0)),
            table: self.replay.table(0),
            proven: self.replay.proven(0),
            window: None,
        }
    }
}
