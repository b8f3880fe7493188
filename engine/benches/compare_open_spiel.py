#!/usr/bin/env python3
"""Simulations per second of canopy-engine and of open_spiel's MCTS, back to back on one machine.

    cargo build --release && python3 engine/benches/compare_open_spiel.py

Installs open_spiel 2.0.2 into a virtual environment beside the build (target/open_spiel-venv) the first time. Both
programs search from the start position with UCT and one uniformly random playout to the end of the game, on one thread.
Each game is measured in turns, ours and theirs, and the median of the ratios is what counts.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import venv

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VENV = os.path.join(ROOT, "target", "open_spiel-venv")
ENGINE = os.path.join(ROOT, "target", "release", "canopy-engine")
ROUNDS = 3
# Our name, theirs, and the ratio that our project asks for and dreams of.
GAMES = [
    ("connect-four", "connect_four", 9, 25),
    ("othello", "othello", 150, 350),
    ("kalah", "mancala", 5, 9),
    ("chess", "chess", 22, 45),
]


def theirs(name):
    import pyspiel

    game = pyspiel.load_game(name)

    def run(simulations):
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 1.414, simulations, 4000, False, 1, False)
        begun = time.process_time()
        bot.step(game.new_initial_state())
        return simulations / (time.process_time() - begun)

    pilot = run(200)
    return run(max(200, int(pilot * 1.5)))


def ours(name):
    out = subprocess.run(
        [ENGINE, "bench", "rate", "--game", name, "--json"], check=True, capture_output=True, text=True
    ).stdout
    return json.loads(out)["value"]


def main():
    python = os.path.join(VENV, "bin", "python")
    if not os.path.exists(python):
        venv.create(VENV, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "open_spiel==2.0.2"], check=True)
    if os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(python, [python, os.path.abspath(__file__)])
    print(f"{'game':<14}{'open_spiel':>12}{'canopy':>12}{'ratio':>8}{'must':>6}{'stretch':>9}")
    for name, their_name, must, stretch in GAMES:
        pairs = [(theirs(their_name), ours(name)) for _ in range(ROUNDS)]
        ratio = statistics.median(own / other for other, own in pairs)
        other = statistics.median(other for other, _ in pairs)
        own = statistics.median(own for _, own in pairs)
        print(f"{name:<14}{other:>12.0f}{own:>12.0f}{ratio:>8.1f}{must:>6}{stretch:>9}", flush=True)


if __name__ == "__main__":
    main()
