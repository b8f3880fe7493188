//! The tree store: nodes of three to six words in one arena, the children of a node next to each other.
//!
//! ```text
//! word 0   visits (low half), visits before this search (high half)
//! word 1   sum of rewards for the player who moved here, in units of 2^-32
//! then     sum of squared rewards, if the formula needs it
//! then     the link: first child (bits 0-31), number of children (32-43; 0 for a leaf, all ones while a thread expands it),
//!          move (44-58), player who made it (59), proven result (60-61)
//! then     prior, if the formula needs it
//! last     key of the position, if there is a table
//! ```

use std::{io, sync::atomic::Ordering};

use super::{
    node_arena::{Arena, Chunk, add},
    node_store::{
        ChildRange, Expansion, NewChildren, NodeStore, PositionTable, SearchStep, SharedNodes,
        Update, mean, outcome_from_bits, outcome_to_bits, sums_for_player,
    },
    score_bounds::{MarginBounds, ScoreBounds},
    select::{RawChildStats, RawChildStatsX4, from_fixed_point},
};
use crate::{
    games::{MAX_MOVE_BITS, MoveCode, Outcome, Player},
    machine::Lanes,
    search::{
        EdgeView, Reward, RootEdge, Searchable,
        growth_records::{FIRST_TAG, GrowthBuffer, GrowthRecord},
    },
};

const VISITS_WORD: usize = 0;
const SUM_WORD: usize = 1;
const SQUARES_WORD: usize = 2;
/// The bits of first child and child count, and their value while a thread adds children.
const CHILDREN_MASK: u64 = (1 << MOVE_BIT) - 1;
const EXPANDING: u64 = (MAX_CHILDREN + 1) << 32;
const MAX_CHILDREN: u64 = (1 << 12) - 2;
const MOVE_BIT: u32 = 44;
const MOVER_BIT: u32 = MOVE_BIT + MAX_MOVE_BITS;
const PROVEN_BIT: u32 = MOVER_BIT + 1;
/// Marks nodes to keep, during compaction only.
const KEPT_FLAG: u64 = 1 << (PROVEN_BIT + 2);

/// A node store in which every node has one parent.
pub(super) struct TreeStore<
    const SQUARES: bool,
    const PRIORS: bool = false,
    const KEYED: bool = false,
> {
    arena: Arena,
    parallel: bool,
    /// Bounds of every node's margin, if the solver proves margins.
    score_bounds: Option<ScoreBounds>,
}

impl<const SQUARES: bool, const PRIORS: bool, const KEYED: bool> TreeStore<SQUARES, PRIORS, KEYED> {
    const NODE_WORDS: usize = 3 + SQUARES as usize + PRIORS as usize + KEYED as usize;
    const LINK_WORD: usize = 2 + SQUARES as usize;
    const PRIOR_WORD: usize = Self::LINK_WORD + 1;
    const KEY_WORD: usize = Self::NODE_WORDS - 1;

