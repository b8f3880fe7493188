//! How many nodes minimax would visit: what a search with cutoffs has saved.

use super::StopFlag;
use crate::games::{Game, History, SearchHints};

/// The most nodes that are counted.
pub(super) const MAX_FULL_NODES: u64 = 10_000_000;

/// Counts the positions that minimax visits below a root.
pub(super) struct FullNodeCounter<'a> {
    nodes: u64,
    history: History,
    stop: &'a StopFlag,
}

impl<'a> FullNodeCounter<'a> {
    /// A counter for a root with this history.
    pub(super) fn new(history: &History, stop: &'a StopFlag) -> Self {
        Self {
            nodes: 0,
            history: history.clone(),
            stop,
        }
    }

    /// The positions at most `depth` plies below `root`; `None` if they are more than [`MAX_FULL_NODES`], or on a stop.
    pub(super) fn count<G: Game + SearchHints>(&mut self, root: &G, depth: u32) -> Option<u64> {
        self.nodes = 0;
        self.visit(root, depth)?;
        Some(self.nodes)
    }

    fn visit<G: Game + SearchHints>(&mut self, position: &G, depth: u32) -> Option<()> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        self.nodes += moves.len() as u64;
        if self.nodes > MAX_FULL_NODES || self.stop.is_set() {
            return None;
        }
        if depth <= 1 {
            return Some(());
        }
        for mv in moves {
            let mut child = position.clone();
            child.play(mv);
            let mark = self.history.mark();
            self.history.push_search_position(&child);
            let repeats = child.repetition_key().is_some() && self.history.is_threefold(&child);
            let counted = if repeats {
                Some(())
            } else {
                self.visit(&child, depth - 1)
            };
            self.history.truncate_to(mark);
            counted?;
        }
        Some(())
    }
}
