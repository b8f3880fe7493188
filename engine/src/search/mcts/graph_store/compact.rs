//! Reuse of a graph for the next search: keeps what the new root reaches.

use super::{
    COUNTS_WORD, EDGE_VISITS_MASK, FIRST_SLOT, GraphStore, SUM_WORD, SharedNode, TranspositionIndex,
};

impl<const SQUARES: bool, const PRIORS: bool> GraphStore<SQUARES, PRIORS> {
    /// Keeps the slots reachable from `root` and moves them to the front of the arena. False, and no slot is changed, if there is
    /// not enough memory.
    ///
    /// Frees the inherited counts first, which every search takes anew and which are larger than the tables needed here.
    pub(super) fn compact_to_subtree(&mut self, root: u32) -> bool {
        self.inherited_counts = Vec::new();
        let slots = self.slot_count();
        let (mut new_slots, mut is_reached) = (Vec::new(), Vec::new());
        let mut entries = Vec::new();
        let indexed = self.index.as_ref().map_or(0, TranspositionIndex::len);
        if new_slots.try_reserve_exact(slots as usize).is_err()
            || is_reached.try_reserve_exact(slots as usize).is_err()
            || entries.try_reserve_exact(indexed).is_err()
        {
            return false;
        }
        // The new number of each slot; 0 if it is dropped. During marking, any non-zero value.
        new_slots.resize(slots as usize, 0);
        new_slots[root as usize] = root;
        // Only reached slots are read: chunks of other threads may have slots that were never initialised.
        is_reached.resize(slots as usize, false);
        is_reached[root as usize] = true;
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.shape(node).children();
            for slot in (first as u32..).take(count) {
                new_slots[slot as usize] = slot;
                if let Some(node) = self.node_of_slot(slot)
                    && !std::mem::replace(&mut is_reached[node as usize], true)
                {
                    pending.push(node);
                }
            }
        }
        for node in (FIRST_SLOT..slots).filter(|&node| is_reached[node as usize]) {
            self.unlink_if(node, |slot| new_slots[slot as usize] == 0);
        }
        drop(is_reached);
        let mut end = FIRST_SLOT;
        for place in new_slots.iter_mut().filter(|place| **place != 0) {
            *place = end;
            end += 1;
        }
        let new_slot_of = |slot: u32| Some(new_slots[slot as usize]).filter(|&place| place != 0);
        self.root = new_slots[root as usize];
        if let Some(index) = &mut self.index {
            // A dropped slot that held a node links to the node's new slot by now.
            let arena = &self.arena;
            let shared_node_at =
                |slot| SharedNode(arena.get(Self::offset(slot) + Self::SHARED_NODE_WORD));
            index.remap_nodes(entries, |slot| new_slot_of(shared_node_at(slot).node(slot)));
        }
        for (slot, &place) in (0..).zip(&new_slots).filter(|&(_, &place)| place != 0) {
            self.arena
                .copy_down(Self::offset(slot), Self::offset(place), Self::SLOT_WORDS);
            let (shape, shared) = (self.shape(place), self.shared_node(place));
            self.set_shape(
                place,
                shape.with_first_child(new_slots[shape.first_child() as usize]),
            );
            let next = new_slots[shared.next() as usize];
            let shared = if shared.is_stored_elsewhere() {
                SharedNode::stored_in(new_slots[shared.node(slot) as usize])
            } else {
                shared
            };
            self.set_shared_node(place, shared.with_next(next));
        }
        self.arena.truncate(Self::offset(end));
        true
    }

    /// Removes the slots for which `goes` is true from the list of slots that lead to `node`. If `node`'s own slot goes, the first
    /// that stays takes over the node.
    fn unlink_if(&self, node: u32, goes: impl Fn(u32) -> bool) {
        let old = self.shared_node(node);
        if old.next() == 0 {
            return;
        }
        let all = std::iter::successors(Some(node), |&slot| Some(self.shared_node(slot).next()));
        let staying: Vec<u32> = all
            .take_while(|&slot| slot != 0)
            .filter(|&slot| !goes(slot))
            .collect();
        let Some(&first) = staying.first() else {
            return;
        };
        if first != node {
            let (from, to) = (Self::offset(node), Self::offset(first));
            let visits = self.arena.get(from + COUNTS_WORD) & !EDGE_VISITS_MASK;
            let chosen = self.arena.get(to + COUNTS_WORD) & EDGE_VISITS_MASK;
            self.arena.set(to + COUNTS_WORD, visits | chosen);
            for word in SUM_WORD..Self::SHAPE_WORD {
                self.arena.set(to + word, self.arena.get(from + word));
            }
            self.set_shape(first, self.shape(first).with_node_bits(self.shape(node)));
            // For index entries, which still name the old slot.
            self.set_shared_node(node, SharedNode::stored_in(first));
        }
        for (index, &slot) in staying.iter().enumerate() {
            let shared = if index == 0 {
                old
            } else {
                SharedNode::stored_in(first)
            };
            let next = staying.get(index + 1).copied().unwrap_or(0);
            self.set_shared_node(slot, shared.with_next(next));
        }
    }
}
