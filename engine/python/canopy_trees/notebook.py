"""Pictures of trees, drawn by canopy-viewer."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Sequence, Union

from .files import write
from .tree import Tree


def render(tree: Union[Tree, str, "os.PathLike[str]"], viewer: Sequence[str] = ("canopy-viewer",)) -> str:
    """A tree, or a tree file, as SVG."""
    with tempfile.TemporaryDirectory() as directory:
        if isinstance(tree, Tree):
            path = Path(directory) / "shown.tree"
            write(tree, path)
        else:
            path = Path(tree)
        picture = Path(directory) / "picture.svg"
        done = subprocess.run([*viewer, "render", str(path), "-o", str(picture)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"{viewer[0]} failed")
        return picture.read_text("utf-8")


class Picture:
    """A picture that notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


def show(tree: Union[Tree, str, "os.PathLike[str]"], viewer: Sequence[str] = ("canopy-viewer",)) -> Any:
    """Shows a tree in a notebook; elsewhere returns the picture, whose `svg` is its text."""
    return Picture(render(tree, viewer))
