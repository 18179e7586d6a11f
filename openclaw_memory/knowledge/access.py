"""Accesses in the journal: counting them, and which segments are folded in already.

`.openclaw-memory/folded.json` names the segments that `items.json` and `decay.json` hold. It is written in the same
transaction as they are, so a kill at any point leaves both or neither; a folded segment stays on disk until the next
fold, so that undoing one counts its accesses again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, tzinfo
from functools import cache, partial
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.errors import OpenClawMemoryError, WriteError
from openclaw_memory.facts.tiers import Use
from openclaw_memory.knowledge.factsfile import is_facts_file, load
from openclaw_memory.workspace import STATE, Change, Workspace, journal

FOLDED = f"{STATE}/folded.json"

Key = tuple[str, str | None]
"""(path, fact id or None), as recorded."""


def record(ws: Workspace, items: Iterable[Key], source: str, now: datetime | None = None) -> None:
    """Note accesses in the journal; a thin door, so that commands need not know where it lies."""
    journal.record(ws, items, source, now)


MOST_FACTS = 20  # a reading of more facts at once is a reading of the file


def read(ws: Workspace, full: Path, first: int, last: int, source: str = "get") -> None:
    """Count that lines `first` to `last` of the file `full` were read: of a facts file one access for each fact there.

    Files outside the workspace do not count, and a journal that cannot be written keeps nobody from reading.
    """
    if full.is_relative_to(ws.root):
        path = full.relative_to(ws.root).as_posix()
        with suppress(WriteError):
            journal.record(ws, facts_between(ws, path, first, last) or [(path, None)], source)


def facts_between(ws: Workspace, path: str, first: int, last: int) -> list[Key]:
    """The facts on lines `first` to `last` of the facts file `path`, as accesses; [] where it is none, cannot be
    parsed, or so many are read at once that none is meant. `path` is relative to the root."""
    if not is_facts_file(path) or ws.layout.entity_of(path) is None:
        return []
    try:
        file = load(fsio.read(ws.path(path), binary=True), path)
    except OpenClawMemoryError:
        return []
    spans = [file.lines(position) for position in range(len(file.facts))]
    read = [file.facts[at].id for at, (top, bottom) in enumerate(spans) if top <= last and first <= bottom]
    return [(path, fact_id) for fact_id in read if fact_id] if len(read) <= MOST_FACTS else []


def pending(ws: Workspace) -> dict[Key, Use]:
    """All accesses that are not folded in yet. Reads only."""
    return tally(ws, unfolded(ws, sealed=False))


def unfolded(ws: Workspace, *, sealed: bool) -> list[Path]:
    """The segments to fold, oldest first; `sealed` closes the one being written (under the workspace's lock)."""
    done = folded(ws)
    if sealed:
        return [path for path in journal.seal(ws) if path.name not in done]
    closed = sorted(ws.state_path.glob(journal.SEALED))
    active = ws.state_path / journal.ACTIVE
    return [path for path in [*closed, active] if path.name not in done and path.exists()]


def folded(ws: Workspace) -> frozenset[str]:
    """The names of the segments that are folded in."""
    path = ws.root / FOLDED
    if not path.exists():
        return frozenset()
    try:
        names = json.loads(fsio.read(path))
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def folding(ws: Workspace) -> Change:
    """The change that marks every sealed segment as folded in; part of the transaction that folds them."""
    path = ws.root / FOLDED
    before = fsio.read(path) if path.exists() else None
    names = sorted(segment.name for segment in ws.state_path.glob(journal.SEALED) if segment.name != journal.ACTIVE)
    return Change(FOLDED, before, json.dumps(names, indent=1).encode() + b"\n")


def forget(ws: Workspace, keep: Iterable[Path]) -> None:
    """Delete the segments that an earlier fold took in; those of the last one (`keep`) stay for its undo."""
    kept = {path.name for path in keep}
    for name in folded(ws) - kept:
        fsio.remove(ws.state_path / name)


def tally(ws: Workspace, segments: Iterable[Path]) -> dict[Key, Use]:
    """How often each path and fact was accessed, and the day of the last time in the workspace's zone."""
    found: dict[Key, Use] = {}
    day_of = cache(partial(_day, zone=ws.zone.tz))
    for segment in segments:
        for access in journal.read(segment):
            day = day_of(str(access.at))
            if day is None or not isinstance(access.path, str):
                continue
            key = (access.path, access.fact if isinstance(access.fact, str) else None)
            use = Use(day, 1)
            found[key] = found[key].plus(use) if key in found else use
    return found


def _day(at: str, zone: tzinfo) -> date | None:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (moment.astimezone(zone) if moment.tzinfo else moment).date()
