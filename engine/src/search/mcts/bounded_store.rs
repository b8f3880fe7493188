//! A tree whose means come from a transposition table of fixed size (report 002): a position's rewards count for every node that
//! has the position. Visits are those of the tree.
//!
//! The key of a position selects its entry. With verification the entry stores the key, and a position replaces the entry of
//! another; without, positions that share an entry are mixed, as in the report's program.
//!
//! A replaced entry starts with the statistics of the node that takes it, so a position that lost its entry loses nothing of its
//! own. If an entry has fewer visits than a node, because an equal position elsewhere in the tree took it last, the node uses its
//! own mean. A small table is therefore never worse than none.
//!
//! With several threads an entry also counts visits in flight, which readers take as lost (virtual loss). That count may be off
//! by a few when an entry is replaced meanwhile, and an entry taken while other threads are below the node counts their visits
//! twice; neither is corrected.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    node_arena::{Chunk, add},
    node_store::{
        ChildRange, Expansion, NewChildren, NodeStore, PositionTable, SearchStep, SharedNodes,
        Update, sums_for_player,
    },
    select::{RawChildStats, from_fixed_point},
    tree_store::TreeStore,
};
use crate::{
    games::{Outcome, Player},
    machine::AtomicWords,
    search::{
        EdgeView, RootEdge, Searchable, TableEntry,
        growth_records::{GrowthBuffer, GrowthRecord, RawTableEntry},
    },
};

const KEY_WORD: usize = 0;
/// Visits (low half) and visits in flight (high half).
const VISITS_WORD: usize = 1;
const IN_FLIGHT_SHIFT: u32 = 32;
const SUM_WORD: usize = 2;
const SQUARES_WORD: usize = 3;

/// A tree with a transposition table.
pub(super) struct BoundedStore<const SQUARES: bool, const PRIORS: bool = false> {
    tree: TreeStore<SQUARES, PRIORS, true>,
    /// Per entry: key, visits, sum of rewards for the first player, and sum of squares if the formula needs it. An entry without
    /// visits is empty.
    table: AtomicWords,
    entries: u64,
    /// Number of entries requested.
    requested_entries: u64,
    verify_key: bool,
    /// In a copy, which has no table: the entry of every node.
    entries_by_node: Option<Vec<Option<TableEntry>>>,
    /// True if the table may hold entries.
    dirty: bool,
    parallel: bool,
}

impl<const SQUARES: bool, const PRIORS: bool> BoundedStore<SQUARES, PRIORS> {
    const ENTRY_WORDS: usize = 3 + SQUARES as usize;

    /// A table of `entries`, limited to half of `bytes`, and a tree in the rest.
    pub(super) fn new(bytes: usize, entries: usize, verify: bool) -> Self {
        let most = (bytes / 2 / 8 / Self::ENTRY_WORDS).max(1);
        let table = AtomicWords::zeroed_up_to(entries.clamp(1, most) * Self::ENTRY_WORDS)
            .without_huge_pages();
        let tree = TreeStore::new(bytes.saturating_sub(table.len() * 8));
        Self {
            tree,
            entries: (table.len() / Self::ENTRY_WORDS) as u64,
            requested_entries: entries as u64,
            table,
            verify_key: verify,
            entries_by_node: None,
            dirty: false,
            parallel: false,
        }
    }

    #[inline(always)]
    fn entry(&self, key: u64) -> &[AtomicU64] {
        let start = (key % self.entries) as usize * Self::ENTRY_WORDS;
        &self.table[start..start + Self::ENTRY_WORDS]
    }

    #[inline(always)]
    fn has_key(&self, entry: &[AtomicU64], key: u64) -> bool {
        !self.verify_key || entry[KEY_WORD].load(Ordering::Relaxed) == key
    }

    /// The entry of a key, if there is one.
    fn raw_entry(&self, key: u64) -> Option<RawTableEntry> {
        let entry = self.entry(key);
        let word = |word: usize| entry[word].load(Ordering::Relaxed);
        let visits = word(VISITS_WORD) as u32;
        (visits > 0 && self.has_key(entry, key)).then(|| RawTableEntry {
            visits,
            sum: word(SUM_WORD),
            squares: if SQUARES { word(SQUARES_WORD) } else { 0 },
        })
    }

