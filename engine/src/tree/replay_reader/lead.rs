//! Since when one move of the root has more visits than another.

use super::{InMemoryJournal, JournalBacking, ReplayReader, RootMoveTally, root_edges};

impl ReplayReader {
    /// The first iteration from which on a move of the root has had more visits than another at all later times, and how exactly
    /// that is known, in iterations: 1 of a journal in memory. None if it is not ahead at the end. Moves are counted in the order
    /// of [`RootMoveHistory::moves`](super::RootMoveHistory::moves).
    pub fn ahead_since(&self, ahead: usize, behind: usize) -> Option<(u32, u32)> {
        match &self.backing {
            JournalBacking::InMemory(whole) => Some((whole.ahead_since(ahead, behind)?, 1)),
            JournalBacking::Indexed(index) => index.tally()?.ahead_since(ahead, behind),
        }
    }
}

impl InMemoryJournal {
    /// As above, by every iteration.
    fn ahead_since(&self, ahead: usize, behind: usize) -> Option<u32> {
        let growth = self.replay.growth();
        let visits = |index: usize| Some(u64::from(root_edges(growth).nth(index)?.1));
        let (mut one, mut other) = (visits(ahead)?, visits(behind)?);
        let mut since = (one > other).then_some(0);
        for iteration in 0..growth.iterations() {
            let branch = self.branch_of_iteration(iteration);
            one += u64::from(branch == Some(ahead));
            other += u64::from(branch == Some(behind));
            match one > other {
                true => since = since.or(Some(iteration + 1)),
                false => since = None,
            }
        }
        since
    }
}

impl RootMoveTally {
    /// As above, by samples.
    fn ahead_since(&self, ahead: usize, behind: usize) -> Option<(u32, u32)> {
        let visits = |of: Option<u32>| of.unwrap_or(0);
        let at_end = |index: usize| visits(self.current.get(index).map(|stats| stats.visits));
        if at_end(ahead) <= at_end(behind) {
            return None;
        }
        let is_ahead = |sample: &Vec<super::RootMoveSample>| {
            let of = |index: usize| visits(sample.get(index).map(|one| one.visits));
            of(ahead) > of(behind)
        };
        let last_behind = self.samples.iter().rposition(|sample| !is_ahead(sample));
        let first = last_behind.map_or(0, |index| index as u32 + 1);
        let iteration = first.saturating_mul(self.sample_interval);
        Some((iteration.min(self.iterations), self.sample_interval))
    }
}
