"""Trees that open_spiel, networkx and graphviz write, imported by the engine and compared with what those libraries hold.

    tree_files.py ENGINE

A part whose library is missing is told as `NOT TESTED: ...`.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "engine" / "python"))

import canopy_trees  # noqa: E402

ITERATIONS = 300


def searched(name, evaluator=None, **options):
    """The state at the start of a game, and the root of open_spiel's search of it."""
    game = pyspiel.load_game(name)
    random = np.random.RandomState(27)
    evaluator = evaluator or mcts.RandomRolloutEvaluator(1, random)
    bot = mcts.MCTSBot(game, 1.4, ITERATIONS, evaluator, random_state=random, **options)
    state = game.new_initial_state()
    return state, bot.mcts_search(state)


def plain(node):
    """A node of open_spiel's search with its attributes under their own names."""
    fields = {name: getattr(node, name) for name in node.__slots__}
    fields["outcome"] = None if node.outcome is None else list(node.outcome)
    return dict(fields, children=[plain(child) for child in node.children])


def preorder(node):
    yield node
    for child in node.children:
        yield from preorder(child)


def imported(engine, directory, source, *options):
    """The tree that the engine makes of a file, found sound by `inspect --strict`."""
    tree = directory / (source.name + ".tree")
    for command in (["import", *options, str(source), str(tree)], ["inspect", "--strict", str(tree)]):
        done = subprocess.run([engine, *command], capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    return canopy_trees.read(tree)


def check_rows(tree, root):
    """Moves, visits, means, priors and players of a search, row by row."""
    nodes = list(preorder(root))
    assert len(tree.rows) == len(nodes), (len(tree.rows), len(nodes))
    for name in ("prior", "player"):
        values = tree.column(name)
        for row, node in enumerate(nodes):
            expected = getattr(node, name)
            assert values[row] == expected or expected is None, (row, name, values[row], expected)
    for row, (found, node) in enumerate(zip(tree.rows, nodes)):
        assert found.visits == node.explore_count, (row, found)
        assert row == 0 or found.move == str(node.action), (row, found.move, node.action)
        if node.explore_count and row:
            mean = (node.total_reward / node.explore_count + 1) / 2
            assert abs(found.mean - mean) < 1e-12, (row, found.mean, mean)
    return len(nodes)


def open_spiel_json(engine, directory):
    _, root = searched("connect_four")
    source = directory / "search.json"
    source.write_text(json.dumps(plain(root)))
    return check_rows(imported(engine, directory, source, "--range=-1..1"), root)


def open_spiel_lines(engine, directory):
    class Uneven(mcts.RandomRolloutEvaluator):
        """Priors that are not alike, and selection by them."""

        def prior(self, state):
            actions = state.legal_actions()
            weights = [action % 3 + 1 for action in actions]
            return [(action, weight / sum(weights)) for action, weight in zip(actions, weights)]

    evaluator = Uneven(1, np.random.RandomState(1))
    _, root = searched("tic_tac_toe", evaluator, child_selection_fn=mcts.SearchNode.puct_value)
    lines = []

    def write(node, parent):
        number = len(lines)
        fields = {name: getattr(node, name) for name in ("action", "player", "prior", "explore_count", "total_reward")}
        lines.append(json.dumps(dict(fields, id=number, parent=parent)))
        for child in node.children:
            write(child, number)

    write(root, None)
    source = directory / "search.jsonl"
    source.write_text("\n".join(lines) + "\n")
    return check_rows(imported(engine, directory, source, "--range=-1..1"), root)


def game_tree(networkx, plies):
    """All lines of tic-tac-toe of some plies: nodes by history, moves on the edges."""
    graph = networkx.DiGraph()

    def name(state):
        return state.history_str() or "start"

    def visit(state):
        graph.add_node(name(state), state=str(state).replace("\n", "/"))
        if len(state.history()) < plies:
            for action in state.legal_actions():
                after = state.child(action)
                visit(after)
                move = state.action_to_string(state.current_player(), action)
                graph.add_edge(name(state), name(after), label=move)

    visit(pyspiel.load_game("tic_tac_toe").new_initial_state())
    return graph


def check_game_tree(tree, has_states=True):
    assert len(tree.rows) == 1 + 9 + 72, len(tree.rows)
    assert [row.move for row in tree.rows[1:4]] == ["x(0,0)", "o(0,1)", "o(0,2)"], tree.rows[:4]
    assert not has_states or tree.rows[2].state == "xo./.../...", tree.rows[2]
    # Without figures a node has as many visits as nodes at and below it.
    assert [row.visits for row in tree.rows[:3]] == [82, 9, 1], tree.rows[:3]
    return len(tree.rows)


def networkx_json(engine, directory):
    try:
        import networkx
    except ImportError:
        return "NOT TESTED: networkx is not installed"
    graph = game_tree(networkx, 2)
    root = next(iter(graph))
    for before, after, edge in graph.edges(data=True):
        graph.nodes[after]["move"] = edge["label"]
    source = directory / "networkx.json"
    source.write_text(json.dumps(networkx.tree_data(graph, root)))
    return check_game_tree(imported(engine, directory, source))


def networkx_dot(engine, directory):
    try:
        import networkx
        import pydot  # noqa: F401
    except ImportError:
        return "NOT TESTED: networkx or pydot is not installed"
    source = directory / "networkx.dot"
    networkx.nx_pydot.write_dot(game_tree(networkx, 2), source)
    return check_game_tree(imported(engine, directory, source))


def graphviz_dot(engine, directory):
    if not shutil.which("dot"):
        return "NOT TESTED: graphviz is not installed"
    plain_file = directory / "networkx.dot"
    if not plain_file.exists():
        return "NOT TESTED: networkx or pydot is not installed"
    # Laid out, every node and edge has attributes that graphviz adds; the older notation has no HTML and other quotes.
    count = 0
    for form in ("dot", "canon", "xdot1.4"):
        source = directory / f"graphviz-{form}.gv"
        subprocess.run(["dot", f"-T{form}", str(plain_file), "-o", str(source)], check=True)
        count += check_game_tree(imported(engine, directory, source))
    return count


def main():
    engine = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        for check in (open_spiel_json, open_spiel_lines, networkx_json, networkx_dot, graphviz_dot):
            said = check(engine, pathlib.Path(directory))
            print(said if isinstance(said, str) else f"{check.__name__}: {said} nodes", flush=True)


if __name__ == "__main__":
    main()
