//! Which nodes of a tracked tree stay: when memory is full, and in a checkpoint.

use std::io;

use super::{
    super::partial_tree::{PartialIteration, PartialTree, PartialTreeNode},
    PartialTreeTracker, VISITED_BIT,
};

impl PartialTreeTracker {
    /// Closes the least visited nodes, so that half of the room is free.
    #[expect(
        clippy::indexing_slicing,
        reason = "the tables of tracked nodes are of one length, and parents come before their children"
    )]
    pub(super) fn collapse_least_visited(&mut self) -> io::Result<()> {
        self.flush_pending_stats();
        let mut scores = Vec::with_capacity(self.part.nodes.len());
        for index in 0..self.part.nodes.len() {
            scores.push(self.retention_score(index)?);
        }
        let mut parents: Vec<(u64, u32)> = (self.part.nodes.iter().zip(&scores))
            .filter(|(node, _)| node.child_count > 0)
            .map(|(node, &score)| (score, node.child_count.into()))
            .collect();
        parents.sort_unstable_by(|one, other| other.cmp(one));
        let mut room = self.limits.max_nodes as u64 / 2;
        let mut least = 0;
        for (score, count) in parents {
            match room.checked_sub(count.into()) {
                Some(left) => room = left,
                None => {
                    least = score + 1;
                    break;
                }
            }
        }
        let is_open = |index: usize| index == 0 || scores[index] >= least;
        // By node: whether it stays, and its new index, or the index of the ancestor that replaces it.
        let mut stays: Vec<bool> = Vec::with_capacity(self.part.nodes.len());
        let mut places: Vec<u32> = Vec::with_capacity(self.part.nodes.len());
        let mut kept = 0;
        for (index, node) in self.part.nodes.iter().enumerate() {
            let parent = node.parent as usize;
            stays.push(index == 0 || stays[parent] && is_open(parent));
            if stays[index] {
                places.push(kept);
                kept += 1;
            } else {
                places.push(places[parent]);
            }
        }
        for index in (0..stays.len()).filter(|&index| stays[index]) {
            let mut node = self.part.nodes[index];
            node.parent = places[node.parent as usize];
            if node.child_count > 0 && is_open(index) {
                node.first_child = places[node.first_child as usize];
            } else if node.child_count > 0 {
                (node.first_child, node.child_count, node.is_collapsed) = (0, 0, true);
            }
            let place = places[index] as usize;
            self.part.nodes[place] = node;
            self.journal_ids[place] = self.journal_ids[index];
            self.branches[place] = self.branches[index];
        }
        let kept = kept as usize;
        self.part.nodes.truncate(kept);
        self.journal_ids.truncate(kept);
        self.branches.truncate(kept);
        self.pending_stats.truncate(kept);
        for step in &mut self.pending_iterations {
            step.node = places[step.node as usize];
        }
        self.owners.for_each(|word| {
            if let Some(owner) = (*word & !VISITED_BIT).checked_sub(1) {
                *word = *word & VISITED_BIT | (places[owner as usize] + 1);
            }
        })
    }

    /// The priority of keeping a node open: its visits or, if larger, its final visits, on the final scale. Never more than
    /// its parent's.
    #[expect(
        clippy::indexing_slicing,
        reason = "an owner is a tracked node, and the tables of tracked nodes grow and shrink together"
    )]
    fn retention_score(&mut self, index: usize) -> io::Result<u64> {
        let visits = u64::from(self.part.nodes[index].visits);
        let Some(guide) = &mut self.final_visits else {
            return Ok(visits);
        };
        let last = guide.visits.get(self.journal_ids[index])?;
        let scaled = visits * u64::from(guide.iterations) / u64::from(self.part.iteration.max(1));
        Ok(scaled.max(last.into()))
    }

    /// The most visited part of at most `most` nodes where the tracker stands, and the iterations that were not taken yet,
    /// as that part has them.
    #[expect(
        clippy::indexing_slicing,
        reason = "a parent comes before its children, and iterations have tracked nodes"
    )]
    pub(in super::super) fn most_visited_part(
        &mut self,
        max_nodes: usize,
    ) -> (PartialTree, Vec<PartialIteration>) {
        self.flush_pending_stats();
        let least = self.min_visits_for(max_nodes.max(1));
        let mut part = PartialTree {
            nodes: Vec::new(),
            min_visits: least,
            ..self.part_without_nodes()
        };
        let mut places: Vec<u32> = Vec::with_capacity(self.part.nodes.len());
        let mut is_kept: Vec<bool> = Vec::with_capacity(self.part.nodes.len());
        for (index, node) in self.part.nodes.iter().enumerate() {
            let parent = node.parent as usize;
            is_kept.push(index == 0 || is_kept[parent] && node.visits >= least);
            if !is_kept[index] {
                places.push(places[parent]);
                continue;
            }
            let place = part.nodes.len() as u32;
            places.push(place);
            let parent = places[parent];
            part.nodes.push(PartialTreeNode {
                parent,
                first_child: 0,
                child_count: 0,
                ..*node
            });
            if index > 0 {
                let parent = &mut part.nodes[parent as usize];
                if parent.child_count == 0 {
                    parent.first_child = place;
                }
                parent.child_count += 1;
            }
        }
        let steps = (self.pending_iterations.iter())
            .map(|step| PartialIteration {
                node: places[step.node as usize],
                ..*step
            })
            .collect();
        (part, steps)
    }

    fn part_without_nodes(&self) -> PartialTree {
        PartialTree {
            kind: self.part.kind,
            iteration: self.part.iteration,
            nodes: Vec::new(),
            total_nodes: self.part.total_nodes,
            min_visits: 0,
            has_squares: self.part.has_squares,
        }
    }

    /// The smallest visit threshold that leaves at most `max_nodes` nodes and exceeds the visits of any node that may be
    /// hidden below a closed one; 0 if all nodes are present and stay.
    fn min_visits_for(&mut self, max_nodes: usize) -> u32 {
        let nodes = &self.part.nodes;
        let is_closed = |node: &&PartialTreeNode| node.is_collapsed;
        let closed = nodes.iter().filter(is_closed).map(|node| node.visits).max();
        let hidden = closed.map_or(0, |visits| visits.saturating_add(1));
        if nodes.len() <= max_nodes {
            self.has_lost_nodes |= hidden > 0;
            return hidden;
        }
        // The root is one of them.
        let mut visits: Vec<u32> = nodes.iter().skip(1).map(|node| node.visits).collect();
        let (_, &mut first_left_out, _) =
            visits.select_nth_unstable_by(max_nodes - 1, |one, other| other.cmp(one));
        let least = first_left_out.saturating_add(1);
        self.has_lost_nodes |= hidden > least;
        hidden.max(least)
    }
}
