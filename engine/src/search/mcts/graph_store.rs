//! The transposition graph: equal positions share one node, and so may positions that differ only by a symmetry of the board or
//! an exchange of colours.
//!
//! Edges count their own visits, nodes hold visits and rewards (UCT2 of Childs, Brodeur and Kocsis 2008: means from the child,
//! visits from the edge). A position of a symmetry class is stored as one of its images, in its reference frame; selection
//! works in the frames of the nodes, and edges store the transformation from one frame to the next. Keys contain everything
//! that ends a game, so the graph is acyclic.
//!
//! A position enters the index when it is expanded. Until then every edge to it has a leaf of its own with the one or two
//! playouts it made; if another node of the position is in the index by the time a leaf would be expanded, the leaf's statistics
//! are added to that node. Most leaves are never expanded, so the index is a third of the size. With several threads a position
//! enters the index at its first visit, because the statistics of a leaf that others are updating could not be moved.
//!
//! An edge that is followed for the first time ends selection and starts a playout, even if its position has a node already: an
//! iteration goes one edge beyond those before it, as in a tree.
//!
//! Edges are slots, and those of a node are next to each other as children are in the tree. The first edge to reach a position
//! holds the node in its own slot, whose number is the node's. Later edges are linked to it and hold a copy of its statistics, so
//! selection reads one range of memory per node, as in the tree. Backpropagation pays: it writes a node's statistics to all edges
//! that lead to it.
//!
//! ```text
//! word 0   visits of the edge (low half); visits of the node (high half)
//! word 1   sum of rewards for the first player of the node's frame, in units of 2^-32
//! then     sum of squared rewards, if the formula needs it
//! then     shape: see `slot`
//! then     link: see `slot`
//! last     prior of the move, if the formula needs it
//! ```
//!
//! Linked edges copy the node's child range when they are followed; proven results are stored in the node only. With several
//! threads a copy may lag behind for a moment; with one, never.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    node_arena::{Arena, Chunk, add},
    node_sharing::{Sharing, canonical_frame},
    node_store::{
        ChildRange, Expansion, NewChildren, NodeStore, PositionTable, SearchStep, SharedNodes,
        Transposition, Update, mean, sums_for_player, sums_for_player_x4, swap_players,
    },
    select::{RawChildStats, RawChildStatsX4, from_fixed_point},
    slot::{SharedNode, SlotShape},
    transposition_index::TranspositionIndex,
};
use crate::{
    games::{MAX_MOVE_BITS, Outcome, Player, Symmetry},
    machine::{Lanes, prefetch},
    rng::mix,
    search::{
        EdgeView, ReferenceFrame, Reward, RootEdge, Searchable,
        growth_records::{FIRST_TAG, GrowthBuffer, GrowthRecord},
    },
};

mod compact;
#[cfg(test)]
mod tests;

const COUNTS_WORD: usize = 0;
const SUM_WORD: usize = 1;
const SQUARES_WORD: usize = 2;
/// Position of the node's visits in [`COUNTS_WORD`].
const NODE_VISITS_SHIFT: u32 = 32;
/// The edge's visits in [`COUNTS_WORD`].
const EDGE_VISITS_MASK: u64 = (1 << NODE_VISITS_SHIFT) - 1;
/// The first slot in use. Slot 0 stands for none; its link word is 0.
const FIRST_SLOT: u32 = 1;

/// A node store in which positions reached by different moves share a node.
pub(super) struct GraphStore<const SQUARES: bool, const PRIORS: bool = false> {
    arena: Arena,
    /// Nodes by key; `None` without transpositions.
    index: Option<TranspositionIndex>,
    root: u32,
    /// [`COUNTS_WORD`] of every slot at the start of this search; later slots are missing.
    inherited_counts: Vec<u64>,
    sharing: Sharing,
    parallel: bool,
}

impl<const SQUARES: bool, const PRIORS: bool> GraphStore<SQUARES, PRIORS> {
    const SLOT_WORDS: usize = 4 + SQUARES as usize + PRIORS as usize;
    const SHAPE_WORD: usize = 2 + SQUARES as usize;
    const SHARED_NODE_WORD: usize = Self::SHAPE_WORD + 1;
    const PRIOR_WORD: usize = Self::SHAPE_WORD + 2;

