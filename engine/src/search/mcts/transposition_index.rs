//! The index of a graph: nodes by the keys of their positions, for many threads at once.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use super::{node_arena::add, slot::SlotShape};
use crate::machine::{AtomicWords, prefetch};

/// The bits of an entry that are the node.
const NODE_MASK: u64 = (1 << SlotShape::SLOT_BITS) - 1;
/// An entry that shall stay empty, for its table is given up.
const CLOSED: u64 = u64::MAX;

/// Places of a group.
const GROUP_SIZE: usize = 8;
/// The first bit of every byte of a word, and the last.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = LOW_BITS << 7;

/// Nodes by key, which must be evenly spread: open addressing, an entry being the upper bits of the key and the node, 0 if
/// there is none.
///
/// Entries stand in groups of eight. Beside them is a word for every group with a tag for every entry, some bits of its key.
/// Most keys that are looked for are not there, and the tags, which are few enough to stay near the processor, tell so:
/// the entries, which are too many for that, are then written without being read, and nobody waits for them.
///
/// A thread that is alone takes no lock and makes no atomic step but plain reads and writes: those would wait for the memory
/// it wrote before, which it has no need to wait for.
///
/// All tables are parts of the same memory, which is kept when the index is cleared: to ask the system for it once more
/// would take longer than to empty it.
pub(super) struct TranspositionIndex {
    tags: AtomicWords,
    entries: AtomicWords,
    /// Each twice as large as the one before, and used when that is crowded. Those before it are left as they are, since
    /// others may be looking into them, until the index is cleared.
    tables: Vec<IndexTable>,
    /// Which of them is in use.
    current: AtomicUsize,
    /// How many of them were in use before the index was cleared, and may not be empty.
    stale_tables: usize,
    used: AtomicU64,
    grow_lock: Mutex<()>,
    /// Words that were asked for and not given.
    missing_words: usize,
}

/// The groups of a table.
#[derive(Clone, Copy)]
struct IndexTable {
    first: usize,
    groups: usize,
}

impl TranspositionIndex {
    const MIN_GROUPS: usize = 1 << 7;

    /// An index of never more than so many words.
    pub(super) fn new(words: usize) -> Self {
        // A group takes a word for its tags, and there are as many groups again in the tables before the last.
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
        // There may be fewer than wanted, but always enough for the first table.
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

    /// Words that were asked for and not given.
    pub(super) fn missing_words(&self) -> usize {
        self.missing_words
    }

    /// How many nodes it has.
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

    /// Calls nodes by new names, of which it has one for those that stay. `entries` has room for [`Self::len`] of them.
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
            // There was room for more of them, and no two are of one key.
            let _ = self.find_or_insert(entry, (entry & NODE_MASK) as u32, |_| false, false);
        }
    }

    /// How many words it takes.
    pub(super) fn used_words(&self) -> usize {
        self.tables[self.current.load(Ordering::Relaxed)].end() * (GROUP_SIZE + 1)
    }

    /// More than two thirds full.
    #[inline(always)]
    fn is_overloaded(&self, table: IndexTable) -> bool {
        self.used.load(Ordering::Relaxed) * 3 > (table.groups * GROUP_SIZE) as u64 * 2
    }

    /// The node of a key, if it has one. `is_meant` says of a node whose key has the same upper bits whether the others are
    /// the same, too.
    #[inline(always)]
    pub(super) fn find(&self, key: u64, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let table = self.tables[self.current.load(Ordering::Acquire)];
        self.probe(table, key, is_meant).ok()
    }

    /// The node of a key, which is `node` if there was none; none if there is no room. `parallel` says whether other threads
    /// may be here.
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

    /// The node of an entry in a table, which is put in if it is not there; none if the table is given up.
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
                // Another thread was faster, and perhaps has not come to its tag yet. Then look again.
                Err(found) => self.set_tag(free, found, true),
            }
        }
    }

    /// Goes on from a table to the next, or waits until another thread has done so; false if there is none.
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
            // What is empty is closed, so that nothing is put behind our back.
            let Err(entry) =
                entry.compare_exchange(0, CLOSED, Ordering::Acquire, Ordering::Acquire)
            else {
                continue;
            };
            // No two are of one key, and nobody else is there yet.
            if let Err(free) = self.probe(new, entry, |_| false) {
                self.entries[free].store(entry, Ordering::Relaxed);
                self.set_tag(free, entry, false);
            }
        }
        self.current.store(from + 1, Ordering::Release);
        true
    }

    /// The node of an entry; if there is none, the first free place for it.
    #[inline(always)]
    fn probe(
        &self,
        table: IndexTable,
        wanted: u64,
        is_meant: impl Fn(u32) -> bool,
    ) -> Result<u32, usize> {
        let mut group = table.group_of(wanted);
        // They are wanted if a tag is the right one, or to put the entry in, and then should not be waited for as well.
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

    /// Notes that an entry is in a place.
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
    /// The first group behind it.
    #[inline(always)]
    fn end(self) -> usize {
        self.first + self.groups
    }

    /// The group where the search for an entry begins. The upper bits decide, scaled to a table of any size: that they are in
    /// the entry lets the index grow without a look at any node, and in the order of the entries.
    #[inline(always)]
    fn group_of(self, entry: u64) -> usize {
        let bits = 64 - SlotShape::SLOT_BITS;
        self.first + (((entry >> SlotShape::SLOT_BITS) * self.groups as u64) >> bits) as usize
    }
}

/// The tag of an entry: the lowest bits of its key, and one more, for a tag is not 0.
#[inline(always)]
fn tag_of(entry: u64) -> u64 {
    entry >> SlotShape::SLOT_BITS & 0x7f | 0x80
}

/// The highest bit of every byte that is 0, and perhaps of some behind such.
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
                // Nothing of what was there is found, whichever tables it was in.
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
