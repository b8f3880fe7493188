"""A blocking client of engines that speak UGI or UCI."""

from __future__ import annotations

import queue
import subprocess
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Optional, Sequence


class EngineError(RuntimeError):
    """An engine did not do what it was asked."""


@dataclass
class Analysis:
    """A line of play and its figures. The score is in centipawns for the player to move; `mate` in moves (UGI: plies)."""

    line: list[str] = field(default_factory=list)
    multipv: int = 1
    depth: Optional[int] = None
    nodes: Optional[int] = None
    score: Optional[int] = None
    mate: Optional[int] = None


@dataclass
class Answer:
    """The answer to `go`: the move, the reply that is expected, and the last line of every rank."""

    move: str
    ponder: Optional[str] = None
    analysis: dict[int, Analysis] = field(default_factory=dict)


class Engine:
    """A running engine. Use it as a context manager, so that it ends."""

    def __init__(self, command: Sequence[str], protocol: str = "ugi", timeout: float = 30.0) -> None:
        if protocol not in ("ugi", "uci"):
            raise ValueError(f"protocol {protocol!r}: expected ugi or uci")
        self.timeout = timeout
        self.name = ""
        self.options: dict[str, str] = {}
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", bufsize=1
        )
        self._lines: queue.Queue[Optional[str]] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._protocol = protocol
        try:
            self._introduce()
        except BaseException:
            self.close()
            raise

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\r\n"))
        self._lines.put(None)

    def _introduce(self) -> None:
        self.send(self._protocol)
        while (line := self.read()).strip() != f"{self._protocol}ok":
            if line.startswith("id name "):
                self.name = line[8:].strip()
            elif line.startswith("option name "):
                name, _, rest = line[12:].partition(" type ")
                self.options[name.strip()] = rest
        self.ready()

    def send(self, line: str) -> None:
        """Sends a line."""
        assert self._process.stdin
        if "\n" in line or "\r" in line:
            raise ValueError("one line at a time")
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise EngineError("the engine has ended") from error

    def read(self, timeout: Optional[float] = None) -> str:
        """The next line."""
        try:
            line = self._lines.get(timeout=self.timeout if timeout is None else timeout)
        except queue.Empty:
            raise EngineError("the engine did not answer in time") from None
        if line is None:
            self._lines.put(None)
            raise EngineError("the engine has ended")
        return line

    def ready(self) -> None:
        """Waits until the engine has done what it was told."""
        self.send("isready")
        while self.read().strip() != "readyok":
            pass

    def set_option(self, name: str, value: object) -> None:
        """Sets an option, which the engine must have."""
        if not any(name.lower() == known.lower() for known in self.options):
            raise EngineError(f"{self.name or 'the engine'} has no option {name}")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self.send(f"setoption name {name} value {text}")
        self.ready()

    def new_game(self) -> None:
        """The next position is of another game."""
        self.send(f"{self._protocol}newgame")
        self.ready()

    def position(self, position: str = "startpos", moves: Sequence[str] = ()) -> None:
        """Sets the position and plays moves from there."""
        start = "startpos" if position == "startpos" else f"fen {position}"
        self.send(f"position {start}" + (f" moves {' '.join(moves)}" if moves else ""))

    def query(self, question: str) -> str:
        """Asks UGI's `query`: p1turn, gameover, result."""
        self.send(f"query {question}")
        while not (line := self.read()).startswith("response "):
            pass
        return line[9:].strip()

    def go(self, limits: str = "", timeout: Optional[float] = None) -> Answer:
        """Searches within limits such as "nodes 1000" or "movetime 500"; gives up after `timeout` seconds."""
        self.send(f"go {limits}".strip())
        deadline = None if timeout is None else time.monotonic() + timeout
        answer = Answer("")
        while True:
            left = 1e6 if deadline is None else max(0.0, deadline - time.monotonic())
            words = self.read(left).split()
            if words[:1] == ["info"] and "pv" in words:
                found = _analysis(words)
                answer.analysis[found.multipv] = found
            elif words[:1] == ["bestmove"]:
                answer.move = words[1] if len(words) > 1 else ""
                answer.ponder = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
                return answer

    def close(self) -> None:
        """Ends the engine."""
        process = self._process
        if process.poll() is None:
            try:
                self.send("quit")
                process.wait(2)
            except (EngineError, subprocess.TimeoutExpired):
                process.kill()
                process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    pass

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


def _analysis(words: list[str]) -> Analysis:
    found = Analysis()
    at = words.index("pv")
    found.line = words[at + 1 :]
    figures = words[:at]

    def number(name: str) -> Optional[int]:
        if name in figures[:-1]:
            try:
                return int(figures[figures.index(name) + 1])
            except ValueError:
                return None
        return None

    found.multipv = number("multipv") or 1
    found.depth, found.nodes = number("depth"), number("nodes")
    found.score, found.mate = number("cp"), number("mate")
    return found