    /// A graph with a memory limit in bytes.
    pub(super) fn new(bytes: usize, sharing: Sharing) -> Self {
        // A node takes one and a half index entries, and as much in the tables that the index has outgrown; but few edges are
        // followed, so there are far fewer nodes than slots.
        let reserved = if sharing.transpositions { bytes / 5 } else { 0 };
        const { assert!(1 << SlotShape::SLOT_BITS <= FIRST_TAG) };
        // One more word per slot for the inherited counts.
        let slots = (bytes - reserved) / 8 / (Self::SLOT_WORDS + 1);
        Self {
            arena: Arena::new(slots.clamp(16, (1 << SlotShape::SLOT_BITS) - 1) * Self::SLOT_WORDS),
            index: sharing
                .transpositions
                .then(|| TranspositionIndex::new(reserved / 8)),
            root: FIRST_SLOT,
            inherited_counts: Vec::new(),
            sharing,
            parallel: false,
        }
    }

    /// The offset of a slot in the arena.
    #[inline(always)]
    fn offset(slot: u32) -> usize {
        slot as usize * Self::SLOT_WORDS
    }

    /// Number of slots in use, slot 0 included.
    fn slot_count(&self) -> u32 {
        (self.arena.used() / Self::SLOT_WORDS) as u32
    }

    #[inline(always)]
    fn shape(&self, slot: u32) -> SlotShape {
        let word = self.arena.word(Self::offset(slot) + Self::SHAPE_WORD);
        SlotShape(word.load(Ordering::Acquire))
    }

    fn set_shape(&self, slot: u32, shape: SlotShape) {
        self.arena
            .set(Self::offset(slot) + Self::SHAPE_WORD, shape.0);
    }

    #[inline(always)]
    fn shared_node(&self, slot: u32) -> SharedNode {
        let word = self.arena.word(Self::offset(slot) + Self::SHARED_NODE_WORD);
        SharedNode(word.load(Ordering::Acquire))
    }

    fn set_shared_node(&self, slot: u32, shared: SharedNode) {
        self.arena
            .set(Self::offset(slot) + Self::SHARED_NODE_WORD, shared.0);
    }

