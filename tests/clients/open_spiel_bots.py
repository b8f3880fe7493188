"""Plays with the engine through open_spiel's bots for UCI and GTP. The rules and the score are open_spiel's."""

import collections
import random

import pyspiel
from open_spiel.python.bots import gtp

import checks

# What the GTP bots said and were answered. The UCI bot shows nothing of its dialogue.
DIALOGUE = collections.deque(maxlen=80)


class Player(gtp.GTPBot):
    """open_spiel's GTP bot, which remembers the dialogue. It raises an error when an answer begins with a question mark."""

    def __init__(self, game, command):
        DIALOGUE.clear()
        super().__init__(game, command)

    def gtp_cmd(self, *args):
        DIALOGUE.append(" ".join(map(str, args)))
        try:
            answer = super().gtp_cmd(*args)
        except gtp.CommandError as error:
            DIALOGUE.append(f"? {error}")
            raise
        DIALOGUE.append(f"= {answer}")
        return answer


class NumberPlayer(Player):
    """For games whose moves are numbers that open_spiel counts from elsewhere: `offsets` are added to its actions."""

    def __init__(self, game, command, offsets):
        super().__init__(game, command)
        self.offsets = offsets

    def inform_action(self, state, player_id, action):
        self.gtp_cmd("play", self._player_colors[player_id], action + self.offsets[player_id])

    def step(self, state):
        mover = state.current_player()
        return int(self.gtp_cmd("genmove", self._player_colors[mover])) - self.offsets[mover]


def play_one(state, player, ours, rng):
    """Plays an action: the engine's if it is the turn of a side in `ours`, else a random one. The action as text."""
    mover = state.current_player()
    if mover in ours:
        action = player.step(state)
        assert action in state.legal_actions(), f"{action} in\n{state}"
    else:
        action = rng.choice(state.legal_actions())
        player.inform_action(state, mover, action)
    text = state.action_to_string(action)
    state.apply_action(action)
    return text


def against_random(player, game, seed):
    """A game to the end: the engine plays the first side, the second, or both.

    The last state, and the actions as text with whether the engine chose them.
    """
    rng = random.Random(seed)
    ours = [(0,), (1,), (0, 1)][seed % 3]
    player.gtp_cmd("set_option", "Seed", seed)
    player.restart()
    state = game.new_initial_state()
    written = []
    while not state.is_terminal():
        is_ours = state.current_player() in ours
        written.append((is_ours, play_one(state, player, ours, rng)))
    return state, written


def agree_on_the_score(player, state):
    """Demands that the engine finds the game over and won by the same side."""
    score = player.gtp_cmd("final_score")
    winner = {"b": 1.0, "w": -1.0}.get(score[0], 0.0)
    assert winner == state.returns()[0], f"final score {score} in\n{state}"
    return score


def close(player):
    """Says quit, and demands that the engine answers and ends well."""
    process = player._process
    player.gtp_cmd("quit")
    assert process.wait(5) == 0, f"the engine ended with {process.returncode}"
    player.close()


def othello_over_gtp(path, _):
    game = pyspiel.load_game("othello")
    player = Player(game, [path, "--game", "othello", "--option", "Nodes=50"])
    assert player.name == "canopy"
    passes = collections.Counter()
    scores = []
    for seed in range(30):
        state, written = against_random(player, game, seed)
        passes.update(is_ours for is_ours, action in written if action == "pass")
        score = agree_on_the_score(player, state)
        discs = [str(state).count(letter) for letter in "xo"]
        assert int(score[2:] or 0) == abs(discs[0] - discs[1]), f"final score {score} in\n{state}"
        scores.append(score)
    close(player)
    # Those that the engine must think of itself, and those that it is told.
    assert passes[True] > 0 and passes[False] > 0, passes
    return f"{' '.join(scores)}; {passes[True]} passes of ours, {passes[False]} of the other side"


def othello_without_passes(path, _):
    """Othello as Quarry plays it, which never mentions a pass: the same side is named twice. All moves can be taken back."""
    game = pyspiel.load_game("othello")
    player = Player(game, [path, "--game", "othello", "--option", "Nodes=20"])
    colours = ("black", "white")

    def board():
        """The squares, as open_spiel draws them."""
        drawing = player.gtp_cmd("showboard").splitlines()[1:9]
        return [line.replace(".", "-").split()[1:] for line in drawing]

    passes = 0
    for seed in range(12):
        player.restart()
        rng = random.Random(seed)
        state = game.new_initial_state()
        boards = []
        while not state.is_terminal():
            mover, actions = state.current_player(), state.legal_actions()
            if state.action_to_string(actions[0]) == "pass":
                passes += 1
                state.apply_action(actions[0])
                continue
            boards.append(board())
            drawn = [line.split()[1:9] for line in str(state).splitlines()[2:10]]
            assert boards[-1] == drawn, f"{boards[-1]} in\n{state}"
            if mover == seed % 2:
                player.gtp_cmd("reg_genmove", colours[mover])
                action = state.string_to_action(player.gtp_cmd("genmove", colours[mover]))
            else:
                action = rng.choice(actions)
                player.gtp_cmd("play", colours[mover], state.action_to_string(action))
            state.apply_action(action)
        agree_on_the_score(player, state)
        for before in reversed(boards):
            player.gtp_cmd("undo")
            assert board() == before, f"{board()} and not {before}"
    close(player)
    assert passes > 0
    return f"{passes} passes left out"


def play_twelve(player, game):
    scores = []
    for seed in range(12):
        state, _ = against_random(player, game, seed)
        scores.append(agree_on_the_score(player, state))
    close(player)
    return " ".join(scores)


def connect_four_over_gtp(path, _):
    command = [path, "--game", "connect-four", "--option", "Nodes=100"]
    game = pyspiel.load_game("connect_four")
    # Its actions are the columns from 0.
    return play_twelve(NumberPlayer(game, command, (1, 1)), game)


def kalah_over_gtp(path, _):
    """A side that ends its sowing at home moves again."""
    command = [path, "--game", "kalah", "--option", "Nodes=100"]
    game = pyspiel.load_game("mancala")
    # Its actions are the places on the board, the first player's store being number 7.
    return play_twelve(NumberPlayer(game, command, (0, -7)), game)


def chess_over_uci(path, _):
    """Against a random player, who loses sooner or later, and against itself."""
    game = pyspiel.load_game("chess")
    said = []
    for ours, ponder, options in (
        ((0,), False, {}),
        ((1,), True, {}),
        ((0, 1), False, {"Threads": "2", "Search": "uct,exploration=0.7"}),
    ):
        bot = pyspiel.make_uci_bot(path, 20, ponder, options)
        bot.restart()
        rng = random.Random(1)
        state = game.new_initial_state()
        plies = 0
        while not state.is_terminal() and plies < 60:
            play_one(state, bot, ours, rng)
            plies += 1
        said.append(f"{plies} plies" + (f" to {state.returns()[0]:+.0f}" if state.is_terminal() else ""))
        del bot
    return ", ".join(said)


checks.run(
    [
        othello_over_gtp,
        othello_without_passes,
        connect_four_over_gtp,
        kalah_over_gtp,
        chess_over_uci,
    ],
    lambda: DIALOGUE,
)