    /// A tree with a memory limit in bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self::with_nodes(bytes / 8 / Self::NODE_WORDS)
    }

    /// A tree with a memory limit in bytes, which also keeps bounds of margins.
    pub(super) fn with_score_bounds(bytes: usize) -> Self {
        let nodes = bytes / 8 / (Self::NODE_WORDS + 1);
        Self {
            score_bounds: Some(ScoreBounds::new(nodes.clamp(1, FIRST_TAG as usize))),
            ..Self::with_nodes(nodes)
        }
    }

    fn with_nodes(nodes: usize) -> Self {
        // Node numbers have 32 bits, of which growth records reserve the largest for tags.
        let nodes = nodes.clamp(1, FIRST_TAG as usize);
        Self {
            arena: Arena::new(nodes * Self::NODE_WORDS),
            parallel: false,
            score_bounds: None,
        }
    }

    #[inline(always)]
    fn offset(node: u32) -> usize {
        node as usize * Self::NODE_WORDS
    }

    /// The key of a node's position.
    #[inline(always)]
    pub(super) fn key(&self, node: u32) -> u64 {
        self.arena.get(Self::offset(node) + Self::KEY_WORD)
    }

    /// A node's statistics for the player who moved there.
    #[inline(always)]
    pub(super) fn node_stats(&self, node: u32) -> RawChildStats {
        let words = self.arena.slice(Self::offset(node), Self::NODE_WORDS);
        let visits = words[VISITS_WORD].load(Ordering::Relaxed) as u32;
        RawChildStats {
            edge_visits: visits,
            visits,
            sum: words[SUM_WORD].load(Ordering::Relaxed),
            squares: if SQUARES {
                words[SQUARES_WORD].load(Ordering::Relaxed)
            } else {
                0
            },
            prior: if PRIORS {
                words[Self::PRIOR_WORD].load(Ordering::Relaxed)
            } else {
                0
            },
        }
    }

    #[inline(always)]
    fn init_node(&self, node: u32, mv: MoveCode, mover: Player, prior: f64, key: u64) {
        let word = Self::offset(node);
        self.arena.set(word + VISITS_WORD, 0);
        self.arena.set(word + SUM_WORD, 0);
        self.arena.set(
            word + Self::LINK_WORD,
            u64::from(mv) << MOVE_BIT | (mover as u64) << MOVER_BIT,
        );
        if SQUARES {
            self.arena.set(word + SQUARES_WORD, 0);
        }
        if PRIORS {
            self.arena.set(word + Self::PRIOR_WORD, prior.to_bits());
        }
        if KEYED {
            self.arena.set(word + Self::KEY_WORD, key);
        }
    }

    #[inline(always)]
    fn shape(&self, node: u32) -> u64 {
        self.arena.get(Self::offset(node) + Self::LINK_WORD)
    }

    fn set_shape(&self, node: u32, shape: u64) {
        self.arena.set(Self::offset(node) + Self::LINK_WORD, shape);
    }

    /// The first child and the number of children.
    #[inline(always)]
    fn children(&self, node: u32) -> (u32, u32) {
        let shape = self
            .arena
            .word(Self::offset(node) + Self::LINK_WORD)
            .load(Ordering::Acquire);
        children_of(shape)
    }

    fn mover(&self, node: u32) -> Player {
        if self.shape(node) >> MOVER_BIT & 1 == 0 {
            Player::First
        } else {
            Player::Second
        }
    }

    #[inline(always)]
    fn move_bits(&self, node: u32) -> MoveCode {
        (self.shape(node) >> MOVE_BIT) as MoveCode & ((1 << MAX_MOVE_BITS) - 1)
    }

    /// Converts the root's sums to `player`. At the root that is the opponent of the player to move, which after an extra turn is
    /// not the player who moved here.
    fn set_root_perspective(&mut self, player: Player) {
        if self.mover(0) == player {
            return;
        }
        let visits = self.arena.get(VISITS_WORD) as u32;
        let squares = if SQUARES {
            self.arena.get(SQUARES_WORD)
        } else {
            0
        };
        let (sum, squares) =
            sums_for_player(self.arena.get(SUM_WORD), squares, visits, Player::Second);
        self.arena.set(SUM_WORD, sum);
        if SQUARES {
            self.arena.set(SQUARES_WORD, squares);
        }
        self.arena.set(
            Self::LINK_WORD,
            self.arena.get(Self::LINK_WORD) ^ 1 << MOVER_BIT,
        );
    }

    /// Visits, inherited visits, and the mean for the first player.
    fn visits_and_value(&self, node: u32) -> (u64, u64, f64) {
        let word = self.arena.get(Self::offset(node) + VISITS_WORD);
        let visits = word as u32;
        // The conversion is its own inverse.
        let (sum, _) = sums_for_player(
            self.arena.get(Self::offset(node) + SUM_WORD),
            0,
            visits,
            self.mover(node),
        );
        (visits.into(), word >> 32, mean(sum, visits))
    }

    /// The sum of squared rewards for the first player.
    fn squares(&self, node: u32) -> f64 {
        if !SQUARES {
            return f64::NAN;
        }
        let word = Self::offset(node);
        let visits = self.arena.get(word + VISITS_WORD) as u32;
        let (sum, squares) = (
            self.arena.get(word + SUM_WORD),
            self.arena.get(word + SQUARES_WORD),
        );
        from_fixed_point(sums_for_player(sum, squares, visits, self.mover(node)).1)
    }

    /// Moves the subtree of `root` to the front of the arena; `root` becomes node 0, the others keep their order. In place: nodes
    /// to keep are flagged, and their new numbers replace the inherited visits, which every search marks anew.
    fn compact_to_subtree(&mut self, root: u32) {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.children(node);
            for child in first..first + count {
                self.set_shape(child, self.shape(child) | KEPT_FLAG);
                if self.children(child).1 > 0 {
                    pending.push(child);
                }
            }
        }
        let mut end = 1;
        for node in self.kept_nodes() {
            let visits = self.arena.get(Self::offset(node) + VISITS_WORD) & u64::from(u32::MAX);
            self.arena.set(
                Self::offset(node) + VISITS_WORD,
                visits | u64::from(end) << 32,
            );
            end += 1;
        }
        for node in std::iter::once(root).chain(self.kept_nodes()) {
            let (first, count) = self.children(node);
            if count > 0 {
                let now = self.arena.get(Self::offset(first) + VISITS_WORD) >> 32;
                let others = self.shape(node) & !CHILDREN_MASK;
                self.set_shape(node, others | now | u64::from(count) << 32);
            }
        }
        self.arena
            .copy_down(Self::offset(root), 0, Self::NODE_WORDS);
        self.relocate_score_bounds(root, 0);
        for node in 1..self.node_count() {
            if self.shape(node) & KEPT_FLAG != 0 {
                self.set_shape(node, self.shape(node) & !KEPT_FLAG);
                let place = (self.arena.get(Self::offset(node) + VISITS_WORD) >> 32) as u32;
                let (from, to) = (Self::offset(node), Self::offset(place));
                self.arena.copy_down(from, to, Self::NODE_WORDS);
                self.relocate_score_bounds(node, place);
            }
        }
        self.arena.truncate(Self::offset(end));
        for word in (0..self.arena.used()).step_by(Self::NODE_WORDS) {
            let visits = self.arena.get(word + VISITS_WORD) & u64::from(u32::MAX);
            self.arena.set(word + VISITS_WORD, visits);
        }
    }

    fn relocate_score_bounds(&self, from: u32, to: u32) {
        if let Some(bounds) = &self.score_bounds {
            bounds.relocate(from, to);
        }
    }

    /// The nodes flagged to be kept.
    fn kept_nodes(&self) -> impl Iterator<Item = u32> {
        (1..self.node_count()).filter(|&node| self.shape(node) & KEPT_FLAG != 0)
    }

    fn node_count(&self) -> u32 {
        (self.arena.used() / Self::NODE_WORDS) as u32
    }
}

