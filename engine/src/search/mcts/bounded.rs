//! A tree whose means come from a table of positions (report 002): whatever path led to a position, its rewards count.
//!
//! The table has a fixed number of entries; a position's key says where its entry is. Normally the key is stored too, and
//! another position's entry is replaced; unverified, positions that fall on one entry are mixed, as the report's program
//! did. Visits stay those of the tree.
//!
//! An entry begins with what the node that takes it knows of itself, so that a position does not lose what was learnt when
//! another took its entry meanwhile. Where an entry knows less than a node does, because it was last taken by an equal position
//! elsewhere in the tree, the node falls back on its own mean. So a small table is never worse than none.
//!
//! Beside other threads an entry also counts the visits that are under way: to whoever looks at it they are lost (virtual
//! loss). That count may be off by a few when the entry changes hands meanwhile, and is not missed then. An
//! entry that is taken while other threads are on their way through the node counts their visits twice.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    arena::{Plot, add},
    select::{Tally, as_rewards},
    store::{Expansion, News, Outlook, Step, Store, sums_seen_by},
    tree::Tree,
};
use crate::{
    games::{Outcome, Player},
    machine::Words,
    search::{
        Edge, Frame, RootEdge, Searchable, TableEntry,
        growth::{Entry, Record, Teller},
    },
};

const KEY: usize = 0;
/// Visits (low half) and those that are under way (high half).
const VISITS: usize = 1;
const UNDER_WAY_BIT: u32 = 32;
const SUM: usize = 2;
const SQUARES_WORD: usize = 3;

/// A tree with a table beside it.
pub(super) struct Bounded<const SQUARES: bool> {
    tree: Tree<SQUARES, true>,
    /// Key, visits, sum of rewards for the first player, and sum of their squares where the formula wants it. An entry
    /// without visits is empty.
    table: Words,
    entries: u64,
    /// Entries that were asked for.
    wanted: u64,
    verify: bool,
    /// In a copy, what the table says of every node's position, instead of the table.
    entries_by_node: Option<Vec<Option<TableEntry>>>,
    /// Whether something may have been written.
    used: bool,
    parallel: bool,
}

impl<const SQUARES: bool> Bounded<SQUARES> {
    const ENTRY: usize = 3 + SQUARES as usize;

    /// A table of `entries`, as far as there is memory for half as much as `bytes`, and a tree in what it leaves of them.
    pub(super) fn new(bytes: usize, entries: usize, verify: bool) -> Self {
        let most = (bytes / 2 / 8 / Self::ENTRY).max(1);
        let table = Words::zeroed_up_to(entries.clamp(1, most) * Self::ENTRY).in_ordinary_pages();
        let tree = Tree::new(bytes.saturating_sub(table.len() * 8));
        Self {
            tree,
            entries: (table.len() / Self::ENTRY) as u64,
            wanted: entries as u64,
            table,
            verify,
            entries_by_node: None,
            used: false,
            parallel: false,
        }
    }

    #[inline(always)]
    fn entry(&self, key: u64) -> &[AtomicU64] {
        let start = (key % self.entries) as usize * Self::ENTRY;
        &self.table[start..start + Self::ENTRY]
    }

    #[inline(always)]
    fn is_of(&self, entry: &[AtomicU64], key: u64) -> bool {
        !self.verify || entry[KEY].load(Ordering::Relaxed) == key
    }

    /// What the table was told of a key, if it has an entry.
    fn told(&self, key: u64) -> Option<Entry> {
        let entry = self.entry(key);
        let word = |word: usize| entry[word].load(Ordering::Relaxed);
        let visits = word(VISITS) as u32;
        (visits > 0 && self.is_of(entry, key)).then(|| Entry {
            visits,
            sum: word(SUM),
            squares: if SQUARES { word(SQUARES_WORD) } else { 0 },
        })
    }

