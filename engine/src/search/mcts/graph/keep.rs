//! What of a graph is kept for the next move.

use super::{CHOSEN, COUNTS, FIRST, Graph, Index, SUM, Ties};

impl<const SQUARES: bool> Graph<SQUARES> {
    /// Keeps what can be reached from the node `root` and slides it to the front of the arena; false if there is no memory to
    /// do so, and nothing is changed then.
    ///
    /// The counts of before give way to what is needed here, which is less: they are taken anew for every search.
    pub(super) fn keep_only(&mut self, root: u32) -> bool {
        self.counts_before = Vec::new();
        let slots = self.slots();
        let (mut places, mut is_reached) = (Vec::new(), Vec::new());
        let mut entries = Vec::new();
        let indexed = self.index.as_ref().map_or(0, Index::len);
        if places.try_reserve_exact(slots as usize).is_err()
            || is_reached.try_reserve_exact(slots as usize).is_err()
            || entries.try_reserve_exact(indexed).is_err()
        {
            return false;
        }
        // Where a slot goes; 0 if it does not stay. At first only whether it stays.
        places.resize(slots as usize, 0);
        places[root as usize] = root;
        // What no move leads to is not even looked at: a thread may have set slots aside that it never used.
        is_reached.resize(slots as usize, false);
        is_reached[root as usize] = true;
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.shape(node).children();
            for slot in (first as u32..).take(count) {
                places[slot as usize] = slot;
                if let Some(node) = self.node(slot)
                    && !std::mem::replace(&mut is_reached[node as usize], true)
                {
                    pending.push(node);
                }
            }
        }
        for node in (FIRST..slots).filter(|&node| is_reached[node as usize]) {
            self.part_with(node, |slot| places[slot as usize] == 0);
        }
        drop(is_reached);
        let mut end = FIRST;
        for place in places.iter_mut().filter(|place| **place != 0) {
            *place = end;
            end += 1;
        }
        let place_of = |slot: u32| Some(places[slot as usize]).filter(|&place| place != 0);
        self.root = places[root as usize];
        if let Some(index) = &mut self.index {
            // What does not stay has become a move to the node in its new slot.
            let arena = &self.arena;
            let ties = |slot| Ties(arena.get(Self::word(slot) + Self::TIES));
            index.rename(entries, |slot| place_of(ties(slot).node(slot)));
        }
        for (slot, &place) in (0..).zip(&places).filter(|&(_, &place)| place != 0) {
            self.arena
                .copy_down(Self::word(slot), Self::word(place), Self::WORDS);
            let (shape, ties) = (self.shape(place), self.ties(place));
            self.set_shape(place, shape.placed(places[shape.place() as usize]));
            let next = places[ties.next() as usize];
            let ties = if ties.is_elsewhere() {
                Ties::elsewhere(places[ties.node(slot) as usize])
            } else {
                ties
            };
            self.set_ties(place, ties.before(next));
        }
        self.arena.truncate(Self::word(end));
        true
    }

    /// Some of the moves to the node in slot `node` are going to go, perhaps that slot itself: those that stay stay tied,
    /// and the first of them has the node.
    fn part_with(&self, node: u32, goes: impl Fn(u32) -> bool) {
        let old = self.ties(node);
        if old.next() == 0 {
            return;
        }
        let all = std::iter::successors(Some(node), |&slot| Some(self.ties(slot).next()));
        let staying: Vec<u32> = all
            .take_while(|&slot| slot != 0)
            .filter(|&slot| !goes(slot))
            .collect();
        let Some(&first) = staying.first() else {
            return;
        };
        if first != node {
            let (from, to) = (Self::word(node), Self::word(first));
            let visits = self.arena.get(from + COUNTS) & !CHOSEN;
            let chosen = self.arena.get(to + COUNTS) & CHOSEN;
            self.arena.set(to + COUNTS, visits | chosen);
            for word in SUM..Self::SHAPE {
                self.arena.set(to + word, self.arena.get(from + word));
            }
            self.set_shape(first, self.shape(first).knowing(self.shape(node)));
            // The index finds it here.
            self.set_ties(node, Ties::elsewhere(first));
        }
        for (index, &slot) in staying.iter().enumerate() {
            let ties = if index == 0 {
                old
            } else {
                Ties::elsewhere(first)
            };
            let next = staying.get(index + 1).copied().unwrap_or(0);
            self.set_ties(slot, ties.before(next));
        }
    }
}
