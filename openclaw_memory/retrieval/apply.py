"""Applies what a scan found to the index: read, analyse, one transaction a batch. Never writes a source file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence

from openclaw_memory import fsio
from openclaw_memory.collector import uncollected
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import read
from openclaw_memory.retrieval.chunks import Page
from openclaw_memory.retrieval.collections import Collection
from openclaw_memory.retrieval.identity import content_hash
from openclaw_memory.retrieval.index import Batch, Source
from openclaw_memory.retrieval.kinds import kind_of
from openclaw_memory.retrieval.lexicon import Lexicon
from openclaw_memory.retrieval.scan import Difference, Found, Known
from openclaw_memory.retrieval.update import Progress, Report

if TYPE_CHECKING:
    from typing import Any

    from openclaw_memory.workspace import Workspace

_BATCH_FILES = 1024
_BATCH_BYTES = 32_000_000
_BULK = 64
"""From this many files on, all terms are read at once instead of one by one."""


class _Work(Record):
    collection: Collection
    found: Found


class Apply:
    """One run. Batches are committed as they fill up; the time is looked at between files."""

    def __init__(self, ws: Workspace, db: sqlite3.Connection, until: float | None, progress: Progress | None) -> None:
        self._ws = ws
        self._db = db
        self._until = until
        self._progress = progress or (lambda done, total: None)
        self._counts: dict[str, Any] = dict.fromkeys(("added", "changed", "moved", "removed", "same", "pending"), 0)
        self._unreadable: list[str] = []
        self._gone: dict[str, list[Known]] = {}
        self._folders: dict[str, read.Folder] = {}

    def run(self, differences: Sequence[Difference], dropped: list[int]) -> Report:
        """Index what `differences` found, then forget the files `dropped` and those that are gone."""
        work = [_Work(one.collection, found) for one in differences for found in one.found]
        self._gone = _by_hash(row for one in differences for _, row in one.gone)
        with uncollected():
            self._apply(work, dropped)
        return Report(**self._counts)._replace(unreadable=tuple(self._unreadable))

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
                if batch.is_full:
                    break
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
        read_at = fsio.clock()
        stat = found.stat._replace(racy=fsio.is_racy(found.stat.mtime_ns, read_at))
        digest = ""
        try:
            data = self._folder(collection).content(found.path)
            digest = content_hash(data)
            if found.known and found.known.hash == digest and not found.known.problem:
                self._counts["same"] += 1
                if stat != found.known.stat:
                    batch.touch(found.known.id, stat)
                return 0
            page = read.page_of(read.decode(data, found.path), found.path)
        except read.Refused as error:
            self._refuse(batch, work, error, digest)
            return 0
        kind = kind_of(self._ws, collection, found.path)
        self._put(batch, found, Source(collection.name, found.path, stat, digest, kind, page))
        return len(data)

    def _folder(self, collection: Collection) -> read.Folder:
        if collection.name not in self._folders:
            self._folders[collection.name] = read.Folder(collection)
        return self._folders[collection.name]

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

    def _refuse(self, batch: Batch, work: _Work, error: read.Refused, digest: str) -> None:
        """A file that cannot be read: what is indexed of it stays, marked; it is looked at again by each search."""
        collection, found = work
        self._unreadable.append(f"{collection.name}/{found.path}: {error.message}")
        stat = found.stat._replace(racy=True)
        if found.known is None:
            batch.add(Source(collection.name, found.path, stat, digest, "", Page([], {}, "", 0), error.message))
        elif (found.known.problem, found.known.stat) != (error.message, stat):
            batch.touch(found.known.id, stat)
            batch.problem(found.known.id, error.message)


def _by_hash(rows: Iterable[Known]) -> dict[str, list[Known]]:
    found: dict[str, list[Known]] = {}
    for row in rows:
        found.setdefault(row.hash, []).append(row)
    return found
