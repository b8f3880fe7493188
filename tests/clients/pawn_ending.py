"""Writes every legal position of king and pawn against king with its distance to mate, by python-chess and plain propagation.

The engine's own program for lists, `solve --file`, then compares: it exits with 1 if it finds another value anywhere.
"""

import subprocess
import sys
import tempfile

import chess

COLORS = (chess.WHITE, chess.BLACK)


def key(to_move, white_king, black_king, square):
    return ((to_move * 64 + white_king) * 64 + black_king) * 64 + square


def legal_positions(piece):
    """Keys and boards with the white piece."""
    for white_king in chess.SQUARES:
        for black_king in chess.SQUARES:
            for square in chess.SQUARES:
                if len({white_king, black_king, square}) < 3:
                    continue
                for to_move in COLORS:
                    board = chess.Board(None)
                    board.set_piece_at(white_king, chess.Piece(chess.KING, chess.WHITE))
                    board.set_piece_at(black_king, chess.Piece(chess.KING, chess.BLACK))
                    board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
                    board.turn = to_move
                    if board.is_valid():
                        yield key(to_move, white_king, black_king, square), board


def distances(piece, promoted):
    """Plies to mate of every position that White wins, and the boards of all legal positions as FEN.

    `promoted` has the distances with the pieces that a pawn can become.
    """
    pending, before, fens, due = {}, {}, {}, {}
    for here, board in legal_positions(piece):
        fens[here] = board.fen()
        moves = list(board.legal_moves)
        pending[here] = len(moves)
        if board.is_checkmate():
            due.setdefault(0, []).append(here)
        for move in moves:
            kings = [board.king(color) for color in COLORS]
            square = next(iter(board.pieces(piece, chess.WHITE)))
            if move.to_square == square:
                continue  # A bare king draws: this move is never refuted.
            if move.from_square == square:
                square = move.to_square
            else:
                kings[COLORS.index(board.turn)] = move.to_square
            after = key(not board.turn, *kings, square)
            if move.promotion:
                plies = promoted.get(move.promotion, {}).get(after)
                if plies is not None:
                    due.setdefault(plies + 1, []).append(here)
            else:
                before.setdefault(after, []).append(here)
    found = {}
    plies = 0
    while due:
        for here in due.pop(plies, []):
            if here in found:
                continue
            found[here] = plies
            for previous in before.get(here, []):
                # White, to move at odd distances, needs one good move; for Black all must be refuted.
                if plies % 2 == 0:
                    due.setdefault(plies + 1, []).append(previous)
                    continue
                pending[previous] -= 1
                if pending[previous] == 0:
                    due.setdefault(plies + 1, []).append(previous)
        plies += 1
    return found, fens


def value(plies):
    if plies is None:
        return "draw"
    return f"{'win' if plies % 2 else 'loss'}::{plies}"


def main():
    engine = sys.argv[1]
    promoted = {piece: distances(piece, {})[0] for piece in (chess.QUEEN, chess.ROOK)}
    found, fens = distances(chess.PAWN, promoted)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for here, fen in fens.items():
            file.write(f"chess\t{fen}\tvalue={value(found.get(here))}\n")
        file.flush()
        command = [engine, "solve", "--file", file.name, "--cache", "none"]
        done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (done.stderr[-2000:], done.stdout[-2000:])
    assert len(lines) == len(fens), (len(lines), len(fens))
    print(f"{len(fens)} positions, {len(found)} of them won, the longest in {max(found.values())} plies")


if __name__ == "__main__":
    main()
