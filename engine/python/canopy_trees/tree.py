"""A search tree as rows in depth-first pre-order, with the figures beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Union


@dataclass
class Row:
    """A node. The mean is that of the player who made the move; `children` are rows that follow."""

    move: str = ""
    visits: int = 0
    second: int = 0
    mean: float = 0.0
    state: str = ""
    children: int = 0


@dataclass
class Column:
    """A figure of every row (STEM.columns); `type` is f64, f32, i64, i32 or u8."""

    name: str
    values: list[Union[float, int]]
    type: str = "f64"
    unit: str = ""
    labels: list[str] = field(default_factory=list)


@dataclass
class Extra:
    """A record of STEM.extra."""

    squares: float = math.nan
    node_visits: int = 0
    table_mean: float = math.nan
    proven: int = 0
    is_pruned: bool = False
    table_visits: int = 0
    table_squares: float = math.nan


@dataclass
class Tree:
    """A tree: its rows, STEM.json as a dictionary, and the other files beside it where there are some."""

    rows: list[Row]
    meta: Optional[dict[str, Any]] = None
    columns: list[Column] = field(default_factory=list)
    extra: Optional[list[Extra]] = None

    def parents(self) -> list[int]:
        """By row: the row of its parent; the root is its own."""
        parents: list[int] = []
        open_rows: list[list[int]] = []
        for index, row in enumerate(self.rows):
            if open_rows:
                parents.append(open_rows[-1][0])
                open_rows[-1][1] -= 1
            elif index:
                raise ValueError(f"row {index + 1} is behind the end of the tree")
            else:
                parents.append(0)
            if row.children:
                open_rows.append([index, row.children])
            while open_rows and open_rows[-1][1] == 0:
                open_rows.pop()
        if open_rows or not self.rows:
            raise ValueError("the tree ends before all its rows have their children")
        return parents

    def sizes(self) -> list[int]:
        """By row: the number of rows at and below it."""
        sizes = [1] * len(self.rows)
        parents = self.parents()
        for index in range(len(self.rows) - 1, 0, -1):
            sizes[parents[index]] += sizes[index]
        return sizes

    def children(self, row: int, sizes: Optional[list[int]] = None) -> Iterator[int]:
        """The rows of a row's children."""
        sizes = sizes if sizes is not None else self.sizes()
        child = row + 1
        for _ in range(self.rows[row].children):
            yield child
            child += sizes[child]

    def column(self, name: str) -> list[Union[float, int]]:
        """The values of the column of that name."""
        for column in self.columns:
            if column.name == name:
                return column.values
        raise KeyError(name)

    def to_pandas(self) -> Any:
        """A DataFrame with a row for every node; `parent` is the row of its parent."""
        import pandas

        table: dict[str, Any] = {
            name: [getattr(row, name) for row in self.rows] for name in ("move", "visits", "second", "mean", "state", "children")
        }
        table["parent"] = self.parents()
        for column in self.columns:
            table.setdefault(column.name, column.values)
        return pandas.DataFrame(table)

    def to_networkx(self) -> Any:
        """A DiGraph whose nodes are row numbers; a row that refers to another one (`=K`) is an edge to it."""
        import networkx

        graph = networkx.DiGraph()
        parents = self.parents()
        for index, row in enumerate(self.rows):
            if row.state.startswith("="):
                graph.add_edge(parents[index], int(row.state[1:]) - 1, move=row.move, visits=row.visits)
                continue
            figures = {column.name: column.values[index] for column in self.columns}
            graph.add_node(index, **{**figures, "visits": row.visits, "mean": row.mean, "state": row.state})
            if index:
                graph.add_edge(parents[index], index, move=row.move, visits=row.visits)
        return graph
