//! What the weights do not know of endings.

use cozy_chess::{Board, Color, Piece};

use super::king_distance;

/// Guides the pieces that mate a lone king: drives it to the edge and brings the other king near. Not fitted: hardly a game of
/// the fit comes this far.
pub(super) fn lone_king(board: &Board) -> i32 {
    let mover = board.side_to_move();
    let guide = |weak: Color| {
        let is_alone = board.colors(weak).len() == 1;
        if !is_alone || (board.pieces(Piece::Rook) | board.pieces(Piece::Queen)).is_empty() {
            return 0;
        }
        let (king, other) = (board.king(weak), board.king(!weak));
        let from_centre = |line: i32| (2 * line - 7).abs();
        let edge = from_centre(king as i32 & 7) + from_centre(king as i32 >> 3);
        10 * edge - 8 * king_distance(king, other)
    };
    guide(!mover) - guide(mover)
}

/// Whether the side that is ahead has no pawns and at most a minor piece more than the other.
pub(super) fn can_hardly_win(board: &Board, value: i32) -> bool {
    let mover = board.side_to_move();
    let strong = if value > 0 { mover } else { !mover };
    if !board.colored_pieces(strong, Piece::Pawn).is_empty() {
        return false;
    }
    let pieces = |color: Color| {
        let count = |piece| board.colored_pieces(color, piece).len();
        3 * (count(Piece::Knight) + count(Piece::Bishop))
            + 5 * count(Piece::Rook)
            + 9 * count(Piece::Queen)
    };
    pieces(strong) <= pieces(!strong) + 3
}
