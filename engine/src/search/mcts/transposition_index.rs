//! The index of a graph: a concurrent hash table from positions' keys to nodes.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use super::{node_arena::add, slot::SlotShape};
use crate::machine::{AtomicWords, prefetch};

/// The bits of an entry that hold the node.
const NODE_MASK: u64 = (1 << SlotShape::SLOT_BITS) - 1;
/// Marks an empty entry of a table that is being replaced: nothing may be inserted there.
const CLOSED: u64 = u64::MAX;

/// Number of entries in a group.
const GROUP_SIZE: usize = 8;
/// The lowest bit of every byte of a word, and the highest.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = LOW_BITS << 7;

/// A hash table with open addressing. Keys must be uniformly distributed. An entry holds the upper bits of the key and the node;
/// 0 is empty.
///
/// Entries are in groups of eight, and every group has a word of eight tags, seven bits of each entry's key (as in Abseil's Swiss
/// tables, 2017). Most lookups fail, and the tags, small enough to stay cached, tell so without reading the entries; an insertion
/// then writes an entry without waiting for a cache miss.
///
/// A single thread uses plain loads and stores: read-modify-write instructions would wait for its earlier stores.
///
/// All tables share one allocation, which `clear` keeps: clearing is faster than asking the system again.
pub(super) struct TranspositionIndex {
    tags: AtomicWords,
    entries: AtomicWords,
    /// Tables of doubling size; the next is used when one is overloaded. Replaced tables are kept until the index is cleared,
    /// because other threads may still read them.
    tables: Vec<IndexTable>,
    /// Index of the table in use.
    current: AtomicUsize,
    /// Number of tables that were in use before the index was cleared, and may not be empty.
    stale_tables: usize,
    used: AtomicU64,
    grow_lock: Mutex<()>,
    /// Words that were requested and that the system refused.
    missing_words: usize,
}

/// The range of groups of one table.
#[derive(Clone, Copy)]
struct IndexTable {
    first: usize,
    groups: usize,
}

impl TranspositionIndex {
    const MIN_GROUPS: usize = 1 << 7;

    /// An index with a memory limit in words.
    pub(super) fn new(words: usize) -> Self {
        // A group has one more word for its tags, and the smaller tables together have as many groups as the last.
        let most = words / 2 / (GROUP_SIZE + 1);
        let most = most.clamp(Self::MIN_GROUPS, 1 << (SlotShape::SLOT_BITS - 3));
        let mut tables = Vec::new();
        let mut end = 0;
        for halvings in (0..=(most / Self::MIN_GROUPS).ilog2()).rev() {
            let groups = most >> halvings;
            tables.push(IndexTable { first: end, groups });
            end += groups;
        }
        let (tags, entries) = (
            AtomicWords::zeroed_up_to(end),
            AtomicWords::zeroed_up_to(end * GROUP_SIZE),
        );
        // The system may grant less, but always enough for the first table.
        const { assert!(AtomicWords::MIN_WORDS >= 2 * Self::MIN_GROUPS * GROUP_SIZE) };
        let missing = (end - tags.len()) + (end * GROUP_SIZE - entries.len());
        let groups = tags.len().min(entries.len() / GROUP_SIZE);
        tables.retain(|table| table.end() <= groups);
        Self {
            tags,
            entries,
            tables,
            current: AtomicUsize::new(0),
            stale_tables: 0,
            used: AtomicU64::new(0),
            grow_lock: Mutex::new(()),
            missing_words: missing,
        }
    }

    /// Words that were requested and that the system refused.
    pub(super) fn missing_words(&self) -> usize {
        self.missing_words
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.used.load(Ordering::Relaxed) as usize
    }

    pub(super) fn clear(&mut self) {
        self.stale_tables = self.stale_tables.max(*self.current.get_mut() + 1);
        *self.current.get_mut() = 0;
        *self.used.get_mut() = 0;
        self.clear_table(self.tables[0]);
    }

    fn clear_table(&self, table: IndexTable) {
        let tags = &self.tags[table.first..table.end()];
        for word in tags.iter().chain(self.entries_of(table)) {
            word.store(0, Ordering::Relaxed);
        }
    }

    fn entries_of(&self, table: IndexTable) -> &[AtomicU64] {
        &self.entries[table.first * GROUP_SIZE..table.end() * GROUP_SIZE]
    }

