"""Trees of other libraries' searches."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Optional, TypeVar

from .tree import Column, Row, Tree

Node = TypeVar("Node")


def from_nodes(
    root: Node,
    children: Callable[[Node], Iterable[Node]],
    *,
    move: Callable[[Node], object],
    visits: Callable[[Node], int],
    mean: Callable[[Node], float],
    state: Callable[[Node], str] = lambda _: "",
    columns: Optional[dict[str, Callable[[Node], float]]] = None,
    game: str = "",
    position: str = "startpos",
    search: str = "python",
) -> Tree:
    """The tree of any linked nodes. `mean` is the mean reward of the player who made the move, from 0 to 1."""
    rows: list[Row] = []
    values: dict[str, list[float]] = {name: [] for name in columns or {}}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        below = list(children(node))
        count = int(visits(node))
        reward = float(mean(node)) if count else 0.0
        if not math.isfinite(reward):
            raise ValueError(f"the mean of {count} visits is {reward}: expected a number")
        name = "" if not rows else str(move(node))
        here = f"{game} {position}" if not rows and game else str(state(node))
        rows.append(Row(name, count, count, reward, here, len(below)))
        for column, value in (columns or {}).items():
            values[column].append(float(value(node)))
        waiting.extend(reversed(below))
    first = rows[0]
    meta: dict[str, Any] = {
        "format": 1,
        "final": True,
        "game": game,
        "position": position if game else "",
        "search": search,
        "nodes": len(rows),
        "root": {"visits": first.visits, "second": first.visits, "mean": first.mean},
    }
    if values:
        meta["columns"] = None
    return Tree(rows, meta, [Column(name, list(column)) for name, column in values.items()])


def from_open_spiel(root: Any, state: Any = None) -> Tree:
    """The tree of a `SearchNode` of `open_spiel.python.algorithms.mcts`. With the state at the root, moves have their names.

    Rewards there are from -1 to 1, of the player who chose the action.
    """
    names: dict[int, str] = {}
    states: dict[int, str] = {}
    if state is not None:
        # Names are those of the position in which an action is chosen.
        waiting = [(root, state)]
        while waiting:
            node, here = waiting.pop()
            states[id(node)] = _state_name(here)
            for child in node.children:
                names[id(child)] = here.action_to_string(here.current_player(), child.action)
                if child.children or child.explore_count:
                    after = here.clone()
                    after.apply_action(child.action)
                    waiting.append((child, after))
    tree = from_nodes(
        root,
        lambda node: node.children,
        move=lambda node: names.get(id(node), node.action),
        visits=lambda node: node.explore_count,
        mean=lambda node: (node.total_reward / node.explore_count + 1) / 2,
        state=lambda node: states.get(id(node), ""),
        columns={"prior": lambda node: math.nan if node.prior is None else node.prior},
        search="open_spiel",
    )
    return tree


def _state_name(state: Any) -> str:
    """The state as Canopy names it: who is to move, or the result."""
    if not state.is_terminal():
        return f"p{state.current_player() + 1}" if state.current_player() in (0, 1) else ""
    first, second = (*state.returns(), 0.0, 0.0)[:2]
    return "draw" if first == second else ("p1win" if first > second else "p2win")
