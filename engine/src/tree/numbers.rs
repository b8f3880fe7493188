//! Whatever numbers a journal has for nodes or moves, and those that count them in the order in which they were made.

use std::collections::{BTreeMap, VecDeque};

use crate::search::growth::TAGS;

/// No more than so many things are counted.
pub(super) const MOST: u32 = AWAITED - 1;
/// In a word of [`Numbers::near`]: the rest is the list of those that wait for it.
const AWAITED: u32 = 1 << 31;

/// What the numbers of a journal mean. The numbers of an honest one lie close together, for they are places in the memory
/// of a search; these are looked up in a table. A table that the largest possible number asks for would be a present to
/// liars, so it has room only for as many numbers as the journal has space to tell of.
#[derive(Default)]
pub(super) struct Numbers {
    /// Numbers below this count as themselves: those that one thread gave to a new tree all do, and need no table.
    plain: u32,
    /// By number: 0 if it is unknown, one more than what it counts as, or those that wait for it.
    near: Vec<u32>,
    /// Numbers that were given when there was no room for them in the table: the first of a block, how many, and what the
    /// first counts as. Blocks do not overlap.
    far: BTreeMap<u32, (u32, u32)>,
    /// Those that wait for a number that had no room in the table.
    awaited: BTreeMap<u32, u32>,
}

impl Numbers {
    /// The bytes it takes in memory; entries of trees are counted as if they were of tables, with their share of the nodes.
    pub(super) fn bytes(&self) -> usize {
        4 * self.near.capacity() + 24 * self.far.len() + 16 * self.awaited.len()
    }

    /// What a number counts as; none if it has not been given yet.
    #[inline(always)]
    pub(super) fn find(&self, number: u32) -> Option<u32> {
        if number < self.plain {
            return Some(number);
        }
        match self.near.get(number as usize) {
            Some(&word @ 1..AWAITED) => Some(word - 1),
            _ if self.far.is_empty() => None,
            _ => self.find_far(number),
        }
    }

    fn find_far(&self, number: u32) -> Option<u32> {
        let (&first, &(count, counted)) = self.far.range(..=number).next_back()?;
        let offset = number - first;
        (offset < count).then(|| counted + offset)
    }

    /// Gives the numbers from `first` on to `count` things that are counted from `counted` on; an error if one of them is
    /// taken or is none. The table has room for numbers below `room`. The lists of those that waited are added to `ready`,
    /// in the order of the numbers.
    pub(super) fn give(
        &mut self,
        first: u32,
        count: u32,
        counted: u32,
        room: usize,
        ready: &mut VecDeque<u32>,
    ) -> Result<(), String> {
        if u64::from(first) + u64::from(count) > u64::from(TAGS) {
            return Err(format!("{count} numbers from {first} on"));
        }
        let end = first + count;
        let mut taken = (first as usize..end as usize).map_while(|number| self.near.get(number));
        let block = self.far.range(..end).next_back();
        if first < self.plain
            || taken.any(|word| (1..AWAITED).contains(word))
            || block.is_some_and(|(&begin, &(count, _))| begin + count > first)
        {
            return Err(format!(
                "{count} numbers from {first} on, one of them taken"
            ));
        }
        let is_plain = first == self.plain && counted == first;
        let is_near = !is_plain && end as usize <= room;
        if is_plain {
            self.plain = end;
        } else if is_near {
            self.reach(end as usize, room);
        } else {
            self.far.insert(first, (count, counted));
        }
        let any_far = self.awaited.range(first..end).next().is_some();
        for (offset, number) in (0..).zip(first..end) {
            if any_far && let Some(list) = self.awaited.remove(&number) {
                ready.push_back(list);
            }
            if let Some(word) = self.near.get_mut(number as usize) {
                let now = if is_near { counted + offset + 1 } else { 0 };
                let before = std::mem::replace(word, now);
                if before >= AWAITED {
                    ready.push_back(before - AWAITED);
                }
            } else if !any_far {
                break;
            }
        }
        Ok(())
    }

    /// Makes the table reach to the number before `end`, which is not above `room`.
    fn reach(&mut self, end: usize, room: usize) {
        let before = self.near.len();
        if before < end {
            let len = end.next_power_of_two().min(room);
            self.near.reserve_exact(len - before);
            self.near.resize(len, 0);
        }
    }

    /// The list of those that wait for a number that has not been given yet.
    pub(super) fn waiting(&self, number: u32) -> Option<u32> {
        match self.near.get(number as usize) {
            Some(&word) if word >= AWAITED => Some(word - AWAITED),
            _ => self.awaited.get(&number).copied(),
        }
    }

    /// Notes the list of those that wait for a number.
    pub(super) fn set_waiting(&mut self, number: u32, list: u32, room: usize) {
        if let Some(before) = self.awaited.get_mut(&number) {
            *before = list;
        } else if (number as usize) < room {
            self.reach(number as usize + 1, room);
            self.near[number as usize] = AWAITED | list;
        } else {
            self.awaited.insert(number, list);
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
            let mut numbers = Numbers::default();
            let mut ready = VecDeque::new();
            numbers.set_waiting(4, 9, rooms[0]);
            numbers.give(0, 3, 0, rooms[0], &mut ready).unwrap();
            assert_eq!((numbers.find(2), numbers.find(3)), (Some(2), None));
            numbers.give(3, 2, 3, rooms[0], &mut ready).unwrap();
            assert_eq!((numbers.find(4), numbers.find(5)), (Some(4), None));
            assert_eq!(ready.pop_front(), Some(9));
            assert!(numbers.give(4, 2, 5, rooms[0], &mut ready).is_err());
            for (number, list) in [(12, 1), (8, 2), (10, 3), (1000, 4)] {
                assert_eq!(numbers.waiting(number), None);
                numbers.set_waiting(number, list, rooms[0]);
                assert_eq!(numbers.waiting(number), Some(list));
                assert_eq!(numbers.find(number), None);
            }
            numbers.set_waiting(10, 5, rooms[1]);
            numbers.set_waiting(11, 6, rooms[1]);
            numbers.give(8, 3, 100, rooms[1], &mut ready).unwrap();
            assert_eq!(ready, [2, 5]);
            numbers.give(11, 2, 7, rooms[2], &mut ready).unwrap();
            assert_eq!(ready, [2, 5, 6, 1]);
            numbers.give(1000, 1, 9, rooms[2], &mut ready).unwrap();
            assert_eq!(ready, [2, 5, 6, 1, 4]);
            let found = [7, 8, 10, 11, 12, 13, 1000].map(|number| numbers.find(number));
            let wanted = [None, Some(100), Some(102), Some(7), Some(8), None, Some(9)];
            assert_eq!(found, wanted);
            for first in [6, 7, 8, 9, 10, 11, 12] {
                let again = numbers.give(first, 3, 200, rooms[2], &mut ready);
                assert!(again.is_err(), "{first}");
            }
            assert!(numbers.give(TAGS - 1, 2, 200, 0, &mut ready).is_err());
            assert!(numbers.give(TAGS - 2, 2, 200, 0, &mut ready).is_ok());
            assert_eq!(numbers.find(TAGS - 1), Some(201));
        }
    }
}