    /// Renumbers the nodes by `name`, and removes those without a new number. `entries` is scratch memory with a capacity of
    /// [`Self::len`].
    pub(super) fn remap_nodes(&mut self, mut entries: Vec<u64>, name: impl Fn(u32) -> Option<u32>) {
        let table = self.tables[self.current.load(Ordering::Relaxed)];
        let stay = |entry: &AtomicU64| {
            let entry = entry.load(Ordering::Relaxed);
            let node = name((entry & NODE_MASK) as u32).filter(|_| entry != 0)?;
            Some(entry & !NODE_MASK | u64::from(node))
        };
        entries.extend(self.entries_of(table).iter().filter_map(stay));
        self.clear();
        for entry in entries {
            // Cannot fail: there are no more entries than before, with distinct keys.
            let _ = self.find_or_insert(entry, (entry & NODE_MASK) as u32, |_| false, false);
        }
    }

    /// Words of memory in use.
    pub(super) fn used_words(&self) -> usize {
        self.tables[self.current.load(Ordering::Relaxed)].end() * (GROUP_SIZE + 1)
    }

    /// True if a table is more than two thirds full.
    #[inline(always)]
    fn is_overloaded(&self, table: IndexTable) -> bool {
        self.used.load(Ordering::Relaxed) * 3 > (table.groups * GROUP_SIZE) as u64 * 2
    }

    /// The node of a key. `is_meant` compares the low bits of the key for a node whose upper bits match.
    #[inline(always)]
    pub(super) fn find(&self, key: u64, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let table = self.tables[self.current.load(Ordering::Acquire)];
        self.probe(table, key, is_meant).ok()
    }

    /// The node of a key, after inserting `node` if there was none; `None` if the index is full. `parallel` if other threads may
    /// use the index at the same time.
    pub(super) fn find_or_insert(
        &self,
        key: u64,
        node: u32,
        is_meant: impl Fn(u32) -> bool,
        parallel: bool,
    ) -> Option<u32> {
        let wanted = key & !NODE_MASK | u64::from(node);
        loop {
            let current = self.current.load(Ordering::Acquire);
            let table = self.tables[current];
            if !self.is_overloaded(table) {
                let found = self.probe_or_insert(table, wanted, &is_meant, parallel);
                if found.is_some() {
                    return found;
                }
            }
            if !self.grow(current) {
                return None;
            }
        }
    }

    /// [`Self::find_or_insert`] in one table; `None` if the table is being replaced.
    #[inline(always)]
    fn probe_or_insert(
        &self,
        table: IndexTable,
        wanted: u64,
        is_meant: impl Fn(u32) -> bool,
        parallel: bool,
    ) -> Option<u32> {
        loop {
            let free = match self.probe(table, wanted, &is_meant) {
                Ok(node) => return Some(node),
                Err(free) => free,
            };
            let entry = &self.entries[free];
            let put = if parallel {
                entry.compare_exchange(0, wanted, Ordering::AcqRel, Ordering::Acquire)
            } else {
                entry.store(wanted, Ordering::Relaxed);
                Ok(0)
            };
            match put {
                Ok(_) => {
                    self.set_tag(free, wanted, parallel);
                    add(&self.used, 1, parallel);
                    return Some((wanted & NODE_MASK) as u32);
                }
                Err(CLOSED) => return None,
                // Another thread was faster, perhaps without having set its tag yet: set it and probe again.
                Err(found) => self.set_tag(free, found, true),
            }
        }
    }

    /// Moves on to the next table, or waits until another thread has; false if there is none.
    #[cold]
    fn grow(&self, from: usize) -> bool {
        let _lock = self
            .grow_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if self.current.load(Ordering::Relaxed) != from {
            return true;
        }
        if from + 1 == self.tables.len() {
            return false;
        }
        let (old, new) = (self.tables[from], self.tables[from + 1]);
        if from + 1 < self.stale_tables {
            self.clear_table(new);
        }
        for entry in self.entries_of(old) {
            // Close empty entries, so that no other thread inserts into the old table.
            let Err(entry) =
                entry.compare_exchange(0, CLOSED, Ordering::Acquire, Ordering::Acquire)
            else {
                continue;
            };
            // Keys are distinct, and no other thread uses the new table yet.
            if let Err(free) = self.probe(new, entry, |_| false) {
                self.entries[free].store(entry, Ordering::Relaxed);
                self.set_tag(free, entry, false);
            }
        }
        self.current.store(from + 1, Ordering::Release);
        true
    }

