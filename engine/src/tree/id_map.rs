//! Whatever numbers a journal has for nodes or moves, and those that count them in the order in which they were made.

use std::collections::{BTreeMap, VecDeque};

use crate::search::growth_records::FIRST_TAG;

/// Upper bound of numbered items.
pub(super) const MAX_IDS: u32 = WAITING_BIT - 1;
/// In a word of [`IdMap::dense`]: the rest is the list of those that wait for it.
const WAITING_BIT: u32 = 1 << 31;

/// Maps a journal's numbers to consecutive ones. Honest numbers are dense, because they are slots in a search's memory, and
/// are looked up in a table. The table's capacity is bounded by the numbers the journal has bytes for, so that a forged
/// large number cannot reserve memory.
#[derive(Default)]
pub(super) struct IdMap {
    /// Numbers below this count as themselves: those that one thread gave to a new tree all do, and need no table.
    identity_end: u32,
    /// By number: 0 if unknown, one more than its index, or the head of the list waiting for it.
    dense: Vec<u32>,
    /// Numbers outside the table: first of a block, block length, and index of the first. Blocks do not overlap.
    sparse: BTreeMap<u32, (u32, u32)>,
    /// Those that wait for a number that had no room in the table.
    sparse_waiting: BTreeMap<u32, u32>,
}

impl IdMap {
    /// The bytes it takes in memory; entries of trees are counted as if they were of tables, with their share of the nodes.
    pub(super) fn bytes(&self) -> usize {
        4 * self.dense.capacity() + 24 * self.sparse.len() + 16 * self.sparse_waiting.len()
    }

    /// The index of a number; none if it is not assigned yet.
    #[inline(always)]
    pub(super) fn find(&self, number: u32) -> Option<u32> {
        if number < self.identity_end {
            return Some(number);
        }
        match self.dense.get(number as usize) {
            Some(&word @ 1..WAITING_BIT) => Some(word - 1),
            _ if self.sparse.is_empty() => None,
            _ => self.find_sparse(number),
        }
    }

    fn find_sparse(&self, number: u32) -> Option<u32> {
        let (&first, &(count, counted)) = self.sparse.range(..=number).next_back()?;
        let offset = number - first;
        (offset < count).then(|| counted + offset)
    }

    /// Gives the numbers from `first` on to `count` things that are counted from `counted` on; an error if one of them is
    /// taken or is none. The table has room for numbers below `room`. The lists of those that waited are added to `ready`,
    /// in the order of the numbers.
    pub(super) fn assign(
        &mut self,
        first: u32,
        count: u32,
        first_index: u32,
        max_dense: usize,
        ready: &mut VecDeque<u32>,
    ) -> Result<(), String> {
        if u64::from(first) + u64::from(count) > u64::from(FIRST_TAG) {
            return Err(format!("{count} numbers from {first} on"));
        }
        let end = first + count;
        let mut taken = (first as usize..end as usize).map_while(|number| self.dense.get(number));
        let block = self.sparse.range(..end).next_back();
        if first < self.identity_end
            || taken.any(|word| (1..WAITING_BIT).contains(word))
            || block.is_some_and(|(&begin, &(count, _))| begin + count > first)
        {
            return Err(format!(
                "{count} numbers from {first} on, one of them taken"
            ));
        }
        let is_identity = first == self.identity_end && first_index == first;
        let is_dense = !is_identity && end as usize <= max_dense;
        if is_identity {
            self.identity_end = end;
        } else if is_dense {
            self.grow_dense(end as usize, max_dense);
        } else {
            self.sparse.insert(first, (count, first_index));
        }
        let any_sparse_waiting = self.sparse_waiting.range(first..end).next().is_some();
        for (offset, number) in (0..).zip(first..end) {
            if any_sparse_waiting && let Some(list) = self.sparse_waiting.remove(&number) {
                ready.push_back(list);
            }
            if let Some(word) = self.dense.get_mut(number as usize) {
                let now = if is_dense {
                    first_index + offset + 1
                } else {
                    0
                };
                let before = std::mem::replace(word, now);
                if before >= WAITING_BIT {
                    ready.push_back(before - WAITING_BIT);
                }
            } else if !any_sparse_waiting {
                break;
            }
        }
        Ok(())
    }

