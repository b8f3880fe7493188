//! The game's own board beside the nodes' frames, for playouts that learn moves in a graph with grouping; other searches have none.

use super::Worker;
use crate::{games::Symmetry, search::Searchable};

/// A position in the game's own frame, where its node has an image of it: playout policies learn moves of the game's board,
/// whatever the frames of the nodes.
#[derive(Clone)]
pub(in crate::search::mcts) struct PlayoutPosition<G> {
    pub(in crate::search::mcts) position: G,
    /// Maps the game's board to the node's frame.
    pub(in crate::search::mcts) symmetry: Symmetry,
}

impl<G: Searchable> Worker<'_, G> {
    /// Plays a move of a node's frame on the game's board, if there is one; returns its reply context there.
    #[inline(never)]
    pub(super) fn play_on_board(&mut self, position: &G, mv: G::Move) -> usize {
        let Some(board) = &mut self.board else {
            return position.reply_context(mv);
        };
        let mv = G::image_of_move(mv, board.symmetry.inverse());
        let context = board.position.reply_context(mv);
        board.position.play(mv);
        context
    }

    /// Composes the board's symmetry with the change of frame along an edge, see [`crate::search::mcts::node_store::SharedNodes::frame_bits`].
    pub(super) fn transform_board(&mut self, frame: u32) {
        if let Some(board) = &mut self.board {
            board.symmetry = board.symmetry.then(Symmetry::from_bits(frame as u8));
        }
    }
}
