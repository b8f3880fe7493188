//! A checkpoint in memory, which can be moved to any iteration it covers.

use super::partial_tree::{PartialIteration, PartialTree};

/// A checkpoint, positioned at one of its iterations.
pub(super) struct LoadedCheckpoint {
    pub(super) part: PartialTree,
    /// The iterations it covers, from `begin` on.
    pub(super) iterations: Vec<PartialIteration>,
    pub(super) begin: u32,
}

impl LoadedCheckpoint {
    pub(super) fn new((part, steps): (PartialTree, Vec<PartialIteration>)) -> Self {
        let begin = part.iteration - steps.len() as u32;
        Self {
            part,
            iterations: steps,
            begin,
        }
    }

    /// Whether the tree after `at` iterations can be rebuilt from it.
    pub(super) fn covers(&self, at: u32) -> bool {
        let end = self.begin + self.iterations.len() as u32;
        (self.begin < at && at <= end) || (at == 0 && self.begin == 0)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a caller has asked `covers`, and the part stands within the iterations"
    )]
    pub(super) fn seek(&mut self, to: u32) {
        let (now, to_step) = (
            (self.part.iteration - self.begin) as usize,
            (to - self.begin) as usize,
        );
        if now < to_step {
            self.part
                .apply_iterations(&self.iterations[now..to_step], true);
        } else {
            self.part
                .apply_iterations(&self.iterations[to_step..now], false);
        }
    }
}