    /// The node of an entry's key, or the first free place for it.
    #[inline(always)]
    fn probe(
        &self,
        table: IndexTable,
        wanted: u64,
        is_meant: impl Fn(u32) -> bool,
    ) -> Result<u32, usize> {
        let mut group = table.group_of(wanted);
        // The entries are needed if a tag matches or for an insertion: load them while the tags are compared.
        prefetch(&self.entries, group * GROUP_SIZE);
        loop {
            let tags = self.tags[group].load(Ordering::Acquire);
            let begin = group * GROUP_SIZE;
            let mut alike = zero_bytes(tags ^ (tag_of(wanted) * LOW_BITS));
            while alike != 0 {
                let place = begin + alike.trailing_zeros() as usize / 8;
                let found = self.entries[place].load(Ordering::Acquire);
                let node = (found & NODE_MASK) as u32;
                if (found ^ wanted) & !NODE_MASK == 0 && is_meant(node) {
                    return Ok(node);
                }
                alike &= alike - 1;
            }
            let free = !tags & HIGH_BITS;
            if free != 0 {
                return Err(begin + free.trailing_zeros() as usize / 8);
            }
            group += 1;
            if group == table.end() {
                group = table.first;
            }
        }
    }

    /// Sets the tag of an entry.
    #[inline(always)]
    fn set_tag(&self, place: usize, entry: u64, parallel: bool) {
        let tags = &self.tags[place / GROUP_SIZE];
        let tag = tag_of(entry) << (8 * (place % GROUP_SIZE));
        if parallel {
            tags.fetch_or(tag, Ordering::AcqRel);
        } else {
            tags.store(tags.load(Ordering::Relaxed) | tag, Ordering::Relaxed);
        }
    }
}

impl IndexTable {
    /// The end of the range.
    #[inline(always)]
    fn end(self) -> usize {
        self.first + self.groups
    }

    /// The group where probing for an entry starts: the upper bits of the key, scaled to the table's size. They are part of the
    /// entry, so the index grows without reading any node, and in the order of the entries.
    #[inline(always)]
    fn group_of(self, entry: u64) -> usize {
        let bits = 64 - SlotShape::SLOT_BITS;
        self.first + (((entry >> SlotShape::SLOT_BITS) * self.groups as u64) >> bits) as usize
    }
}

/// The tag of an entry: seven bits of its key, and the highest bit, which marks the place as taken.
#[inline(always)]
fn tag_of(entry: u64) -> u64 {
    entry >> SlotShape::SLOT_BITS & 0x7f | 0x80
}

/// The highest bit of every zero byte, and possibly of bytes after one (Mycroft 1987). False matches are compared in full.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(LOW_BITS) & !word & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::rng::mix;

    #[test]
    fn every_thread_finds_the_same_nodes_while_the_index_grows() {
        // Keys that differ in few bits; the nodes of two threads are the numbers of keys, and those plus 10,000.
        let key_of = |node: u32| u64::from((node - 1) % 10_000) << 40;
        let find = |index: &TranspositionIndex, node| {
            let is_meant = |other| key_of(other) == key_of(node);
            index.find_or_insert(mix(key_of(node)), node, is_meant, true)
        };
        let index = TranspositionIndex::new(40_000);
        let fill = |offset: u32| {
            let nodes = (1..=10_000).map(|node| node + offset);
            nodes.map(|node| find(&index, node)).collect::<Vec<_>>()
        };
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(|| fill(10_000));
            (fill(0), other.join().unwrap())
        });
        assert_eq!(one, other);
        for (node, found) in (1..).zip(one) {
            assert_eq!(key_of(found.unwrap()), key_of(node));
        }
        assert!(index.used_words() <= 40_000, "{}", index.used_words());
    }

    #[test]
    fn a_cleared_index_grows_again_from_nothing() {
        let mut index = TranspositionIndex::new(100_000);
        for offset in [0, 20_000] {
            let nodes = || (1..=8_000).map(|node| node + offset);
            for node in nodes() {
                // Entries from before `clear` are not found, in whichever table they were.
                let key = mix(u64::from(node - offset));
                assert_eq!(index.find(key, |_| true), None);
                let found = index.find_or_insert(key, node, |_| true, false);
                assert_eq!(found, Some(node));
            }
            for node in nodes() {
                assert_eq!(
                    index.find(mix(u64::from(node - offset)), |_| true),
                    Some(node)
                );
            }
            index.clear();
        }
    }

    #[test]
    fn a_full_index_says_so() {
        let index = TranspositionIndex::new(10_000);
        let found = (1..10_000)
            .map(|node| index.find_or_insert(mix(node.into()), node, |other| other == node, false))
            .take_while(Option::is_some);
        // 555 groups is as many as half the words have room for; the other half is for the tables before.
        assert_eq!(found.count(), 555 * GROUP_SIZE * 2 / 3 + 1);
        assert!(index.used_words() <= 10_000, "{}", index.used_words());
        assert_eq!(index.find(mix(7), |node| node == 7), Some(7));
        assert_eq!(index.find(mix(10_000), |_| true), None);
    }
}