    /// Replaces the link word if it is still `old`; true on success. With one thread it always is.
    #[inline(always)]
    fn compare_exchange_shared_node(&self, slot: u32, old: SharedNode, new: SharedNode) -> bool {
        let word = self.arena.word(Self::offset(slot) + Self::SHARED_NODE_WORD);
        if !self.parallel {
            word.store(new.0, Ordering::Relaxed);
            return true;
        }
        word.compare_exchange(old.0, new.0, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// The node that a slot's edge leads to, if the edge was followed.
    #[inline(always)]
    fn node_of_slot(&self, slot: u32) -> Option<u32> {
        let shared = self.shared_node(slot);
        shared.is_linked().then(|| shared.node(slot))
    }

    /// The node of a mixed key, if it is in the index.
    #[inline(always)]
    fn find_node(&self, key: u64) -> Option<u32> {
        let index = self.index.as_ref()?;
        index.find(key, |node| self.shared_node(node).has_key(key))
    }

    /// Enters the leaf in `slot` into the index. Returns `slot`, or the node that an equal position has already; `None` if the
    /// index is full.
    #[inline(always)]
    fn find_or_insert(&self, key: u64, slot: u32) -> Option<u32> {
        let Some(index) = &self.index else {
            return Some(slot);
        };
        let is_meant = |node| self.shared_node(node).has_key(key);
        index.find_or_insert(key, slot, is_meant, self.parallel)
    }

    /// Links a slot to a node in another slot: copies the node's statistics now and at every update.
    fn link(&self, slot: u32, node: u32) {
        loop {
            let shared = self.shared_node(node);
            self.set_shared_node(slot, SharedNode::stored_in(node).with_next(shared.next()));
            if self.compare_exchange_shared_node(node, shared, shared.with_next(slot)) {
                break;
            }
        }
        self.store_stats_copy(self.slot(slot), self.load_stats(node), self.parallel);
        self.copy_children(slot, node);
    }

    /// Counts, sum and squares of a slot. Without `SQUARES` the last is another word, which callers ignore.
    #[inline(always)]
    fn load_stats(&self, slot: u32) -> [u64; 3] {
        let words = self.slot(slot);
        [COUNTS_WORD, SUM_WORD, SQUARES_WORD].map(|word| words[word].load(Ordering::Relaxed))
    }

    /// [`SharedNodes::follow_new`] for several threads, which may follow the same edge at once. Returns the node.
    fn link_parallel(&self, slot: u32, key: u64, frame: u64) -> u32 {
        // Lookups in the index compare this key. If another thread was faster, it has stored the same.
        self.compare_exchange_shared_node(slot, SharedNode::UNLINKED, SharedNode::with_key(key));
        // If the index is full, the slot stays a leaf.
        let entered = self.find_or_insert(key, slot);
        let node = entered.unwrap_or(slot);
        // The frame must be visible before the link is.
        if frame != 0 {
            let word = self.arena.word(Self::offset(slot) + Self::SHAPE_WORD);
            word.fetch_or(frame, Ordering::AcqRel);
        }
        loop {
            let shared = self.shared_node(slot);
            if shared.is_linked() {
                return shared.node(slot);
            }
            let linked = match entered {
                Some(node) if node != slot => SharedNode::stored_in(node),
                Some(_) => shared.stored_here(),
                None => shared.stored_here().unindexed(),
            };
            if self.compare_exchange_shared_node(slot, shared, linked) {
                break;
            }
        }
        if node != slot {
            self.link(slot, node);
        }
        node
    }

    /// The words of a slot.
    #[inline(always)]
    fn slot(&self, slot: u32) -> &[AtomicU64] {
        self.arena.slice(Self::offset(slot), Self::SLOT_WORDS)
    }

    /// Writes a node's statistics to a linked slot, whose edge visits stay.
    #[inline(always)]
    fn store_stats_copy(
        &self,
        slot: &[AtomicU64],
        [counts, sum, squares]: [u64; 3],
        parallel: bool,
    ) {
        let seen = |own: u64| counts & !EDGE_VISITS_MASK | own & EDGE_VISITS_MASK;
        let own = &slot[COUNTS_WORD];
        if parallel {
            let _ = own.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |own| Some(seen(own)));
        } else {
            own.store(seen(own.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
        slot[SUM_WORD].store(sum, Ordering::Relaxed);
        if SQUARES {
            slot[SQUARES_WORD].store(squares, Ordering::Relaxed);
        }
    }

    /// Copies the child range of a node to a linked slot.
    #[inline(always)]
    fn copy_children(&self, slot: u32, node: u32) {
        let (first, count) = self.shape(node).children();
        let children = SlotShape::children_bits(first, count);
        let word = self.arena.word(Self::offset(slot) + Self::SHAPE_WORD);
        // The bits were 0 or the same before.
        if self.parallel {
            word.fetch_or(children, Ordering::AcqRel);
        } else {
            word.store(word.load(Ordering::Relaxed) | children, Ordering::Relaxed);
        }
    }

    /// Adds visits and rewards to a node and copies the result to all slots linked to it.
    #[inline(always)]
    fn add_to_node(&self, node: u32, visits: u64, [sum, squares]: [u64; 2], parallel: bool) {
        let node = self.slot(node);
        let counts = add(&node[COUNTS_WORD], visits << NODE_VISITS_SHIFT, parallel);
        let sum = add(&node[SUM_WORD], sum, parallel);
        let squares = if SQUARES {
            add(&node[SQUARES_WORD], squares, parallel)
        } else {
            0
        };
        let mut next = SharedNode(node[Self::SHARED_NODE_WORD].load(Ordering::Acquire)).next();
        while next != 0 {
            let slot = self.slot(next);
            self.store_stats_copy(slot, [counts, sum, squares], parallel);
            next = SharedNode(slot[Self::SHARED_NODE_WORD].load(Ordering::Acquire)).next();
        }
    }

    /// Virtual loss of `visits` visits, as rewards for the first player of the node's frame: lost by the player who moved. A reward
    /// of 0 or 1 is its own square.
    #[inline(always)]
    fn virtual_loss(&self, step: &SearchStep, visits: u64) -> u64 {
        // The root has no edge.
        let is_inverted = step.node != self.root && self.shape(step.edge as u32).is_inverted();
        match opponent_if(step.mover, is_inverted) {
            Player::First => 0,
            Player::Second => visits << 32,
        }
    }

    /// Adds rewards and squared rewards to one slot, without copying to linked ones.
    #[inline(always)]
    fn add_rewards(&self, slot: &[AtomicU64], [sum, squares]: [u64; 2]) {
        if sum != 0 {
            add(&slot[SUM_WORD], sum, self.parallel);
            if SQUARES {
                add(&slot[SQUARES_WORD], squares, self.parallel);
            }
        }
    }

    /// Visits, and the mean for the first player of the node's frame.
    fn visits_and_value(&self, node: u32) -> (u32, f64) {
        let word = Self::offset(node);
        let visits = (self.arena.get(word + COUNTS_WORD) >> NODE_VISITS_SHIFT) as u32;
        (visits, mean(self.arena.get(word + SUM_WORD), visits))
    }

    /// The sum of squared rewards for the first player of the node's frame.
    fn squares(&self, node: u32) -> f64 {
        if SQUARES {
            from_fixed_point(self.arena.get(Self::offset(node) + SQUARES_WORD))
        } else {
            f64::NAN
        }
    }

    /// The prior of an edge, as the bits of an `f64`.
    #[inline(always)]
    fn prior_bits(&self, edge: usize) -> u64 {
        self.arena.get(Self::offset(edge as u32) + Self::PRIOR_WORD)
    }

    /// [`COUNTS_WORD`] of a slot at the start of this search.
    fn inherited_counts_of(&self, slot: u32) -> u64 {
        self.inherited_counts
            .get(slot as usize)
            .copied()
            .unwrap_or(0)
    }
}

#[inline(always)]
fn opponent_if(player: Player, inverted: bool) -> Player {
    if inverted { player.opponent() } else { player }
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool> NodeStore<G>
    for GraphStore<SQUARES, PRIORS>
{
    const HOLDS_PRIORS: bool = PRIORS;

    fn record_inherited(&self, growth: &mut GrowthBuffer<'_>) {
        let mut seen = vec![false; self.slot_count() as usize];
        seen[self.root as usize] = true;
        let mut pending = vec![self.root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.shape(node).children();
            let slots = first as u32..(first + count) as u32;
            if count > 0 {
                let codes = slots.clone().map(|slot| self.shape(slot).mv());
                growth.push_moves(node, first as u32, codes);
            }
            let visits = NodeStore::<G>::visits(self, node);
            if visits > 0 {
                let sum = self.arena.get(Self::offset(node) + SUM_WORD);
                growth.push(GrowthRecord::InheritedStats { node, visits, sum });
            }
            if SQUARES && (visits > 0 || node == self.root) {
                let squares = self.arena.get(Self::offset(node) + SQUARES_WORD);
                growth.push(GrowthRecord::InheritedSquares { node, squares });
            }
            if let Some(outcome) = NodeStore::<G>::proven(self, node) {
                growth.push(GrowthRecord::Proven { node, outcome });
            }
            for slot in slots {
                let Some(child) = self.node_of_slot(slot) else {
                    continue;
                };
                growth.push(GrowthRecord::Link {
                    edge: slot,
                    node: child,
                    frame: SharedNodes::<G>::frame_bits(self, slot as usize),
                });
                growth.push(GrowthRecord::InheritedEdgeVisits {
                    edge: slot,
                    visits: NodeStore::<G>::edge_visits(self, slot as usize),
                });
                if !std::mem::replace(&mut seen[child as usize], true) {
                    pending.push(child);
                }
            }
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            squares: self.squares(self.root),
            proven: NodeStore::<G>::proven(self, self.root),
            ..RootEdge::default()
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        let mut counts_before = Vec::new();
        counts_before.try_reserve_exact(self.inherited_counts.len())?;
        counts_before.extend_from_slice(&self.inherited_counts);
        Ok(Self {
            arena: self.arena.try_clone()?,
            index: None,
            root: self.root,
            inherited_counts: counts_before,
            sharing: self.sharing,
            parallel: false,
        })
    }

    fn reset(&mut self, root: &G) {
        self.arena.truncate(Self::offset(FIRST_SLOT + 1));
        for word in 0..Self::offset(FIRST_SLOT + 1) {
            self.arena.set(word, 0);
        }
        self.set_shape(FIRST_SLOT, SlotShape::ROOT);
        self.root = FIRST_SLOT;
        if let Some(index) = &mut self.index {
            index.clear();
        }
        let key = if self.sharing.has_grouping() {
            self.sharing.canonical(root).0.key()
        } else {
            root.key()
        };
        self.set_shared_node(FIRST_SLOT, SharedNode::with_key(mix(key)).stored_here());
        // Cannot fail: the index is empty.
        let _ = self.find_or_insert(mix(key), FIRST_SLOT);
    }

    fn advance(&mut self, root: &G, mv: G::Move) -> bool {
        let mv = match SharedNodes::<G>::frame(self, root).symmetry {
            Some(symmetry) => G::image_of_move(mv, symmetry),
            None => mv,
        };
        let (first, count) = self.shape(self.root).children();
        let bits = G::move_to_bits(mv);
        let found = (first as u32..)
            .take(count)
            .find(|&slot| self.shape(slot).mv() == bits)
            .and_then(|slot| self.node_of_slot(slot));
        found.is_some_and(|node| self.compact_to_subtree(node))
    }

    fn mark_inherited(&mut self) -> bool {
        self.inherited_counts = Vec::new();
        if NodeStore::<G>::visits(self, self.root) == 0 {
            return true;
        }
        let mut counts = Vec::new();
        let has_room = counts.try_reserve_exact(self.slot_count() as usize).is_ok();
        if has_room {
            counts.extend(
                (0..self.slot_count()).map(|slot| self.arena.get(Self::offset(slot) + COUNTS_WORD)),
            );
            self.inherited_counts = counts;
        }
        has_room
    }

    fn missing_words(&self) -> usize {
        self.arena.missing_words()
            + self
                .index
                .as_ref()
                .map_or(0, TranspositionIndex::missing_words)
    }

    fn root(&self) -> u32 {
        self.root
    }

    fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    #[inline(always)]
    fn visits(&self, node: u32) -> u32 {
        (self.arena.get(Self::offset(node) + COUNTS_WORD) >> NODE_VISITS_SHIFT) as u32
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        self.shape(node).children()
    }

    #[inline(always)]
    fn child_range(&self, step: &SearchStep) -> ChildRange {
        let words = self.slot(step.edge as u32);
        let counts = words[COUNTS_WORD].load(Ordering::Relaxed);
        let (first, count) = SlotShape(words[Self::SHAPE_WORD].load(Ordering::Acquire)).children();
        ChildRange {
            edge_visits: counts as u32,
            visits: (counts >> NODE_VISITS_SHIFT) as u32,
            first,
            count,
        }
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        G::move_from_bits(self.shape(edge as u32).mv())
    }

    #[inline(always)]
    fn child_stats(&self, edge: usize, mover: Player) -> RawChildStats {
        // The node's own statistics, which never lag behind; zeros if the edge was never followed.
        let node = self.slot(self.node_of_slot(edge as u32).unwrap_or(edge as u32));
        let visits = (node[COUNTS_WORD].load(Ordering::Relaxed) >> NODE_VISITS_SHIFT) as u32;
        let squares = if SQUARES {
            node[SQUARES_WORD].load(Ordering::Relaxed)
        } else {
            0
        };
        let inverted = self.shape(edge as u32).is_inverted();
        let (sum, squares) = sums_for_player(
            node[SUM_WORD].load(Ordering::Relaxed),
            squares,
            visits,
            opponent_if(mover, inverted),
        );
        RawChildStats {
            edge_visits: NodeStore::<G>::edge_visits(self, edge),
            visits,
            sum,
            squares: if SQUARES { squares } else { 0 },
            prior: if PRIORS { self.prior_bits(edge) } else { 0 },
        }
    }

    #[inline(always)]
    fn child_stats_x4<L: Lanes>(&self, first: usize, mover: Player) -> RawChildStatsX4<L> {
        let slots = &self.arena.words()[Self::offset(first as u32)..];
        let (counts, sum, squares) = if SQUARES {
            let [counts, sum, squares, _] = L::load_four_columns(slots, Self::SLOT_WORDS);
            (counts, sum, squares)
        } else {
            let [counts, sum] = L::load_two_columns(slots, Self::SLOT_WORDS);
            (counts, sum, L::splat(0))
        };
        let visits = counts >> L::splat(NODE_VISITS_SHIFT.into());
        let mut turned = L::splat((mover as u64).wrapping_neg());
        if self.sharing.invert_colours {
            let shapes = [0, 1, 2, 3].map(|lane| self.shape((first + lane) as u32).0);
            turned = turned ^ SlotShape::inverted_masks_x4(shapes);
        }
        let (sum, squares) = sums_for_player_x4(sum, squares, visits, turned);
        RawChildStatsX4 {
            edge_visits: counts & L::splat(EDGE_VISITS_MASK),
            visits,
            sum,
            squares: if SQUARES { squares } else { L::splat(0) },
            prior: if PRIORS {
                L::from([0, 1, 2, 3].map(|lane| self.prior_bits(first + lane)))
            } else {
                L::splat(0)
            },
        }
    }

    #[inline(always)]
    fn edge_visits(&self, edge: usize) -> u32 {
        self.arena.get(Self::offset(edge as u32) + COUNTS_WORD) as u32
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        self.shape(node).proven()
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        let proven = self.shape(self.node_of_slot(edge as u32)?).proven()?;
        Some(if self.shape(edge as u32).is_inverted() {
            swap_players(proven)
        } else {
            proven
        })
    }

    fn set_proven(&self, node: u32, outcome: Outcome) {
        self.arena
            .word(Self::offset(node) + Self::SHAPE_WORD)
            .fetch_or(SlotShape::proven_bits(outcome), Ordering::Relaxed);
    }

    #[inline(always)]
    fn expand(&self, at: &SearchStep, new: NewChildren<'_, G>, chunk: &mut Chunk) -> Expansion {
        let NewChildren { moves, priors, .. } = new;
        const { assert!(G::MOVE_BITS <= MAX_MOVE_BITS) };
        debug_assert!(moves.len() <= SlotShape::MAX_CHILDREN);
        let word = self.arena.word(Self::offset(at.node) + Self::SHAPE_WORD);
        if self.parallel {
            let childless = word.load(Ordering::Relaxed) & !SlotShape::CHILDREN_MASK;
            // The first thread to set the mark expands the leaf.
            let taken = word.compare_exchange(
                childless,
                childless | SlotShape::EXPANDING,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if taken.is_err() {
                return Expansion::Busy;
            }
        }
        let Some(start) = self.arena.allocate(moves.len() * Self::SLOT_WORDS, chunk) else {
            word.fetch_and(!SlotShape::CHILDREN_MASK, Ordering::Relaxed);
            return Expansion::Full;
        };
        let starts = (start..).step_by(Self::SLOT_WORDS);
        for (index, (start, &mv)) in starts.zip(moves).enumerate() {
            self.arena.set(start + COUNTS_WORD, 0);
            self.arena.set(start + SUM_WORD, 0);
            let shape = SlotShape::from_move(G::move_to_bits(mv));
            self.arena.set(start + Self::SHAPE_WORD, shape.0);
            self.arena
                .set(start + Self::SHARED_NODE_WORD, SharedNode::UNLINKED.0);
            if SQUARES {
                self.arena.set(start + SQUARES_WORD, 0);
            }
            if PRIORS {
                self.arena
                    .set(start + Self::PRIOR_WORD, priors[index].to_bits());
            }
        }
        let children = SlotShape::children_bits(start / Self::SLOT_WORDS, moves.len());
        // Another thread may set the proven bits of the same word meanwhile.
        if self.parallel {
            word.fetch_xor(children ^ SlotShape::EXPANDING, Ordering::Release);
        } else {
            word.store(word.load(Ordering::Relaxed) | children, Ordering::Relaxed);
        }
        self.copy_children(at.edge as u32, at.node);
        Expansion::Done
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool) {
        let slot = edge as u32;
        let words = self.slot(slot);
        // In this order: the frame is written before the link.
        let shared = SharedNode(words[Self::SHARED_NODE_WORD].load(Ordering::Acquire));
        let shape = SlotShape(words[Self::SHAPE_WORD].load(Ordering::Acquire));
        let mv = G::move_from_bits(shape.mv());
        if !shared.is_linked() {
            return SharedNodes::<G>::follow_new(self, edge, mv, position);
        }
        let node = shared.node(slot);
        // Backpropagation will write to these.
        prefetch(self.arena.words(), Self::offset(node));
        prefetch(self.arena.words(), Self::offset(shared.next()));
        position.play(mv);
        let mut inverted = false;
        if self.sharing.has_grouping() {
            inverted = shape.is_inverted();
            if inverted && let Some(image) = position.inverted() {
                *position = image;
            }
            if shape.symmetry() != Symmetry::IDENTITY {
                *position = position.image(shape.symmetry());
            }
        }
        (node, inverted)
    }

    #[inline(always)]
    fn add_virtual_loss(&self, step: &SearchStep, visits: u32) {
        let lost = self.virtual_loss(step, visits.into());
        let (visits, of_node) = (u64::from(visits), u64::from(visits) << NODE_VISITS_SHIFT);
        let node = self.slot(step.node);
        if step.edge as u32 == step.node {
            add(&node[COUNTS_WORD], of_node + visits, self.parallel);
        } else {
            add(&node[COUNTS_WORD], of_node, self.parallel);
            // Selection of other threads reads the copy; the next update of the node overwrites it.
            let edge = self.slot(step.edge as u32);
            add(&edge[COUNTS_WORD], of_node + visits, self.parallel);
            self.add_rewards(edge, [lost; 2]);
        }
        self.add_rewards(node, [lost; 2]);
    }

    // Not inlined: only parallel searches use it, single threads use `backpropagate`.
    #[inline(never)]
    fn apply(&self, step: &SearchStep, update: &Update) {
        let rewards = update.sums_for(opponent_if(Player::First, step.flipped));
        let lost = self.virtual_loss(step, update.completed_visits());
        let rewards = <[u64; 2]>::from(rewards).map(|sum| sum.wrapping_sub(lost));
        let visits = update.visits as u64;
        self.add_to_node(step.node, visits, rewards, self.parallel);
        if visits != 0 {
            let edge = self
                .arena
                .word(Self::offset(step.edge as u32) + COUNTS_WORD);
            add(edge, visits, self.parallel);
        }
    }

    #[inline(always)]
    fn backpropagate(&self, path: &[SearchStep], reward: u64) {
        let rewards = [Player::First, Player::Second]
            .map(|player| <[u64; 2]>::from(Update::new(reward).sums_for(player)));
        for step in path {
            self.add_to_node(step.node, 1, rewards[usize::from(step.flipped)], false);
            let edge = self
                .arena
                .word(Self::offset(step.edge as u32) + COUNTS_WORD);
            add(edge, 1, false);
        }
    }

    fn usage(&self) -> (usize, u64) {
        let index = self
            .index
            .as_ref()
            .map_or(0, TranspositionIndex::used_words);
        let words = self.arena.used() + index + self.inherited_counts.len();
        (words, u64::from(self.slot_count() - FIRST_SLOT))
    }

    fn edge_view(&self, edge: usize) -> EdgeView<G::Move> {
        let child = self.node_of_slot(edge as u32);
        // An edge that was never followed has zeros in its own slot.
        let node = child.unwrap_or(edge as u32);
        let chosen = NodeStore::<G>::edge_visits(self, edge);
        let before = self.inherited_counts_of(edge as u32) as u32;
        let (node_visits, value) = self.visits_and_value(node);
        EdgeView {
            mv: NodeStore::<G>::move_of(self, edge),
            child,
            visits: chosen.into(),
            recent_visits: (chosen - before).into(),
            node_visits: node_visits.into(),
            value: Reward::new(value),
            proven: NodeStore::<G>::proven(self, node),
            pruned: false,
            squares: self.squares(node),
            prior: PRIORS.then(|| f64::from_bits(self.prior_bits(edge))),
            table: None,
            window: None,
        }
    }

    fn root_stats(&self) -> (u64, u64, f64) {
        let (visits, value) = self.visits_and_value(self.root);
        let before = (self.inherited_counts_of(self.root) >> NODE_VISITS_SHIFT) as u32;
        (visits.into(), (visits - before).into(), value)
    }
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool> SharedNodes<G>
    for GraphStore<SQUARES, PRIORS>
{
    const IS_GRAPH: bool = true;

    fn frame(&self, position: &G) -> ReferenceFrame {
        canonical_frame(position, self.sharing)
    }

    fn frame_bits(&self, edge: usize) -> u32 {
        let shape = self.shape(edge as u32);
        u32::from(shape.symmetry().to_bits()) | u32::from(shape.is_inverted()) << 3
    }

    fn is_unlinked(&self, edge: usize) -> bool {
        !self.shared_node(edge as u32).is_linked()
    }

    // Not inlined: keeps its register pressure out of the selection loop.
    #[inline(never)]
    fn follow_new(&self, edge: usize, mv: G::Move, position: &mut G) -> (u32, bool) {
        let slot = edge as u32;
        let words = self.slot(slot);
        prefetch(words, COUNTS_WORD);
        position.play(mv);
        let (mut symmetry, mut inverted) = (Symmetry::IDENTITY, false);
        if self.sharing.has_grouping() {
            (*position, symmetry, inverted) = self.sharing.canonical(position);
        }
        let key = mix(position.key());
        let frame = SlotShape::frame_bits(symmetry, inverted);
        let node = if self.parallel {
            self.link_parallel(slot, key, frame)
        } else {
            // The slot is probably not cached: write only, do not wait for a read.
            debug_assert!(
                SharedNodes::<G>::is_unlinked(self, edge),
                "{slot} was followed before"
            );
            let shape = SlotShape(SlotShape::from_move(G::move_to_bits(mv)).0 | frame);
            words[Self::SHAPE_WORD].store(shape.0, Ordering::Relaxed);
            match self.find_node(key) {
                Some(node) => {
                    words[COUNTS_WORD].store(0, Ordering::Relaxed);
                    self.link(slot, node);
                    node
                }
                None => {
                    words[Self::SHARED_NODE_WORD]
                        .store(SharedNode::with_key(key).stored_here().0, Ordering::Relaxed);
                    slot
                }
            }
        };
        (node, inverted)
    }

    #[inline(never)]
    fn resolve_transposition(&self, step: &SearchStep, position: &G) -> Transposition {
        if self.index.is_none() {
            return Transposition::Own;
        }
        let slot = step.edge as u32;
        if step.node != slot {
            // The node may have been expanded since this edge was linked.
            self.copy_children(slot, step.node);
            return match self.shape(slot).children() {
                (_, 0) => Transposition::Own,
                _ => Transposition::Shared(step.node),
            };
        }
        // With several threads it is in the index already, unless that was full.
        if self.parallel && !self.shared_node(slot).is_unindexed() {
            return Transposition::Own;
        }
        let Some(node) = self.find_or_insert(mix(position.key()), slot) else {
            return Transposition::Full;
        };
        if node == slot {
            return Transposition::Own;
        }
        if self.parallel {
            // The index was full at the first visit, and an equal position has entered it since.
            return Transposition::Full;
        }
        let [counts, rewards @ ..] = self.load_stats(slot);
        self.link(slot, node);
        self.add_to_node(node, counts >> NODE_VISITS_SHIFT, rewards, false);
        Transposition::Shared(node)
    }
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool> PositionTable<G>
    for GraphStore<SQUARES, PRIORS>
{
}
