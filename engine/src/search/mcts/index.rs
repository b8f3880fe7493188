//! The index of a graph: nodes by the keys of their positions, for many threads at once.

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use super::slot::Shape;
use crate::machine::{Words, prefetch};

/// The bits of an entry that are the node.
const NODE: u64 = (1 << Shape::PLACE_BITS) - 1;
/// An entry that shall stay empty, for its table is given up.
const CLOSED: u64 = u64::MAX;

/// Nodes by key, which must be evenly spread: open addressing, an entry being the upper bits of the key and the node, 0 if
/// there is none.
///
/// A thread that is alone takes no lock and makes no atomic step but plain reads and writes: those would wait for the memory
/// it wrote before, which it has no need to wait for.
pub(super) struct Index {
    /// Each twice as large as the one before, and made when that is crowded. Those before it are kept, since others
    /// may be looking into them, until the index is cleared.
    tables: Vec<OnceLock<Words>>,
    /// The size of the last of them.
    most: usize,
    /// Which of them is in use.
    current: AtomicUsize,
    used: AtomicU64,
    growing: Mutex<()>,
}

impl Index {
    const FEWEST: usize = 1 << 10;

    /// An index of never more than so many words.
    pub(super) fn new(words: usize) -> Self {
        let most = (words / 2).clamp(Self::FEWEST, 1 << Shape::PLACE_BITS);
        let tables = (most / Self::FEWEST).ilog2() as usize + 1;
        Self {
            tables: (0..tables).map(|_| OnceLock::new()).collect(),
            most,
            current: AtomicUsize::new(0),
            used: AtomicU64::new(0),
            growing: Mutex::new(()),
        }
    }

    pub(super) fn clear(&mut self) {
        for table in &mut self.tables {
            table.take();
        }
        *self.current.get_mut() = 0;
        *self.used.get_mut() = 0;
    }

    /// Calls nodes by new names, of which it has one for those that stay.
    pub(super) fn rename(&mut self, name: impl Fn(u32) -> Option<u32>) {
        let table = self.table(self.current.load(Ordering::Relaxed));
        let stay = |entry: &AtomicU64| {
            let entry = entry.load(Ordering::Relaxed);
            let node = name((entry & NODE) as u32).filter(|_| entry != 0)?;
            Some(entry & !NODE | u64::from(node))
        };
        let entries: Vec<u64> = table.iter().filter_map(stay).collect();
        self.clear();
        for entry in entries {
            // There was room for more of them, and no two are of one key.
            let _ = self.find_or_insert(entry, (entry & NODE) as u32, |_| false, false);
        }
    }

    /// How many words it takes.
    pub(super) fn words(&self) -> usize {
        let made = self.tables.iter().filter_map(OnceLock::get);
        made.map(|table| table.len()).sum()
    }

    /// Whether nothing more can be put in.
    pub(super) fn is_full(&self) -> bool {
        let current = self.current.load(Ordering::Relaxed);
        current + 1 == self.tables.len() && self.is_crowded(self.table(current))
    }

    #[inline(always)]
    fn table(&self, number: usize) -> &[AtomicU64] {
        let size = || self.most >> (self.tables.len() - 1 - number);
        self.tables[number].get_or_init(|| Words::zeroed(size()))
    }

    /// More than two thirds full.
    #[inline(always)]
    fn is_crowded(&self, table: &[AtomicU64]) -> bool {
        self.used.load(Ordering::Relaxed) * 3 > table.len() as u64 * 2
    }

    /// A key is going to be looked for.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        let table = self.table(self.current.load(Ordering::Relaxed));
        prefetch(&table[first_place(table, key)]);
    }

    /// The node of a key, which is `node` if there was none; none if there is no room. `is_meant` says of a node whose key
    /// has the same upper bits whether the others are the same, too; `parallel` says whether other threads may be here.
    #[inline(always)]
    pub(super) fn find_or_insert(
        &self,
        key: u64,
        node: u32,
        is_meant: impl Fn(u32) -> bool,
        parallel: bool,
    ) -> Option<u32> {
        let wanted = key & !NODE | u64::from(node);
        loop {
            let current = self.current.load(Ordering::Acquire);
            let table = self.table(current);
            if !self.is_crowded(table) {
                let found = self.look(table, wanted, &is_meant, parallel);
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
    fn look(
        &self,
        table: &[AtomicU64],
        wanted: u64,
        is_meant: impl Fn(u32) -> bool,
        parallel: bool,
    ) -> Option<u32> {
        let mut place = first_place(table, wanted);
        loop {
            let entry = &table[place];
            let mut found = entry.load(Ordering::Acquire);
            if found == 0 {
                if !parallel {
                    entry.store(wanted, Ordering::Relaxed);
                    let used = self.used.load(Ordering::Relaxed);
                    self.used.store(used + 1, Ordering::Relaxed);
                    return Some((wanted & NODE) as u32);
                }
                match entry.compare_exchange(0, wanted, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => {
                        self.used.fetch_add(1, Ordering::Relaxed);
                        return Some((wanted & NODE) as u32);
                    }
                    // Another thread was faster; look at what it put there.
                    Err(now) => found = now,
                }
            }
            if found == CLOSED {
                return None;
            }
            let node = (found & NODE) as u32;
            if (found ^ wanted) & !NODE == 0 && is_meant(node) {
                return Some(node);
            }
            place = next_place(table, place);
        }
    }

    /// Goes on from a table to the next, or waits until another thread has done so; false if there is none.
    #[cold]
    fn grow(&self, from: usize) -> bool {
        let _lock = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.current.load(Ordering::Relaxed) != from {
            return true;
        }
        if from + 1 == self.tables.len() {
            return false;
        }
        let (old, new) = (self.table(from), self.table(from + 1));
        if new.len() <= old.len() {
            // The system has no more.
            return false;
        }
        for entry in old {
            // What is empty is closed, so that nothing is put behind our back.
            let Err(entry) =
                entry.compare_exchange(0, CLOSED, Ordering::Acquire, Ordering::Acquire)
            else {
                continue;
            };
            let mut place = first_place(new, entry);
            while new[place].load(Ordering::Relaxed) != 0 {
                place = next_place(new, place);
            }
            new[place].store(entry, Ordering::Relaxed);
        }
        self.current.store(from + 1, Ordering::Release);
        true
    }
}

/// Where the search for an entry begins. The upper bits decide, scaled to a table of any size: that they are in the entry
/// lets the index grow without a look at any node, and in the order of the entries.
#[inline(always)]
fn first_place(table: &[AtomicU64], entry: u64) -> usize {
    let bits = 64 - Shape::PLACE_BITS;
    (((entry >> Shape::PLACE_BITS) * table.len() as u64) >> bits) as usize
}

#[inline(always)]
fn next_place(table: &[AtomicU64], place: usize) -> usize {
    if place + 1 == table.len() {
        0
    } else {
        place + 1
    }
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
        let find = |index: &Index, node| {
            let is_meant = |other| key_of(other) == key_of(node);
            index.find_or_insert(mix(key_of(node)), node, is_meant, true)
        };
        let index = Index::new(40_000);
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
        assert!(index.words() <= 40_000, "{}", index.words());
        assert!(!index.is_full());
    }

    #[test]
    fn a_full_index_says_so() {
        let index = Index::new(10_000);
        let found = (1..10_000)
            .map(|node| index.find_or_insert(mix(node.into()), node, |other| other == node, false))
            .take_while(Option::is_some);
        assert_eq!(found.count(), 5000 * 2 / 3 + 1);
        assert!(index.is_full() && index.words() <= 10_000);
    }
}
