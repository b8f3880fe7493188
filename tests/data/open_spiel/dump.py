#!/usr/bin/env python3
"""Random games refereed by open_spiel, as test data for our own rules.

    python3 -m venv venv && venv/bin/pip install open_spiel==2.0.2 chess==1.11.2
    venv/bin/python dump.py othello 300 > othello.txt
    venv/bin/python dump.py connect_four 300 > connect-four.txt
    venv/bin/python dump.py mancala 300 > kalah.txt
    venv/bin/python dump.py chess 50 > chess.txt

One game a line: the first player's result (1, 0 or -1), then a word for every ply,
`<player><move>:<legal moves>:<hash>`: player 1 or 2, the move in Canopy's notation, how many moves were legal, and the
32-bit FNV-1a hash of those moves, in Canopy's notation, sorted as text, with blanks between them.
"""

import random
import sys

import chess
import pyspiel


def fnv1a(text):
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def square(action):
    return "pass" if action == 64 else "abcdefgh"[action % 8] + str(action // 8 + 1)


# How each game's actions read in our notation, given the state and, for chess, a python-chess board beside it.
NOTATIONS = {
    "othello": lambda state, action, board: square(action),
    "connect_four": lambda state, action, board: str(action + 1),
    "mancala": lambda state, action, board: str(action if action < 7 else action - 7),
    "chess": lambda state, action, board: board.parse_san(state.action_to_string(action)).uci(),
}


def dump(name, count, seed):
    rng = random.Random(seed)
    game = pyspiel.load_game(name)
    # open_spiel's chess calls Black player 0, but White moves first.
    first = 1 if name == "chess" else 0
    notation = NOTATIONS[name]
    for _ in range(count):
        state = game.new_initial_state()
        board = chess.Board()
        words = []
        while not state.is_terminal():
            player = 1 if state.current_player() == first else 2
            actions = state.legal_actions()
            moves = {action: notation(state, action, board) for action in actions}
            assert len(set(moves.values())) == len(actions)
            action = rng.choice(actions)
            words.append(f"{player}{moves[action]}:{len(actions)}:{fnv1a(' '.join(sorted(moves.values()))):08x}")
            if name == "chess":
                board.push_uci(moves[action])
            state.apply_action(action)
        print(int(state.returns()[first]), " ".join(words))


if __name__ == "__main__":
    dump(sys.argv[1], int(sys.argv[2]), 1)
