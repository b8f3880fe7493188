#!/usr/bin/env python3
"""Random games refereed by pyffish (Fairy-Stockfish), as test data for our reading and writing of its notations.

    python3 -m venv venv && venv/bin/pip install pyffish==0.0.90
    venv/bin/python dump.py flipello 18 > flipello.txt
    venv/bin/python dump.py cfour 24 > cfour.txt

A line for every ply, with bars between its columns: the position, the legal moves as they come, and the one that was
played, `-` at the end of a game. To save room `[P27p28]` stands for the discs in hand, 27 times P and 28 times p, and `d3`
for the drop `P@d3`; all else is pyffish's own text.

Half of the flipello games are chosen for their passes, and the last two for ends before the board is full.
"""

import random
import re
import sys

import pyffish

# Connect four by its rules: discs that do not move once they are dropped, on top of what lies there; four win.
CFOUR = """
[cfour]
maxFile = 7
maxRank = 6
immobile = p
pieceDrops = true
enclosingDrop = top
connectN = 4
castling = false
doubleStep = false
nMoveRule = 0
nFoldRule = 0
stalemateValue = draw
startFen = 7/7/7/7/7/7[{}{}] w - - 0 1
""".format("P" * 21, "p" * 21)


def in_hand(match):
    return f"[P{match[0].count('P')}p{match[0].count('p')}]"


def play(variant, rng):
    """One random game as rows of (position, legal moves, move played)."""
    fen = pyffish.get_fen(variant, pyffish.start_fen(variant), [])
    # Where the last two moves were played from, and they: two passes end a game, which a position alone does not tell.
    before, recent = fen, []
    rows = []
    while True:
        moves = pyffish.legal_moves(variant, before, recent)
        move = rng.choice(moves) if moves else "-"
        rows.append((fen, moves, move))
        if not moves:
            return rows
        if len(recent) == 2:
            before, recent = pyffish.get_fen(variant, before, recent[:1]), recent[1:]
        recent = recent + [move]
        fen = pyffish.get_fen(variant, before, recent)


def is_pass(move):
    return "@" not in move and move != "-"


def dump(variant, count, seed):
    rng = random.Random(seed)
    pyffish.load_variant_config(CFOUR)
    kept = 0
    while kept < count:
        rows = play(variant, rng)
        if variant == "flipello" and kept >= count // 2:
            has_pass = any(is_pass(move) for _, _, move in rows)
            is_full = not re.search(r"\d", rows[-1][0].split("[")[0])
            wanted = has_pass if kept < count - 2 else not is_full
            if not wanted:
                continue
        for position, moves, move in rows:
            position = re.sub(r"\[.*\]", in_hand, position)
            print(f"{position} | {' '.join(moves)} | {move}".replace("P@", ""))
        kept += 1


if __name__ == "__main__":
    dump(sys.argv[1], int(sys.argv[2]), 1)
