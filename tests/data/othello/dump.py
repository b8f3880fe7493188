#!/usr/bin/env python3
"""Endings of random othello games with the score of every move, found by Edax, as test data for our own solver.

    python3 dump.py EDAX WEIGHTS 200 > endings.txt

EDAX is a build of github.com/abulmo/edax-reversi. WEIGHTS is its file of evaluation weights; one whose weights are all 0 gives the
same scores, as Edax searches to the end of the game: 28 bytes of header (0x45444158, 0x4556414c, 3, 2, 5, an 8-byte 0), then
61 * 114364 * 2 bytes of 0.

One position a line, in OBF: the board from a1 to h8 (X has black discs), the side to move, and `; MOVE:SCORE` for every legal move.
A score is the difference of discs at the end for the side to move, where empty squares count for the winner.
"""

import random
import re
import subprocess
import sys
import tempfile

STEPS = (-9, -8, -7, -1, 1, 7, 8, 9)
EMPTY_SQUARES = range(10, 17)


def flips(board, square, mover):
    """The squares whose discs a disc of `mover` on an empty square turns over."""
    turned = []
    for step in STEPS:
        run, place = [], square
        while True:
            file = place % 8 + (step + 9) % 8 - 1
            place += step
            if not (0 <= place < 64 and 0 <= file < 8) or board[place] == "-":
                break
            if board[place] == mover:
                turned += run
                break
            run.append(place)
    return turned


def moves(board, mover):
    """Legal moves and the discs they turn over."""
    found = {square: flips(board, square, mover) for square in range(64) if board[square] == "-"}
    return {square: turned for square, turned in found.items() if turned}


def play(board, square, turned, mover):
    after = list(board)
    for place in [square, *turned]:
        after[place] = mover
    return "".join(after)


def other(side):
    return "O" if side == "X" else "X"


def random_position(rng, empty):
    """A position of a random game with so many empty squares and at least two moves."""
    while True:
        board = play("-" * 64, 27, [36], "O")
        board, mover = play(board, 28, [35], "X"), "X"
        while board.count("-") > empty:
            choices = moves(board, mover)
            if choices:
                square = rng.choice(sorted(choices))
                board = play(board, square, choices[square], mover)
            elif not moves(board, other(mover)):
                break
            mover = other(mover)
        if board.count("-") == empty and len(moves(board, mover)) > 1:
            return board, mover


def final_score(board, side):
    ahead = board.count(side) - board.count(other(side))
    empty = board.count("-")
    return ahead + (empty if ahead > 0 else -empty if ahead < 0 else 0)


def edax_scores(edax, weights, positions):
    """Edax's scores for the side to move."""
    with tempfile.NamedTemporaryFile("w", suffix=".obf") as file:
        file.writelines(f"{board} {side};\n" for board, side in positions)
        file.flush()
        command = [edax, "-solve", file.name, "-n", "1", "-eval-file", weights]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # number | depth, with @ and a percentage where the search was selective | score
    rows = re.findall(r"^ *(\d+)\| *(\d+) +([-+]\d+)", said, re.MULTILINE)
    assert [int(number) for number, _, _ in rows] == list(range(1, len(positions) + 1)), said
    for (_, depth, _), (board, _) in zip(rows, positions):
        assert int(depth) == board.count("-"), (depth, board)
    return [int(score) for _, _, score in rows]


def main():
    edax, weights, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rng = random.Random(1)
    positions = [random_position(rng, EMPTY_SQUARES[number % len(EMPTY_SQUARES)]) for number in range(count)]
    questions, answers = [], {}
    for number, (board, mover) in enumerate(positions):
        for square, turned in moves(board, mover).items():
            child = play(board, square, turned, mover)
            if moves(child, other(mover)):
                questions.append((number, square, -1, child, other(mover)))
            elif moves(child, mover):
                questions.append((number, square, 1, child, mover))
            else:
                answers[number, square] = final_score(child, mover)
    scores = edax_scores(edax, weights, [question[3:] for question in questions])
    for (number, square, sign, _, _), score in zip(questions, scores):
        answers[number, square] = sign * score
    best = edax_scores(edax, weights, positions)
    print("# Random endings with the scores of all moves, by Edax, empty squares to the winner: see dump.py.")
    for number, (board, mover) in enumerate(positions):
        found = {square: answers[number, square] for square in moves(board, mover)}
        assert max(found.values()) == best[number], (board, mover)
        words = [f"; {'abcdefgh'[square % 8]}{square // 8 + 1}:{score:+d}" for square, score in found.items()]
        print(f"{board} {mover}{''.join(words)}")


if __name__ == "__main__":
    main()