    /// The entry of a node's position, its visits and visits in flight, if they are at least the node's own `visits`.
    #[inline(always)]
    fn complete_entry(&self, node: u32, visits: u32) -> Option<(&[AtomicU64], u32, u32)> {
        let key = self.tree.key(node);
        let entry = self.entry(key);
        let word = entry[VISITS_WORD].load(Ordering::Relaxed);
        let (known, in_flight) = (word as u32, (word >> IN_FLIGHT_SHIFT) as u32);
        let knows = known > 0 && known.saturating_add(in_flight) >= visits;
        (knows && self.has_key(entry, key)).then_some((entry, known, in_flight))
    }

    /// Adds `rewards` visits to an entry and ends `arrived` visits in flight; returns the entry's visits, those in flight included.
    #[inline(always)]
    fn add_visits(&self, visits: &AtomicU64, rewards: u64, arrived: u64) -> u32 {
        if !self.parallel {
            return add(visits, rewards, false) as u32;
        }
        let counted = |word: u64| {
            let in_flight = (word >> IN_FLIGHT_SHIFT).saturating_sub(arrived);
            (u64::from(word as u32) + rewards) | in_flight << IN_FLIGHT_SHIFT
        };
        let old = visits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            Some(counted(word))
        });
        let now = old.map_or(0, counted);
        (now as u32).saturating_add((now >> IN_FLIGHT_SHIFT) as u32)
    }

    /// The entry of a node's position, if it has at least the node's visits.
    fn table_entry(&self, node: u32) -> Option<TableEntry> {
        if let Some(entries) = &self.entries_by_node {
            return entries[node as usize];
        }
        let own = self.tree.node_stats(node);
        let (entry, visits, _) = self.complete_entry(node, own.visits)?;
        Some(TableEntry {
            visits,
            mean: from_fixed_point(entry[SUM_WORD].load(Ordering::Relaxed)) / f64::from(visits),
            squares: if SQUARES {
                from_fixed_point(entry[SQUARES_WORD].load(Ordering::Relaxed))
            } else {
                f64::NAN
            },
        })
    }
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool> NodeStore<G>
    for BoundedStore<SQUARES, PRIORS>
{
    const HOLDS_PRIORS: bool = PRIORS;

    fn reset(&mut self, root: &G) {
        NodeStore::<G>::reset(&mut self.tree, root);
        if self.dirty {
            self.table.clear();
        }
        self.dirty = true;
    }

    fn advance(&mut self, root: &G, mv: G::Move) -> bool {
        NodeStore::<G>::advance(&mut self.tree, root, mv)
    }

    fn mark_inherited(&mut self) -> bool {
        NodeStore::<G>::mark_inherited(&mut self.tree)
    }

    fn missing_words(&self) -> usize {
        NodeStore::<G>::missing_words(&self.tree)
    }

    fn root(&self) -> u32 {
        NodeStore::<G>::root(&self.tree)
    }

    fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
        NodeStore::<G>::set_parallel(&mut self.tree, parallel);
    }

    #[inline(always)]
    fn visits(&self, node: u32) -> u32 {
        NodeStore::<G>::visits(&self.tree, node)
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        NodeStore::<G>::edges(&self.tree, node)
    }

    #[inline(always)]
    fn child_range(&self, step: &SearchStep) -> ChildRange {
        NodeStore::<G>::child_range(&self.tree, step)
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        NodeStore::<G>::move_of(&self.tree, edge)
    }

    #[inline(always)]
    fn child_stats(&self, edge: usize, mover: Player) -> RawChildStats {
        let own = self.tree.node_stats(edge as u32);
        if own.edge_visits == 0 {
            return own;
        }
        let Some((entry, known, in_flight)) = self.complete_entry(edge as u32, own.visits) else {
            return own;
        };
        let squares = if SQUARES {
            entry[SQUARES_WORD].load(Ordering::Relaxed)
        } else {
            0
        };
        let (sum, squares) = sums_for_player(
            entry[SUM_WORD].load(Ordering::Relaxed),
            squares,
            known,
            mover,
        );
        RawChildStats {
            edge_visits: own.edge_visits,
            // Visits in flight count as lost: they add no reward.
            visits: known.saturating_add(in_flight),
            sum,
            squares: if SQUARES { squares } else { 0 },
            prior: own.prior,
        }
    }

    #[inline(always)]
    fn edge_visits(&self, edge: usize) -> u32 {
        NodeStore::<G>::edge_visits(&self.tree, edge)
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        NodeStore::<G>::proven(&self.tree, node)
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        NodeStore::<G>::edge_proven(&self.tree, edge)
    }

    fn set_proven(&self, node: u32, outcome: Outcome) {
        NodeStore::<G>::set_proven(&self.tree, node, outcome);
    }

    #[inline(always)]
    fn expand(&self, at: &SearchStep, new: NewChildren<'_, G>, chunk: &mut Chunk) -> Expansion {
        self.tree.expand(at, new, chunk)
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool) {
        self.tree.follow(edge, position)
    }

    #[inline(always)]
    fn add_virtual_loss(&self, step: &SearchStep, visits: u32) {
        NodeStore::<G>::add_virtual_loss(&self.tree, step, visits);
        let key = self.tree.key(step.node);
        let entry = self.entry(key);
        if self.has_key(entry, key) {
            let in_flight = u64::from(visits) << IN_FLIGHT_SHIFT;
            add(&entry[VISITS_WORD], in_flight, true);
        }
    }

    #[inline(always)]
    fn apply(&self, step: &SearchStep, update: &Update) {
        NodeStore::<G>::apply(&self.tree, step, update);
        let key = self.tree.key(step.node);
        let entry = self.entry(key);
        let is_taken = !self.has_key(entry, key);
        let (rewards, sum, squares) = update.reward_sums();
        let known = if is_taken {
            0
        } else {
            self.add_visits(&entry[VISITS_WORD], rewards, update.completed_visits())
        };
        let own = self.tree.node_stats(step.node);
        if is_taken || self.verify_key && known < own.visits {
            // The tree has sums for the player who moved; the conversion is its own inverse.
            let (sum, squares) = sums_for_player(own.sum, own.squares, own.visits, step.mover);
            entry[KEY_WORD].store(key, Ordering::Relaxed);
            entry[VISITS_WORD].store(own.visits.into(), Ordering::Relaxed);
            entry[SUM_WORD].store(sum, Ordering::Relaxed);
            if SQUARES {
                entry[SQUARES_WORD].store(squares, Ordering::Relaxed);
            }
            return;
        }
        add(&entry[SUM_WORD], sum, self.parallel);
        if SQUARES {
            add(&entry[SQUARES_WORD], squares, self.parallel);
        }
    }

    fn usage(&self) -> (usize, u64) {
        let (words, nodes) = NodeStore::<G>::usage(&self.tree);
        (words + self.table.len(), nodes)
    }

    fn edge_view(&self, edge: usize) -> EdgeView<G::Move> {
        let own = NodeStore::<G>::edge_view(&self.tree, edge);
        // An unvisited edge does not use its position's entry.
        let is_visited = own.visits > 0;
        EdgeView {
            table: self.table_entry(edge as u32).filter(|_| is_visited),
            ..own
        }
    }

    fn record_inherited(&self, growth: &mut GrowthBuffer<'_>) {
        growth.push(GrowthRecord::Table {
            entries: self.entries,
            verified: self.verify_key,
        });
        NodeStore::<G>::record_inherited(&self.tree, growth);
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            if NodeStore::<G>::visits(&self.tree, node) > 0 {
                PositionTable::<G>::record_table_entry(self, node, growth);
            }
            let (first, count) = NodeStore::<G>::edges(&self.tree, node);
            pending.extend(first as u32..(first + count) as u32);
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            table: self.table_entry(0),
            ..NodeStore::<G>::root_edge(&self.tree)
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        let (_, nodes) = NodeStore::<G>::usage(&self.tree);
        let mut entries_by_node = Vec::new();
        entries_by_node.try_reserve_exact(nodes as usize)?;
        entries_by_node.extend((0..nodes as u32).map(|node| self.table_entry(node)));
        Ok(Self {
            tree: NodeStore::<G>::try_clone(&self.tree)?,
            table: AtomicWords::zeroed_up_to(1),
            entries_by_node: Some(entries_by_node),
            ..*self
        })
    }

    fn root_stats(&self) -> (u64, u64, f64) {
        NodeStore::<G>::root_stats(&self.tree)
    }
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool> SharedNodes<G>
    for BoundedStore<SQUARES, PRIORS>
{
}

impl<G: Searchable, const SQUARES: bool, const PRIORS: bool> PositionTable<G>
    for BoundedStore<SQUARES, PRIORS>
{
    const HAS_TABLE: bool = true;

    fn table_entries(&self) -> Option<(u64, u64)> {
        Some((self.entries, self.requested_entries))
    }

    fn record_table_entry(&self, node: u32, growth: &mut GrowthBuffer<'_>) {
        let key = self.tree.key(node);
        let stats = self.raw_entry(key);
        growth.push(GrowthRecord::TableEntry { node, key, stats });
    }
}
