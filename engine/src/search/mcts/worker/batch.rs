//! Batches of iterations, which several threads make; one thread has none.

use super::{PlayoutPosition, SearchContext, Worker};
use crate::search::{
    Searchable,
    mcts::{
        node_store::{SearchStore, Update},
        playout::LastMoves,
    },
};

/// Several iterations from one inner node before the nodes above are updated. The upper nodes of a tree are written by all
/// threads, and contended cache lines are slow. A batch is small beside the node's visits, so selection above it hardly changes,
/// and virtual loss for the whole batch keeps other threads elsewhere.
pub(super) struct Batch<G> {
    /// Number of path steps down to the node.
    pub(super) path_len: usize,
    pub(super) position: G,
    pub(super) last_moves: LastMoves,
    pub(super) board: Option<PlayoutPosition<G>>,
    /// Length of the history at the node.
    pub(super) history_mark: usize,
    /// Iterations left.
    pub(super) remaining: u32,
    /// The update of the node and those above it, due when the batch ends.
    pub(super) update: Update,
}

impl<G> Batch<G> {
    /// Visits per thread from which on a node starts a batch.
    pub(super) const MIN_VISITS_PER_THREAD: u32 = 128;

    /// Iterations of a batch: all threads together make one per sixteen visits of the node.
    #[inline(always)]
    pub(super) fn size_for(visits: u32, threads: u32) -> u32 {
        (visits / 16 / threads).clamp(1, 16)
    }
}

impl<G: Searchable> Worker<'_, G> {
    /// Ends the batch and applies its update; call it before the tree is read and at the end of the search.
    pub(in crate::search::mcts) fn flush_batch<T: SearchStore<G>>(&mut self, store: &T) {
        if let Some(batch) = self.batch.take() {
            let mut update = batch.update;
            update.visits -= i64::from(batch.remaining);
            for step in &self.path[..batch.path_len] {
                store.apply(step, &update);
            }
        }
    }

    /// Starts a batch at the current node.
    pub(super) fn begin_batch(&mut self, position: &G, last_moves: LastMoves) {
        self.batch = Some(Batch {
            path_len: self.path.len(),
            position: position.clone(),
            last_moves,
            board: self.board.clone(),
            history_mark: self.history.mark(),
            remaining: 0,
            update: Update::default(),
        });
    }

    /// Adds rewards to the nodes of the path; down to the node of the batch only after the batch's last iteration.
    #[inline(always)]
    pub(super) fn backpropagate_batch<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        update: &Update,
        in_batch: bool,
    ) {
        let store = context.store;
        let mut above = 0;
        if let Some(batch) = &mut self.batch {
            above = batch.path_len;
            batch.update.merge(update);
            if in_batch {
                batch.remaining -= 1;
            } else {
                let node = self.path[above - 1].node;
                batch.remaining = Batch::<G>::size_for(store.visits(node), context.threads) - 1;
                for step in &self.path[..above] {
                    store.add_virtual_loss(step, batch.remaining);
                }
            }
        }
        for step in &self.path[above..] {
            store.apply(step, update);
        }
        let is_over = |batch: &mut Batch<G>| {
            batch.remaining == 0
                || context.config.solver && context.is_closed(self.path[above - 1].node)
        };
        if self.batch.as_mut().is_some_and(is_over) {
            self.flush_batch(store);
        }
    }
}
