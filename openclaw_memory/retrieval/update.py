"""Bring the index up to what is on disk: scan, read what differs, one transaction a batch. Never writes a source file.

One process writes at a time (`store.writing`); a batch that was cut off by a kill is simply not there, and the next
run finds the same files pending.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import store
from openclaw_memory.retrieval.collections import Collection, load
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.scan import Difference, known_of, scan

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

Progress = Callable[[int, int], None]
"""Called with (files done, files to do)."""


class Report(Record):
    """What an update did, in files."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    same: int = 0
    pending: int = 0
    """Not looked at, because the time was over."""
    links: int = 0
    """Symlinks that were not followed."""
    unreadable: tuple[str, ...] = ()
    """`collection/path: why`; what was indexed of such a file before stays."""
    missing: tuple[str, ...] = ()
    """Folders that are gone or cannot be listed; their rows stay."""

    @property
    def writes(self) -> int:
        """How many files the index changed for."""
        return self.added + self.changed + self.moved + self.removed


@store.healing
def update(
    ws: Workspace,
    *,
    seconds: float | None = None,
    wait: float = 30.0,
    force: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Index what differs. `seconds` bounds the time (None: no bound), `wait` that for another writer's lock.

    `force` reads every file again. Raises LockError (another process writes), RetrievalError (full disk).
    """
    if postgres.is_on(ws):
        return postgres.report(ws, seconds, progress, force, wait)
    until = None if seconds is None else time.monotonic() + seconds
    with store.writing(store.path_in(ws.state_dir), wait) as db:
        collections = load(ws).all
        differences = [_all_changed(db, one) if force else scan(db, one) for one in collections]
        dropped = forgotten(db, collections)
        if not dropped and not any(one.found or one.gone for one in differences):
            return seen(Report(), differences)
        from openclaw_memory.retrieval.apply import Apply

        return seen(Apply(ws, db, until, progress).run(differences, dropped), differences)


def seen(report: Report, differences: Sequence[Difference]) -> Report:
    """`report` with what the look at the folders showed."""
    return report._replace(
        same=report.same + sum(one.same for one in differences),
        links=sum(one.links for one in differences),
        missing=tuple(problem for one in differences for problem in one.problems),
    )


def forgotten(db: sqlite3.Connection, collections: Sequence[Collection]) -> list[int]:
    """The files of collections that are no longer there."""
    names = [one.name for one in collections]
    marks = ", ".join("?" * len(names))
    return [row[0] for row in db.execute(f"SELECT id FROM files WHERE collection NOT IN ({marks})", names)]


def _all_changed(db: sqlite3.Connection, collection: Collection) -> Difference:
    """A difference in which every file counts as changed."""
    known = known_of(db, collection.name)
    every = scan(None, collection)
    changed = [
        one._replace(known=row._replace(hash="") if (row := known.pop(one.path, None)) else None) for one in every.found
    ]
    return every._replace(found=changed, gone=[(path, row) for path, row in known.items() if not every.hides(path)])
