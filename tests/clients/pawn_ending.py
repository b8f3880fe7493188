"""Finds the distance to mate of every legal position of king and pawn against king, by python-chess and plain propagation.

    python3 pawn_ending.py ENGINE                       compares with the engine
    python3 pawn_ending.py > ../data/chess_kpk.txt      writes a digest, with which tests compare

The engine's own program for lists, `solve --file`, compares: it exits with 1 if it finds another value anywhere. The digest has a
line for each side to move and square of the white pawn: legal positions, won ones, plies of the longest win, and the FNV-1a hash
(64 bits) of a byte for each square of the white king (a1, b1, ... h8) and in it each of the black king: 255 if the position is not
legal, 254 if it is drawn, else the plies to mate.
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


def fnv1a(values):
    result = 0xCBF29CE484222325
    for value in values:
        result = (result ^ value) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return result


def print_digest(found, fens):
    print(f"# King and pawn against king by python-chess {chess.__version__}: see tests/clients/pawn_ending.py.")
    print("# side, pawn, legal positions, won, longest win in plies, hash")
    for to_move in COLORS:
        for square in chess.SQUARES:
            keys = [key(to_move, white, black, square) for white in chess.SQUARES for black in chess.SQUARES]
            values = [found.get(here, 254) if here in fens else 255 for here in keys]
            legal = [value for value in values if value != 255]
            if not legal:
                continue
            won = [value for value in legal if value != 254]
            side = "wb"[COLORS.index(to_move)]
            name = chess.square_name(square)
            print(f"{side} {name} {len(legal)} {len(won)} {max(won, default=0)} {fnv1a(values):016x}")


def compare(engine, found, fens):
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


def main():
    promoted = {piece: distances(piece, {})[0] for piece in (chess.QUEEN, chess.ROOK)}
    found, fens = distances(chess.PAWN, promoted)
    if len(sys.argv) > 1:
        compare(sys.argv[1], found, fens)
    else:
        print_digest(found, fens)


if __name__ == "__main__":
    main()
