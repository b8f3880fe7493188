//! The index of a graph: nodes by the keys of their positions, for many threads at once.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{machine::Words, rng::mix};

/// What a look into the index came to.
pub(super) enum Slot {
    Node(u32),
    NoMemory,
    /// Too full to go on.
    Crowded,
}

/// Nodes by key: open addressing, a slot being the upper half of a key and the node, 0 if it is empty.
pub(super) struct Index {
    slots: Words,
    used: AtomicU64,
    most: usize,
}

impl Index {
    const FEWEST: usize = 1 << 10;

    /// An index of never more than so many slots.
    pub(super) fn new(most: usize) -> Self {
        Self {
            slots: Words::zeroed(Self::FEWEST),
            used: AtomicU64::new(0),
            most: most.max(Self::FEWEST),
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots = Words::zeroed(Self::FEWEST);
        *self.used.get_mut() = 0;
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// More than two thirds full.
    #[inline(always)]
    pub(super) fn is_crowded(&self) -> bool {
        self.used.load(Ordering::Relaxed) * 3 > self.slots.len() as u64 * 2
    }

    #[inline(always)]
    pub(super) fn find_or_insert(
        &self,
        key: u64,
        key_of: &dyn Fn(u32) -> u64,
        mut make: impl FnMut() -> Option<u32>,
    ) -> Slot {
        if self.is_crowded() {
            return Slot::Crowded;
        }
        let count = self.slots.len();
        // The smallest of some keys is not evenly spread at its upper end; mixed once more it is, and the upper bits choose
        // the slot in a table of any size.
        let mut slot = ((u128::from(mix(key)) * count as u128) >> 64) as usize;
        let tag = key << 32;
        loop {
            let found = self.slots[slot].load(Ordering::Acquire);
            if found == 0 {
                let Some(node) = make() else {
                    return Slot::NoMemory;
                };
                let filled = tag | u64::from(node);
                match self.slots[slot].compare_exchange(
                    0,
                    filled,
                    Ordering::Release,
                    Ordering::Acquire,
                ) {
                    Ok(_) => {
                        self.used.fetch_add(1, Ordering::Relaxed);
                        return Slot::Node(node);
                    }
                    // Another thread was faster; look at what it put there.
                    Err(_) => continue,
                }
            }
            if found >> 32 << 32 == tag && key_of(found as u32) == key {
                return Slot::Node(found as u32);
            }
            slot = if slot + 1 == count { 0 } else { slot + 1 };
        }
    }

    /// Puts in a node that is not there; false if there is no room.
    pub(super) fn insert(&mut self, key: u64, node: u32, key_of: &dyn Fn(u32) -> u64) -> bool {
        if self.is_crowded() && !self.grow(key_of) {
            return false;
        }
        matches!(
            self.find_or_insert(key, key_of, || Some(node)),
            Slot::Node(_)
        )
    }

    /// Doubles the index; false if that is not allowed.
    pub(super) fn grow(&mut self, key_of: &dyn Fn(u32) -> u64) -> bool {
        if self.slots.len() >= self.most {
            return false;
        }
        let size = (self.slots.len() * 2).min(self.most);
        let old = std::mem::replace(&mut self.slots, Words::zeroed(size));
        *self.used.get_mut() = 0;
        for slot in old.iter() {
            let node = slot.load(Ordering::Relaxed) as u32;
            if node != 0 {
                let _ = self.find_or_insert(key_of(node), key_of, || Some(node));
            }
        }
        true
    }
}
