"""Tests of canopy_trees: pytest, or `python tests/test_package.py`. CANOPY_ENGINE names the engine, CANOPY_VIEWER the viewer."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import canopy_trees as ct  # noqa: E402

ENGINE = os.environ.get("CANOPY_ENGINE", "canopy-engine")
VIEWER = os.environ.get("CANOPY_VIEWER", "canopy-viewer")
GAMES = ["chess", "othello", "kalah", "connect-four", "delta"]


def grow(directory: Path, *arguments: str) -> list[Path]:
    """Trees that the engine writes."""
    subprocess.run([ENGINE, "grow", "--out", str(directory), *arguments], check=True, stdout=subprocess.DEVNULL)
    return sorted(directory.glob("*.tree")) + sorted(directory.glob("*.csv"))


def scratch() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory()


def refused(content: bytes, name: str = "x.tree") -> str:
    with scratch() as directory:
        path = Path(directory) / name
        path.write_bytes(content)
        try:
            ct.read(path)
        except ct.TreeFileError as error:
            return str(error)
    return ""


def test_files_of_the_engine_come_back_byte_for_byte() -> None:
    for game in GAMES:
        for form in ["tree", "csv"]:
            with scratch() as directory, scratch() as copies:
                search = "uct,select=puct" if form == "tree" else "uct"
                written = grow(
                    Path(directory), "--game", game, "--search", search, "--iterations", "40", "--extra", "--states", "--format", form
                )
                assert written, game
                for path in written:
                    tree = ct.read(path)
                    assert tree.rows[0].visits > 0
                    ct.write(tree, Path(copies) / path.name)
                    for original in sorted(path.parent.glob(path.stem + ".*")):
                        copy = Path(copies) / original.name
                        assert copy.read_bytes() == original.read_bytes(), original


def test_names_that_need_quotes_come_back_from_both_sides() -> None:
    names = ["a,b", "b|c", "line\nfeed", "ż", "", '"q"', "\ufeffmark", "cr\rx"]
    rows = [ct.Row(state="root", children=len(names))]
    rows += [ct.Row(name, index, index, 1e-7 * index, name) for index, name in enumerate(names)]
    rows[0].visits = rows[0].second = sum(range(len(names)))
    for extension in ["csv", "tree"]:
        with scratch() as directory:
            path = Path(directory) / f"names.{extension}"
            ct.write(ct.Tree(rows), path)
            back = ct.read(path)
            assert [row.move for row in back.rows[1:]] == names
            other = Path(directory) / "other.csv"
            subprocess.run([ENGINE, "convert", str(path), str(other)], check=True, stdout=subprocess.DEVNULL)
            if extension == "csv":
                assert other.read_bytes() == path.read_bytes()


def test_damaged_files_are_refused_with_a_sentence() -> None:
    assert "in the middle" in refused(b"")
    assert "in the middle" in refused(b"\x01\0\0\0a\x01\0\0\0")
    assert "in the middle" in refused(b"\xff\xff\xff\xff")
    assert "not UTF-8" in refused(b"\x01\0\0\0\xff\0\0\0\0")
    assert "follows the end" in refused(b"\x01\0\0\0a\0\0\0\0more")
    assert "below 0" in refused(b"\x01\0\0\0a\xff\xff\xff\xff")
    assert "6" in refused(b"a,b\n", "x.csv")
    assert "expected .tree or .csv" in refused(b"", "x.txt")
    with scratch() as directory:
        (path,) = grow(Path(directory), "--game", "kalah:2x2", "--search", "uct", "--iterations", "5")
        content = path.read_bytes()
        for at in range(len(content)):
            assert refused(content[:at]), at


def test_any_nodes_become_a_tree_that_the_engine_finds_sound() -> None:
    class Node:
        def __init__(self, move: str, visits: int, wins: float, *children: "Node") -> None:
            self.move, self.visits, self.wins, self.children = move, visits, wins, children

    root = Node("", 100, 45.0, Node("4", 60, 36.0, Node("4", 50, 20.0)), Node("3", 40, 19.0))
    tree = ct.from_nodes(
        root,
        lambda node: node.children,
        move=lambda node: node.move,
        visits=lambda node: node.visits,
        mean=lambda node: node.wins / node.visits,
        columns={"wins": lambda node: node.wins},
        game="connect-four",
    )
    assert [row.move for row in tree.rows] == ["", "4", "4", "3"]
    assert list(tree.children(0)) == [1, 3]
    with scratch() as directory:
        path = Path(directory) / "mine.tree"
        ct.write(tree, path)
        subprocess.run([ENGINE, "inspect", "--strict", str(path)], check=True, stdout=subprocess.DEVNULL)
        assert ct.read(path).column("wins") == [45.0, 36.0, 20.0, 19.0]
    deep = node = Node("", 1, 0.0)
    for _ in range(20_000):
        node.children = (Node("m", 1, 0.0),)
        node = node.children[0]
    many = ct.from_nodes(deep, lambda it: it.children, move=lambda it: it.move, visits=lambda it: it.visits, mean=lambda it: it.wins)
    assert len(many.rows) == 20_001 == many.sizes()[0]


def test_searches_of_open_spiel_become_trees() -> None:
    try:
        import numpy as np
        import pyspiel
        from open_spiel.python.algorithms import mcts
    except ImportError:
        print("NOT TESTED: open_spiel is not installed")
        return
    game = pyspiel.load_game("connect_four")
    bot = mcts.MCTSBot(game, 1.4, 200, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(1))
    state = game.new_initial_state()
    root = bot.mcts_search(state)
    tree = ct.from_open_spiel(root, state)
    assert tree.rows[0].visits == 200 and len(tree.rows) > 20
    # The first simulation may end at the root.
    assert sum(tree.rows[child].visits for child in tree.children(0)) in (199, 200)
    best = max(tree.children(0), key=lambda row: tree.rows[row].visits)
    assert tree.rows[best].move.startswith("x") and tree.rows[best].state == "p2"
    with scratch() as directory:
        path = Path(directory) / "open_spiel.tree"
        ct.write(tree, path)
        subprocess.run([ENGINE, "inspect", "--strict", str(path)], check=True, stdout=subprocess.DEVNULL)


def test_an_engine_plays_all_games() -> None:
    for game in GAMES:
        with ct.Engine([ENGINE, "--game", game]) as engine:
            assert engine.name.startswith("Canopy")
            engine.set_option("MultiPV", 2)
            moves: list[str] = []
            for _ in range(6):
                engine.position(moves=moves)
                assert engine.query("gameover") == "false"
                assert engine.query("p1turn") in ("true", "false")
                answer = engine.go("nodes 50", timeout=60)
                assert answer.analysis[1].line[0] == answer.move, game
                moves.append(answer.move)
    with ct.Engine([ENGINE], protocol="uci") as chess:
        chess.position("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
        assert chess.go("mate 1").analysis[1].mate == 1
        try:
            chess.set_option("NoSuchOption", 1)
        except ct.EngineError as error:
            assert "NoSuchOption" in str(error)
        else:
            raise AssertionError("an unknown option was accepted")


def test_an_engine_that_ends_is_an_error() -> None:
    for command in (["true"], [sys.executable, "-c", "print('hello')"]):
        try:
            ct.Engine(command, timeout=20)
        except ct.EngineError as error:
            assert "ended" in str(error)
        else:
            raise AssertionError("no error")


def test_graphs_and_tables_where_they_are_installed() -> None:
    tree = ct.Tree([ct.Row(state="r", visits=3, children=2), ct.Row("a", 2, 2, 0.5), ct.Row("b", 1, 1, 0.25, "=2")])
    try:
        graph = tree.to_networkx()
        assert sorted(graph.edges) == [(0, 1)] and graph[0][1]["visits"] in (1, 2)
    except ImportError:
        print("NOT TESTED: networkx is not installed")
    try:
        assert list(tree.to_pandas()["parent"]) == [0, 0, 0]
    except ImportError:
        print("NOT TESTED: pandas is not installed")


def test_networkx_and_graphviz_files_are_imported() -> None:
    try:
        import networkx
    except ImportError:
        print("NOT TESTED: networkx is not installed")
        return
    graph = networkx.balanced_tree(2, 3, create_using=networkx.DiGraph)
    with scratch() as directory:
        dot = Path(directory) / "made.dot"
        lines = [f'  {node} [label="n{node}\\nvisits: {node + 1}"];' for node in graph]
        lines += [f"  {a} -> {b};" for a, b in graph.edges]
        dot.write_text("digraph {\n" + "\n".join(lines) + "\n}\n")
        nested = Path(directory) / "nested.json"
        import json

        nested.write_text(json.dumps(networkx.tree_data(graph, 0)))
        files = [dot, nested]
        if shutil.which("dot"):
            laid_out = Path(directory) / "laid-out.dot"
            subprocess.run(["dot", "-Tdot", str(dot), "-o", str(laid_out)], check=True)
            files.append(laid_out)
        else:
            print("NOT TESTED: graphviz is not installed")
        for file in files:
            out = Path(directory) / f"{file.stem}-out.tree"
            subprocess.run([ENGINE, "import", str(file), str(out)], check=True, stdout=subprocess.DEVNULL)
            assert len(ct.read(out).rows) == len(graph), file


def test_pictures_for_notebooks() -> None:
    if not shutil.which(VIEWER):
        print("NOT TESTED: there is no canopy-viewer")
        return
    tree = ct.Tree([ct.Row(state="connect-four startpos", visits=3, children=2), ct.Row("4", 2, 2, 0.5), ct.Row("3", 1, 1, 0.25)])
    shown = ct.show(tree, viewer=[VIEWER])
    assert "<svg" in shown._repr_svg_()


def test_a_wheel_is_built_and_can_be_imported() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    import build_wheel

    with scratch() as directory:
        name = build_wheel.build_wheel(directory)
        wheel = Path(directory) / name
        names = zipfile.ZipFile(wheel).namelist()
        assert "canopy_trees/py.typed" in names and any(name.endswith("RECORD") for name in names)
        script = f"import sys; sys.path.insert(0, {str(wheel)!r}); import canopy_trees; print(canopy_trees.__file__)"
        found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=directory)
        assert name in found.stdout


def test_numbers_are_written_as_the_engine_writes_them() -> None:
    from canopy_trees.files import _json_number, _plain_number

    for value, text in [(0.0, "0.0"), (1.0, "1.0"), (0.1, "0.1"), (1e-5, "0.00001"), (1e-6, "1e-6"), (1.5e-7, "1.5e-7"), (1e15, "1000000000000000.0"), (1e16, "1e16"), (-0.25, "-0.25"), (math.nan, "null")]:
        assert _json_number(value) == text, value
    for value, text in [(0.0, "0"), (1e-7, "0.0000001"), (1e21, "1000000000000000000000"), (-0.5, "-0.5"), (math.nan, "NaN")]:
        assert _plain_number(value) == text, value


if __name__ == "__main__":
    for name, test in sorted(globals().items()):
        if name.startswith("test_") and callable(test):
            test()
            print(f"passed: {name}")