    /// Makes the table reach to the number before `end`, which is not above `room`.
    fn grow_dense(&mut self, end: usize, max_dense: usize) {
        let before = self.dense.len();
        if before < end {
            let len = end.next_power_of_two().min(max_dense);
            self.dense.reserve_exact(len - before);
            self.dense.resize(len, 0);
        }
    }

    /// The list of those that wait for a number that has not been given yet.
    pub(super) fn waiting_list(&self, number: u32) -> Option<u32> {
        match self.dense.get(number as usize) {
            Some(&word) if word >= WAITING_BIT => Some(word - WAITING_BIT),
            _ => self.sparse_waiting.get(&number).copied(),
        }
    }

    /// Notes the list of those that wait for a number.
    pub(super) fn set_waiting_list(&mut self, number: u32, list: u32, max_dense: usize) {
        if let Some(before) = self.sparse_waiting.get_mut(&number) {
            *before = list;
        } else if (number as usize) < max_dense {
            self.grow_dense(number as usize + 1, max_dense);
            if let Some(word) = self.dense.get_mut(number as usize) {
                *word = WAITING_BIT | list;
            }
        } else {
            self.sparse_waiting.insert(number, list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever room the table has, the same comes out.
    #[test]
    fn room_makes_no_difference() {
        for rooms in [[0, 0, 0], [4, 12, 2000], [1000, 1000, 1000], [9, 9, 2000]] {
            let mut numbers = IdMap::default();
            let mut ready = VecDeque::new();
            numbers.set_waiting_list(4, 9, rooms[0]);
            numbers.assign(0, 3, 0, rooms[0], &mut ready).unwrap();
            assert_eq!((numbers.find(2), numbers.find(3)), (Some(2), None));
            numbers.assign(3, 2, 3, rooms[0], &mut ready).unwrap();
            assert_eq!((numbers.find(4), numbers.find(5)), (Some(4), None));
            assert_eq!(ready.pop_front(), Some(9));
            assert!(numbers.assign(4, 2, 5, rooms[0], &mut ready).is_err());
            for (number, list) in [(12, 1), (8, 2), (10, 3), (1000, 4)] {
                assert_eq!(numbers.waiting_list(number), None);
                numbers.set_waiting_list(number, list, rooms[0]);
                assert_eq!(numbers.waiting_list(number), Some(list));
                assert_eq!(numbers.find(number), None);
            }
            numbers.set_waiting_list(10, 5, rooms[1]);
            numbers.set_waiting_list(11, 6, rooms[1]);
            numbers.assign(8, 3, 100, rooms[1], &mut ready).unwrap();
            assert_eq!(ready, [2, 5]);
            numbers.assign(11, 2, 7, rooms[2], &mut ready).unwrap();
            assert_eq!(ready, [2, 5, 6, 1]);
            numbers.assign(1000, 1, 9, rooms[2], &mut ready).unwrap();
            assert_eq!(ready, [2, 5, 6, 1, 4]);
            let found = [7, 8, 10, 11, 12, 13, 1000].map(|number| numbers.find(number));
            let wanted = [None, Some(100), Some(102), Some(7), Some(8), None, Some(9)];
            assert_eq!(found, wanted);
            for first in [6, 7, 8, 9, 10, 11, 12] {
                let again = numbers.assign(first, 3, 200, rooms[2], &mut ready);
                assert!(again.is_err(), "{first}");
            }
            assert!(
                numbers
                    .assign(FIRST_TAG - 1, 2, 200, 0, &mut ready)
                    .is_err()
            );
            assert!(numbers.assign(FIRST_TAG - 2, 2, 200, 0, &mut ready).is_ok());
            assert_eq!(numbers.find(FIRST_TAG - 1), Some(201));
        }
    }
}