    /// The entry of a node's position, its visits and those under way, if it knows as much as the node's own `visits`.
    #[inline(always)]
    fn entry_of(&self, node: u32, visits: u32) -> Option<(&[AtomicU64], u32, u32)> {
        let key = self.tree.key(node);
        let entry = self.entry(key);
        let word = entry[VISITS].load(Ordering::Relaxed);
        let (known, under_way) = (word as u32, (word >> UNDER_WAY_BIT) as u32);
        let knows = known > 0 && known.saturating_add(under_way) >= visits;
        (knows && self.is_of(entry, key)).then_some((entry, known, under_way))
    }

    /// Counts rewards in an entry's visits, and visits that are no longer under way; how many visits it knows of then.
    #[inline(always)]
    fn count(&self, visits: &AtomicU64, rewards: u64, arrived: u64) -> u32 {
        if !self.parallel {
            return add(visits, rewards, false) as u32;
        }
        let counted = |word: u64| {
            let under_way = (word >> UNDER_WAY_BIT).saturating_sub(arrived);
            (u64::from(word as u32) + rewards) | under_way << UNDER_WAY_BIT
        };
        let old = visits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            Some(counted(word))
        });
        let now = old.map_or(0, counted);
        (now as u32).saturating_add((now >> UNDER_WAY_BIT) as u32)
    }

    /// What the table says of a node's position, if it knows as much as the node.
    fn table_entry(&self, node: u32) -> Option<TableEntry> {
        if let Some(entries) = &self.entries_by_node {
            return entries[node as usize];
        }
        let own = self.tree.tally_of(node);
        let (entry, visits, _) = self.entry_of(node, own.visits)?;
        Some(TableEntry {
            visits,
            mean: as_rewards(entry[SUM].load(Ordering::Relaxed)) / f64::from(visits),
            squares: if SQUARES {
                as_rewards(entry[SQUARES_WORD].load(Ordering::Relaxed))
            } else {
                f64::NAN
            },
        })
    }
}

impl<G: Searchable, const SQUARES: bool> Store<G> for Bounded<SQUARES> {
    const HAS_TABLE: bool = true;

    fn reset(&mut self, root: &G) {
        Store::<G>::reset(&mut self.tree, root);
        if self.used {
            self.table.clear();
        }
        self.used = true;
    }

    fn advance(&mut self, root: &G, mv: G::Move) -> bool {
        Store::<G>::advance(&mut self.tree, root, mv)
    }

    fn mark_inherited(&mut self) -> bool {
        Store::<G>::mark_inherited(&mut self.tree)
    }

    fn missing(&self) -> usize {
        Store::<G>::missing(&self.tree)
    }

    fn table_entries(&self) -> Option<(u64, u64)> {
        Some((self.entries, self.wanted))
    }

    fn root(&self) -> u32 {
        Store::<G>::root(&self.tree)
    }

    fn frame(&self, position: &G) -> Frame {
        self.tree.frame(position)
    }

    fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
        Store::<G>::set_parallel(&mut self.tree, parallel);
    }

    #[inline(always)]
    fn visits(&self, node: u32) -> u32 {
        Store::<G>::visits(&self.tree, node)
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        Store::<G>::edges(&self.tree, node)
    }

    #[inline(always)]
    fn outlook(&self, step: &Step) -> Outlook {
        Store::<G>::outlook(&self.tree, step)
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        Store::<G>::move_of(&self.tree, edge)
    }

    #[inline(always)]
    fn tally(&self, edge: usize, mover: Player) -> Tally {
        let own = self.tree.tally_of(edge as u32);
        if own.chosen == 0 {
            return own;
        }
        let Some((entry, known, under_way)) = self.entry_of(edge as u32, own.visits) else {
            return own;
        };
        let squares = if SQUARES {
            entry[SQUARES_WORD].load(Ordering::Relaxed)
        } else {
            0
        };
        let (sum, squares) =
            sums_seen_by(entry[SUM].load(Ordering::Relaxed), squares, known, mover);
        Tally {
            chosen: own.chosen,
            // What is under way has no rewards yet, for whoever looks.
            visits: known.saturating_add(under_way),
            sum,
            squares: if SQUARES { squares } else { 0 },
        }
    }

    #[inline(always)]
    fn chosen(&self, edge: usize) -> u32 {
        Store::<G>::chosen(&self.tree, edge)
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        Store::<G>::proven(&self.tree, node)
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        Store::<G>::edge_proven(&self.tree, edge)
    }

    fn prove(&self, node: u32, outcome: Outcome) {
        Store::<G>::prove(&self.tree, node, outcome);
    }

    #[inline(always)]
    fn expand(&self, at: &Step, position: &G, moves: &[G::Move], plot: &mut Plot) -> Expansion {
        self.tree.expand(at, position, moves, plot)
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool) {
        self.tree.follow(edge, position)
    }

    #[inline(always)]
    fn announce(&self, step: &Step, visits: u32) {
        Store::<G>::announce(&self.tree, step, visits);
        let key = self.tree.key(step.node);
        let entry = self.entry(key);
        if self.is_of(entry, key) {
            let under_way = u64::from(visits) << UNDER_WAY_BIT;
            add(&entry[VISITS], under_way, true);
        }
    }

    #[inline(always)]
    fn tell(&self, step: &Step, news: &News) {
        Store::<G>::tell(&self.tree, step, news);
        let key = self.tree.key(step.node);
        let entry = self.entry(key);
        let is_taken = !self.is_of(entry, key);
        let (rewards, sum, squares) = news.rewards();
        let known = if is_taken {
            0
        } else {
            self.count(&entry[VISITS], rewards, news.arrived())
        };
        let own = self.tree.tally_of(step.node);
        if is_taken || self.verify && known < own.visits {
            // The tree keeps sums for who moved there; seen from the other side it is the same calculation.
            let (sum, squares) = sums_seen_by(own.sum, own.squares, own.visits, step.mover);
            entry[KEY].store(key, Ordering::Relaxed);
            entry[VISITS].store(own.visits.into(), Ordering::Relaxed);
            entry[SUM].store(sum, Ordering::Relaxed);
            if SQUARES {
                entry[SQUARES_WORD].store(squares, Ordering::Relaxed);
            }
            return;
        }
        add(&entry[SUM], sum, self.parallel);
        if SQUARES {
            add(&entry[SQUARES_WORD], squares, self.parallel);
        }
    }

    fn usage(&self) -> (usize, u64) {
        let (words, nodes) = Store::<G>::usage(&self.tree);
        (words + self.table.len(), nodes)
    }

    fn view(&self, edge: usize) -> Edge<G::Move> {
        let own = Store::<G>::view(&self.tree, edge);
        // What is known of its position does not count before a move was followed.
        let is_visited = own.visits > 0;
        Edge {
            table: self.table_entry(edge as u32).filter(|_| is_visited),
            ..own
        }
    }

    fn tell_inherited(&self, teller: &mut Teller<'_>) {
        teller.tell(Record::Table {
            entries: self.entries,
            verified: self.verify,
        });
        Store::<G>::tell_inherited(&self.tree, teller);
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            if Store::<G>::visits(&self.tree, node) > 0 {
                Store::<G>::tell_entry(self, node, teller);
            }
            let (first, count) = Store::<G>::edges(&self.tree, node);
            pending.extend(first as u32..(first + count) as u32);
        }
    }

    fn tell_entry(&self, node: u32, teller: &mut Teller<'_>) {
        let key = self.tree.key(node);
        let told = self.told(key);
        teller.tell(Record::Entry { node, key, told });
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            table: self.table_entry(0),
            ..Store::<G>::root_edge(&self.tree)
        }
    }

    fn copy(&self) -> io::Result<Self> {
        let (_, nodes) = Store::<G>::usage(&self.tree);
        let mut entries_by_node = Vec::new();
        entries_by_node.try_reserve_exact(nodes as usize)?;
        entries_by_node.extend((0..nodes as u32).map(|node| self.table_entry(node)));
        Ok(Self {
            tree: Store::<G>::copy(&self.tree)?,
            table: Words::zeroed_up_to(1),
            entries_by_node: Some(entries_by_node),
            ..*self
        })
    }

    fn root_figures(&self) -> (u64, u64, f64) {
        Store::<G>::root_figures(&self.tree)
    }
}
