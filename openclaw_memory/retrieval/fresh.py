"""How fresh an answer is: what changed is indexed before a search, inside a time budget; each hit is looked at again.

Nothing found is never "not indexed": the answer says `fresh` (everything on disk was looked at), `partial` (the time
was over) or `stale` (the index could not be written), and why.
"""

from __future__ import annotations

import os
import sqlite3
import time

from openclaw_memory.errors import LockError, RetrievalError, WriteError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import read, store
from openclaw_memory.retrieval.collections import Collection, Collections
from openclaw_memory.retrieval.hits import Freshness
from openclaw_memory.retrieval.identity import Stat, content_hash
from openclaw_memory.retrieval.scan import Difference, clock, is_racy, scan
from openclaw_memory.retrieval.transcripts import DATABASE, status_of

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

BUDGET = 2.0
"""Seconds that a search gives to files that changed."""
_WAIT = 1.0
_MANY = 8
"""Files in doubt from which on it is worth a transaction to settle them."""
_REST = 5.0
"""A process that stays may trust a look at the disk for so many times what the look took."""
_LONG = 0.05
"""Seconds from which on a look is long enough to be trusted at all: small workspaces are looked at each time."""
_looked: dict[str, tuple[float, float]] = {}
"""Root of a workspace to when it was last found fresh, and the seconds that took."""


def freshen(ws: Workspace, collections: Collections, seconds: float = BUDGET, max_age: float = 0.0) -> Freshness:
    """Index what changed, as far as `seconds` reach, or half of the time that the config gives a search.

    `max_age` is for processes that answer many searches: a look at the disk that is no older, and no older than
    a few times what it took, counts as one now (a look at 20,000 files takes longer than a search).
    """
    started = time.monotonic()
    at, took = _looked.get(str(ws.root), (0.0, 0.0))
    if started - at <= min(max_age, _REST * took):
        return Freshness("fresh")
    found, wrote = _look(ws, collections, min(seconds, ws.config.memory.limits.timeout_ms / 2000))
    ended = time.monotonic()
    if found.state == "fresh" and not found.notes and not wrote and ended - started >= _LONG:
        _looked[str(ws.root)] = ended, ended - started
    return found


def _look(ws: Workspace, collections: Collections, seconds: float) -> tuple[Freshness, bool]:
    """What there is to say, and whether something had to be indexed for it."""
    with store.reading(store.path_in(ws.state_path)) as db:
        known = db is not None and not _orphans(db, collections)
        differences = [scan(db, one) for one in collections.all] if db is not None else []
    notes = [one.problem for one in differences if one.problem]
    looked_at = clock()
    if known and all(_only_racy(one) for one in differences):
        _settle(ws, differences, looked_at)
        return Freshness("fresh", 0, tuple(notes)), False
    return _indexed(ws, differences, seconds, notes), True


def _orphans(db: sqlite3.Connection, collections: Collections) -> bool:
    """Whether the index holds collections that are gone."""
    names = {row[0] for row in db.execute("SELECT DISTINCT collection FROM files")}
    return not names <= {one.name for one in collections.all}


def _only_racy(difference: Difference) -> bool:
    """Whether every file that might differ turns out to be the same (or is known to be unreadable)."""
    if difference.gone:
        return False
    for found in difference.found:
        known = found.known
        if known is None or not known.stat.racy or known.stat._replace(racy=False) != found.stat:
            return False
        try:
            if content_hash(read.content(difference.collection, found.path)) != known.hash:
                return False
        except read.Refused:
            if not known.problem:
                return False
    return True


def _settle(ws: Workspace, differences: list[Difference], looked_at: int) -> None:
    """Note that files are no longer in doubt, where many were: else each search reads all of them again."""
    known = [found.known for one in differences for found in one.found if found.known and not found.known.problem]
    settled = [(row.id, row.stat.mtime_ns) for row in known if not is_racy(row.stat, looked_at)]
    if len(settled) < _MANY:
        return
    try:
        with store.writing(store.path_in(ws.state_path), 0.0) as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("UPDATE files SET racy = 0 WHERE id = ? AND mtime_ns = ?", settled)
            db.execute("COMMIT")
    except (
        LockError,
        RetrievalError,
        WriteError,
    ):  # somebody else writes, or nobody may: the next one does it
        return


def _indexed(ws: Workspace, differences: list[Difference], seconds: float, notes: list[str]) -> Freshness:
    from openclaw_memory.retrieval.update import update

    pending = sum(one.pending for one in differences)
    try:
        report = update(ws, seconds=seconds, wait=min(_WAIT, seconds))
    except LockError as error:
        return Freshness("stale", pending, (*notes, error.message))
    except (RetrievalError, WriteError) as error:
        return Freshness("stale", pending, (*notes, error.message))
    state = "partial" if report.pending else "fresh"
    return Freshness(state, report.pending, (*report.missing, *report.unreadable))


def is_current(collection: Collection, path: str, stat: Stat) -> bool:
    """Whether the file still is the one that was indexed."""
    full = os.path.join(os.path.realpath(collection.root), path)  # noqa: PTH118
    try:
        now = status_of(full) if path.endswith(DATABASE) else os.stat(full, follow_symlinks=collection.follow)  # noqa: PTH116
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns, now.st_ino) == (stat.size, stat.mtime_ns, stat.inode)
