"""The agenda as it was read last, kept in the user's cache folder, outside the workspace: a cloned one cannot plant it.

What is kept counts only while every byte it was made of is the same: the files, the settings, our own modules and
built-ins. It holds no command: what runs is read from its file, and its trust looked up, when it runs. One that is
missing, broken or of another version is as good as none. Imports neither grammar nor Markdown.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from openclaw_memory import data, fsio
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.heartbeat.model import Note, Plan, Problem, Task
from openclaw_memory.heartbeat.schedule import Schedule
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Any

_PREFIX = "beats-"
_OLD = 30 * 86400.0
"""Seconds after which an agenda that was kept is of a workspace that is gone, or was read so long that once more is
nothing."""


class Inputs(Record):
    """All that an agenda depends on. `own` are the user's task files: path, bytes, whether a command in it may run.

    `file` and `state` are the bytes of the heartbeat file and of the agent's state file (b"": none). `switched` are the
    built-ins that the config turns on or off.
    """

    path: str
    file: bytes
    state_path: str
    state: bytes
    own: tuple[tuple[str, bytes, bool], ...]
    switched: tuple[tuple[str, bool], ...]


class Kept(Record):
    """The parts of an agenda that are kept; see there."""

    plan: Plan
    tasks: tuple[Task, ...]
    unlisted: tuple[str, ...]
    problems: tuple[tuple[str, Problem], ...]


def recall(root: Path, inputs: Inputs) -> Kept | None:
    """What was kept for exactly these inputs; None where there is nothing."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        check, _, packed = _place(root).read_bytes().partition(b"\n")
        if int(check) == zlib.crc32(packed):
            known, (plan, tasks, unlisted, problems) = marshal.loads(packed)
            if known == _key(root, inputs):
                found = tuple(map(_task, tasks))
                return Kept(_plan(plan), found, unlisted, tuple((path, Problem(*row)) for path, row in problems))
    return None


def keep(root: Path, inputs: Inputs, agenda: Kept) -> None:
    """Keep an agenda for the next call; where that cannot be, it is read again. Old ones, of any workspace, go."""
    place = _place(root)
    packed = marshal.dumps((_key(root, inputs), _bare(agenda)))
    with suppress(OSError, OpenClawMemoryError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fsio.write(place, b"%d\n%b" % (zlib.crc32(packed), packed))
        for other in place.parent.glob(f"{_PREFIX}*"):
            if time.time() - other.stat().st_mtime > _OLD:
                other.unlink()


def _place(root: Path) -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    folder = base if base.is_absolute() else Path.home() / ".cache"
    return folder / "openclaw-memory" / f"{_PREFIX}{zlib.crc32(os.fsencode(root)):08x}"


def _key(root: Path, inputs: Inputs) -> tuple[Any, ...]:
    ours = Path(__file__).parent
    versions = tuple(_versions(ours, ours.parent / "markdown", data.folder("heartbeat")))
    return (sys.hexversion, str(root), versions, tuple(inputs))


def _versions(*folders: Path) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of each file that has a say in how tasks are read."""
    for folder in folders:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name.endswith((".py", ".md")):
                status = entry.stat()
                yield entry.name, status.st_size, status.st_mtime_ns


def _bare(value: Any) -> Any:
    """The value with plain tuples in place of named ones, which is all that can be stored."""
    return tuple(map(_bare, value)) if isinstance(value, tuple) else value


def _task(row: tuple[Any, ...]) -> Task:
    name, text, schedule, *rest = row
    return Task(name, text, Schedule(*schedule), *rest)


def _plan(row: tuple[Any, ...]) -> Plan:
    path, tasks, notes, problems, headings, *rest = row
    read = (
        tuple(map(_task, tasks)),
        tuple(Note(*note) for note in notes),
        tuple(Problem(*problem) for problem in problems),
        tuple((line, title, Schedule(*given) if given else None) for line, title, given in headings),
    )
    return Plan(path, *read, *rest)