/// The first child and the number of children of a shape word.
#[inline(always)]
fn children_of(shape: u64) -> (u32, u32) {
    match shape & CHILDREN_MASK {
        EXPANDING => (0, 0),
        children => (children as u32, (children >> 32) as u32),
    }
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool, const KEYED: bool> NodeStore<G>
    for TreeStore<SQUARES, PRIORS, KEYED>
{
    const HOLDS_PRIORS: bool = PRIORS;

    fn reset(&mut self, root: &G) {
        self.arena.truncate(Self::NODE_WORDS);
        self.init_node(
            0,
            0,
            root.to_move().opponent(),
            1.0,
            if KEYED { root.key() } else { 0 },
        );
        if let Some(bounds) = &self.score_bounds {
            bounds.clear(0, 1);
        }
    }

    fn advance(&mut self, root: &G, mv: G::Move) -> bool {
        let (first, count) = self.children(0);
        let bits = G::move_to_bits(mv);
        let found = (first..first + count).find(|&child| self.move_bits(child) == bits);
        if let Some(child) = found {
            self.compact_to_subtree(child);
            let mut after = root.clone();
            after.play(mv);
            self.set_root_perspective(after.to_move().opponent());
        }
        found.is_some()
    }

    fn mark_inherited(&mut self) -> bool {
        for word in (0..self.arena.used()).step_by(Self::NODE_WORDS) {
            let visits = self.arena.get(word + VISITS_WORD) & u64::from(u32::MAX);
            self.arena.set(word + VISITS_WORD, visits | visits << 32);
        }
        true
    }

    fn missing_words(&self) -> usize {
        self.arena.missing_words()
    }

    fn root(&self) -> u32 {
        0
    }

    fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    #[inline(always)]
    fn visits(&self, node: u32) -> u32 {
        self.arena.get(Self::offset(node) + VISITS_WORD) as u32
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        let (first, count) = self.children(node);
        (first as usize, count as usize)
    }

    #[inline(always)]
    fn child_range(&self, step: &SearchStep) -> ChildRange {
        let node = self.arena.slice(Self::offset(step.node), Self::NODE_WORDS);
        let visits = node[VISITS_WORD].load(Ordering::Relaxed) as u32;
        let (first, count) = children_of(node[Self::LINK_WORD].load(Ordering::Acquire));
        ChildRange {
            edge_visits: visits,
            visits,
            first: first as usize,
            count: count as usize,
        }
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        G::move_from_bits(self.move_bits(edge as u32))
    }

    #[inline(always)]
    fn child_stats(&self, edge: usize, _: Player) -> RawChildStats {
        self.node_stats(edge as u32)
    }

    #[inline(always)]
    fn child_stats_x4<L: Lanes>(&self, first: usize, _: Player) -> RawChildStatsX4<L> {
        let nodes = &self.arena.words()[first * Self::NODE_WORDS..];
        let (visits, sum, squares) = if SQUARES {
            let [visits, sum, squares, _] = L::load_four_columns(nodes, Self::NODE_WORDS);
            (visits, sum, squares)
        } else {
            let [visits, sum] = L::load_two_columns(nodes, Self::NODE_WORDS);
            (visits, sum, L::splat(0))
        };
        let visits = visits & L::splat(u32::MAX.into());
        RawChildStatsX4 {
            edge_visits: visits,
            visits,
            sum,
            squares,
            prior: if PRIORS {
                let word = |lane: usize| &nodes[lane * Self::NODE_WORDS + Self::PRIOR_WORD];
                L::from([0, 1, 2, 3].map(|lane| word(lane).load(Ordering::Relaxed)))
            } else {
                L::splat(0)
            },
        }
    }

    #[inline(always)]
    fn edge_visits(&self, edge: usize) -> u32 {
        NodeStore::<G>::visits(self, edge as u32)
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        outcome_from_bits(self.shape(node) >> PROVEN_BIT)
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        outcome_from_bits(self.shape(edge as u32) >> PROVEN_BIT)
    }

    fn set_proven(&self, node: u32, outcome: Outcome) {
        self.arena
            .word(Self::offset(node) + Self::LINK_WORD)
            .fetch_or(outcome_to_bits(outcome) << PROVEN_BIT, Ordering::Relaxed);
    }

    fn keeps_score_bounds(&self) -> bool {
        self.score_bounds.is_some()
    }

    fn score_bounds(&self, node: u32) -> MarginBounds {
        (self.score_bounds.as_ref()).map_or(MarginBounds::UNKNOWN, |bounds| bounds.get(node))
    }

    fn tighten_score_bounds(&self, node: u32, bounds: MarginBounds) -> bool {
        (self.score_bounds.as_ref()).is_some_and(|known| known.tighten(node, bounds))
    }

    #[inline(always)]
    fn expand(&self, at: &SearchStep, new: NewChildren<'_, G>, chunk: &mut Chunk) -> Expansion {
        let NewChildren {
            position,
            moves,
            priors,
        } = new;
        const { assert!(G::MOVE_BITS <= MAX_MOVE_BITS) };
        debug_assert!(moves.len() as u64 <= MAX_CHILDREN);
        let shape = self.arena.word(Self::offset(at.node) + Self::LINK_WORD);
        if self.parallel {
            // The first thread to set the mark expands the leaf.
            let childless = shape.load(Ordering::Relaxed) & !CHILDREN_MASK;
            let taken = shape.compare_exchange(
                childless,
                childless | EXPANDING,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if taken.is_err() {
                return Expansion::Busy;
            }
        }
        let Some(start) = self.arena.allocate(moves.len() * Self::NODE_WORDS, chunk) else {
            shape.fetch_and(!CHILDREN_MASK, Ordering::Relaxed);
            return Expansion::Full;
        };
        let first = (start / Self::NODE_WORDS) as u32;
        let mover = position.to_move();
        for (index, (child, &mv)) in (first..).zip(moves).enumerate() {
            let key = if KEYED {
                let mut after = position.clone();
                after.play(mv);
                after.key()
            } else {
                0
            };
            let prior = if PRIORS { priors[index] } else { 0.0 };
            self.init_node(child, G::move_to_bits(mv), mover, prior, key);
        }
        if let Some(bounds) = &self.score_bounds {
            bounds.clear(first, moves.len());
        }
        let children = u64::from(first) | (moves.len() as u64) << 32;
        // Another thread may set the proven bits of the same word meanwhile.
        if self.parallel {
            shape.fetch_xor(children ^ EXPANDING, Ordering::Release);
        } else {
            shape.store(shape.load(Ordering::Relaxed) | children, Ordering::Relaxed);
        }
        Expansion::Done
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool) {
        position.play(NodeStore::<G>::move_of(self, edge));
        (edge as u32, false)
    }

    #[inline(always)]
    fn add_virtual_loss(&self, step: &SearchStep, visits: u32) {
        let visited = self.arena.word(Self::offset(step.node) + VISITS_WORD);
        add(visited, visits.into(), true);
    }

    #[inline(always)]
    fn apply(&self, step: &SearchStep, update: &Update) {
        let node = self.arena.slice(Self::offset(step.node), Self::NODE_WORDS);
        let (sum, squares) = update.sums_for(step.mover);
        if update.visits != 0 {
            add(&node[VISITS_WORD], update.visits as u64, self.parallel);
        }
        add(&node[SUM_WORD], sum, self.parallel);
        if SQUARES {
            add(&node[SQUARES_WORD], squares, self.parallel);
        }
    }

    fn usage(&self) -> (usize, u64) {
        (
            self.arena.used(),
            (self.arena.used() / Self::NODE_WORDS) as u64,
        )
    }

    fn edge_view(&self, edge: usize) -> EdgeView<G::Move> {
        let node = edge as u32;
        let (visits, inherited, value) = self.visits_and_value(node);
        EdgeView {
            mv: NodeStore::<G>::move_of(self, edge),
            child: Some(node),
            visits,
            recent_visits: visits - inherited,
            node_visits: visits,
            value: Reward::new(value),
            proven: NodeStore::<G>::proven(self, node),
            pruned: false,
            squares: self.squares(node),
            prior: PRIORS
                .then(|| f64::from_bits(self.arena.get(Self::offset(node) + Self::PRIOR_WORD))),
            table: None,
            window: None,
        }
    }

    fn record_inherited(&self, growth: &mut GrowthBuffer<'_>) {
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            let (first, count) = self.children(node);
            if count > 0 {
                let codes = (first..first + count).map(|child| self.move_bits(child));
                growth.push_moves(node, first, codes);
            }
            let word = Self::offset(node);
            let visits = self.arena.get(word + VISITS_WORD) as u32;
            let squares = if SQUARES {
                self.arena.get(word + SQUARES_WORD)
            } else {
                0
            };
            let (sum, squares) = sums_for_player(
                self.arena.get(word + SUM_WORD),
                squares,
                visits,
                self.mover(node),
            );
            if visits > 0 {
                growth.push(GrowthRecord::InheritedStats { node, visits, sum });
            }
            if SQUARES && (visits > 0 || node == 0) {
                growth.push(GrowthRecord::InheritedSquares { node, squares });
            }
            if let Some(outcome) = NodeStore::<G>::proven(self, node) {
                growth.push(GrowthRecord::Proven { node, outcome });
            }
            pending.extend(first..first + count);
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            squares: self.squares(0),
            proven: NodeStore::<G>::proven(self, 0),
            ..RootEdge::default()
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            arena: self.arena.try_clone()?,
            parallel: false,
            score_bounds: (self.score_bounds.as_ref())
                .map(|bounds| bounds.try_clone(self.node_count() as usize))
                .transpose()?,
        })
    }

    fn root_stats(&self) -> (u64, u64, f64) {
        let (visits, inherited, value) = self.visits_and_value(0);
        (visits, visits - inherited, value)
    }
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool, const KEYED: bool> SharedNodes<G>
    for TreeStore<SQUARES, PRIORS, KEYED>
{
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool, const KEYED: bool> PositionTable<G>
    for TreeStore<SQUARES, PRIORS, KEYED>
{
}
