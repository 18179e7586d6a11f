"""Bring the index up to what is on disk: scan, read what differs, one transaction a batch. Never writes a source file.

One process writes at a time (`store.writing`); a batch that was cut off by a kill is simply not there, and the next
run finds the same files pending.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from openclaw_memory.retrieval import read, store
from openclaw_memory.retrieval.collections import Collection, load
from openclaw_memory.retrieval.identity import content_hash
from openclaw_memory.retrieval.index import Batch, Source
from openclaw_memory.retrieval.kinds import kind_of
from openclaw_memory.retrieval.lexicon import Lexicon
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.scan import Difference, Found, Known, clock, is_racy, known_of, scan

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_BATCH_FILES = 1024
_BATCH_BYTES = 32_000_000
_BULK = 64
"""From this many files on, all terms are read at once instead of one by one."""

Progress = Callable[[int, int], None]
"""Called with (files done, files to do)."""


class Report(NamedTuple):
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


class _Work(NamedTuple):
    collection: Collection
    found: Found


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
        return postgres.report(ws, seconds, progress)
    until = None if seconds is None else time.monotonic() + seconds
    with store.writing(store.path_in(ws.state_dir), wait) as db:
        collections = load(ws).all
        differences = [_all_changed(db, one) if force else scan(db, one) for one in collections]
        return _Update(ws, db, until, progress).run(collections, differences)


def _all_changed(db: sqlite3.Connection, collection: Collection) -> Difference:
    """A difference in which every file counts as changed."""
    known = known_of(db, collection.name)
    every = scan(None, collection)
    found = [
        one._replace(known=row._replace(hash="") if (row := known.pop(one.path, None)) else None) for one in every.found
    ]
    gone = [] if every.problem else list(known.items())
    return every._replace(found=found, gone=gone)


class _Update:
    """One run. Batches are committed as they fill up; the time is looked at between files."""

    def __init__(self, ws: Workspace, db: sqlite3.Connection, until: float | None, progress: Progress | None) -> None:
        self._ws = ws
        self._db = db
        self._until = until
        self._progress = progress or (lambda done, total: None)
        self._counts = dict.fromkeys(("added", "changed", "moved", "removed", "same", "pending"), 0)
        self._unreadable: list[str] = []
        self._gone: dict[str, list[Known]] = {}

    def run(self, collections: tuple[Collection, ...], differences: list[Difference]) -> Report:
        """Apply `differences`."""
        work = [_Work(one.collection, found) for one in differences for found in one.found]
        self._gone = _by_hash(row for one in differences for _, row in one.gone)
        self._counts["same"] = sum(one.same for one in differences)
        dropped = self._forgotten(collections)
        if work or self._gone or dropped:
            self._apply(work, dropped)
        return Report(
            **self._counts,
            links=sum(one.links for one in differences),
            unreadable=tuple(self._unreadable),
            missing=tuple(one.problem for one in differences if one.problem),
        )

    def _forgotten(self, collections: tuple[Collection, ...]) -> list[int]:
        """The files of collections that are no longer there."""
        names = [one.name for one in collections]
        marks = ", ".join("?" * len(names))
        rows = self._db.execute(f"SELECT id FROM files WHERE collection NOT IN ({marks})", names)
        return [row[0] for row in rows]

    def _apply(self, work: list[_Work], dropped: list[int]) -> None:
        lexicon = None
        done = 0
        while done < len(work) and not self._late():
            self._db.execute("BEGIN IMMEDIATE")
            if lexicon is None:
                lexicon = Lexicon(self._db, bulk=len(work) >= _BULK)
            batch = Batch(self._db, lexicon)
            start, size = done, 0
            while done < len(work) and done - start < _BATCH_FILES and size < _BATCH_BYTES and not self._late():
                size += self._one(batch, work[done])
                done += 1
                if done % 50 == 0:
                    self._progress(done, len(work))
            batch.save()
            self._db.execute("COMMIT")
        self._counts["pending"] = len(work) - done
        if not self._counts["pending"]:
            self._drop([*dropped, *(row.id for rows in self._gone.values() for row in rows)])
        self._progress(done, len(work))

    def _drop(self, files: list[int]) -> None:
        if not files:
            return
        self._db.execute("BEGIN IMMEDIATE")
        batch = Batch(self._db, Lexicon(self._db))
        for file in files:
            batch.drop(file)
        batch.save()
        self._db.execute("COMMIT")
        self._counts["removed"] += len(files)

    def _late(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def _one(self, batch: Batch, work: _Work) -> int:
        """Index one file; returns its size."""
        collection, found = work
        read_at = clock()
        stat = found.stat._replace(racy=is_racy(found.stat, read_at))
        try:
            data = read.content(collection, found.path)
            digest = content_hash(data)
            if found.known and found.known.hash == digest and not found.known.problem:
                self._counts["same"] += 1
                if stat != found.known.stat:
                    batch.touch(found.known.id, stat)
                return 0
            page = read.page_of(read.decode(data, found.path), found.path)
        except read.Refused as error:
            self._refuse(batch, work, error)
            return 0
        kind = kind_of(self._ws, collection, found.path)
        self._put(batch, found, Source(collection.name, found.path, stat, digest, kind, page))
        return len(data)

    def _put(self, batch: Batch, found: Found, source: Source) -> None:
        twins = self._gone.get(source.hash)
        if found.known is not None:
            batch.replace(found.known.id, source, same_text=found.known.hash == source.hash)
            self._counts["changed"] += 1
        elif twins:
            batch.replace(twins.pop().id, source, same_text=True)
            self._counts["moved"] += 1
        else:
            batch.add(source)
            self._counts["added"] += 1

    def _refuse(self, batch: Batch, work: _Work, error: read.Refused) -> None:
        """A file that cannot be read: what is indexed of it stays, marked."""
        self._unreadable.append(f"{work.collection.name}/{work.found.path}: {error.message}")
        if work.found.known is not None:
            batch.problem(work.found.known.id, error.message)


def _by_hash(rows: Iterable[Known]) -> dict[str, list[Known]]:
    found: dict[str, list[Known]] = {}
    for row in rows:
        found.setdefault(row.hash, []).append(row)
    return found
