"""Canopy's search trees in Python: files, adapters to other libraries, engines, notebooks."""

from .adapters import from_nodes, from_open_spiel
from .engine import Analysis, Answer, Engine, EngineError
from .files import TreeFileError, read, write
from .notebook import show
from .tree import Column, Extra, Row, Tree

__all__ = [
    "Analysis",
    "Answer",
    "Column",
    "Engine",
    "EngineError",
    "Extra",
    "Row",
    "Tree",
    "TreeFileError",
    "from_nodes",
    "from_open_spiel",
    "read",
    "show",
    "write",
]
