"""A workspace whose beats run in this process, with a clock of their own and a kill at any point."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from openclaw_memory.config import Config
from openclaw_memory.config.model import HeartbeatConfig
from openclaw_memory.heartbeat import runner
from openclaw_memory.heartbeat.report import Report
from openclaw_memory.heartbeat.state import State
from openclaw_memory.workspace import Workspace

QUIET = {"check": False, "update": False}
POINTS = ("open_beat", "meet", "close_beat")


class Killed(BaseException):
    """The process ends here, whatever it was doing."""


class Beats:
    """Beats on one workspace. `delivered` are the keys of each delivery; `points` are where one can be killed."""

    points = (*POINTS, "before", "after")

    def __init__(self, root: Path, zone: str = "UTC", text: str = "") -> None:
        self.root = root
        (root / "memory").mkdir(parents=True, exist_ok=True)
        (root / "MEMORY.md").write_text("# Memory\n")
        self.zone = ZoneInfo(zone)
        self.ws = Workspace(root, Config(timezone=zone, heartbeat=HeartbeatConfig(builtins=QUIET)))
        self.delivered: list[list[str]] = []
        self.write(text)

    def write(self, text: str) -> None:
        (self.root / "HEARTBEAT.md").write_text(text)

    def run(self, now: datetime, beat_id: str | None = None, kill: str = "") -> Report | None:
        """One beat; None where it was killed at `kill` (a method of the state, "before" or "after" delivery)."""

        def deliver(report: Report) -> None:
            if kill == "before" and report.status == "beat":
                raise Killed
            if report.prompts:
                self.delivered.append([task.key for task in report.prompts])
            if kill == "after" and report.status == "beat":
                raise Killed

        try:
            with _killing(kill):
                return runner.run(self.ws, now.astimezone(self.zone), deliver, beat_id=beat_id)
        except Killed:
            return None

    def number(self) -> int:
        """The counter."""
        with State(self.ws, self.zone) as state:
            last = state.last_beat()
            return last.number if last else 0

    def counts(self) -> dict[str, int]:
        """How often each task was done, by its record."""
        with State(self.ws, self.zone) as state:
            return {key: memory.runs for key, memory in state.tasks().items()}


@contextmanager
def _killing(point: str) -> Iterator[None]:
    if point not in POINTS:
        yield
        return
    real = getattr(State, point)

    def kill(*args: object) -> None:
        raise Killed

    setattr(State, point, kill)
    try:
        yield
    finally:
        setattr(State, point, real)


@pytest.fixture
def beat_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for many beats: in memory where there is one for that."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory)) if os.access(memory, os.W_OK) else tmp_path
    yield folder
    if folder != tmp_path:
        shutil.rmtree(folder)


@pytest.fixture
def beats(beat_folder: Path) -> Callable[..., Beats]:
    """Make one: `beats("- a (daily)", zone="Europe/Berlin")`."""
    numbers = itertools.count()
    return lambda text="", zone="UTC": Beats(beat_folder / f"ws{next(numbers)}", zone, text)


@pytest.fixture
def bare_beats() -> type[Beats]:
    """The class, for a test that makes its own folders."""
    return Beats
