"""How fresh an answer is: what changed is indexed before a search, inside a time budget; each hit is looked at again.

Nothing found is never "not indexed": the answer says `fresh` (everything on disk was looked at), `partial` (the time
was over) or `stale` (the index could not be written), and why.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from functools import partial

from openclaw_memory import fsio
from openclaw_memory.errors import LockError, RetrievalError, WriteError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import read, store
from openclaw_memory.retrieval.collections import Collection, Collections
from openclaw_memory.retrieval.hits import Freshness
from openclaw_memory.retrieval.identity import content_hash
from openclaw_memory.retrieval.scan import Difference, scan

if TYPE_CHECKING:
    from openclaw_memory.retrieval.notice import Notice
    from openclaw_memory.workspace import Workspace

Look = Callable[[float], tuple[Freshness, frozenset[str] | None]]
"""A look at the disk that takes about so many seconds: what there is to say, and all folders where all was fresh."""
BUDGET = 2.0
"""Seconds that a search gives to files that changed."""
_WAIT = 1.0
_MANY = 8
"""Files in doubt from which on it is worth a transaction to settle them."""
_TRUST, _TRUST_TIMES, _LONGEST_TRUST = 2.0, 50.0, 30.0
"""Seconds for which the kernel is believed that nothing happened (see `notice` for what it does not tell): at least,
for each second that a look takes (so that looks take a fiftieth of the time), and at most."""
_REST = 5.0
"""A process that stays may trust a look at the disk for so many times what the look took, where it cannot ask that."""
_LONG = 0.05
"""Seconds from which on a look is long enough to be trusted so: small workspaces are looked at each time."""


class _Look(Record):
    """The last look of this process at a workspace that found it fresh."""

    collections: tuple[Collection, ...]
    at: float
    took: float
    notice: Notice | None
    heard: int
    store: str = ""

    def holds(self, collections: tuple[Collection, ...], now: float, max_age: float) -> bool:
        """Whether it is as good as a look now."""
        if collections != self.collections:
            return False
        trusted = min(_LONGEST_TRUST, max(_TRUST, _TRUST_TIMES * self.took))
        if self.notice is not None and now - self.at <= trusted and self.notice.heard() == self.heard:
            return True
        return self.took >= _LONG and now - self.at <= min(max_age, _REST * self.took)


_NOT_YET = -1
"""In place of a number heard: what happened before a notice was made is found by the next look alone."""
_looks: dict[str, _Look] = {}
"""By the root of the workspace."""


def freshen(
    ws: Workspace,
    collections: Collections,
    seconds: float = BUDGET,
    max_age: float = 0.0,
    look: Look | None = None,
    store: str = "",
) -> Freshness:
    """Index what changed, as far as `seconds` reach, or half of the time that the config gives a search.

    `look` brings another store than the embedded one up to date, which is called `store`.

    `max_age` is for processes that answer many searches: a look at the disk that is no older, and no older than
    a few times what it took, counts as one now (a look at 20,000 files takes longer than a search). Where the kernel
    can say that nothing happened since, there is no need for another look.
    """
    look, seconds = look or partial(_look, ws, collections), allowed(ws, seconds)
    if not max_age:
        return look(seconds)[0]
    started = time.monotonic()
    before = _looks.get(str(ws.root))
    if before is not None and before.store == store and before.holds(collections.all, started, max_age):
        return Freshness("fresh")
    notice = before.notice if before is not None else None
    heard = notice.heard() if notice is not None else 0
    found, folders = look(seconds)
    _looks.pop(str(ws.root), None)
    if folders is not None:
        took = time.monotonic() - started
        if notice is None or notice.folders != folders or notice.heard() != heard:
            notice, heard = _notice(folders), _NOT_YET
        _looks[str(ws.root)] = _Look(collections.all, started, took, notice, heard, store)
    return found


def allowed(ws: Workspace, seconds: float) -> float:
    """`seconds`, or half of the time that the config gives a search."""
    return min(seconds, ws.config.memory.limits.timeout_ms / 2000)


def _notice(folders: frozenset[str]) -> Notice | None:
    from openclaw_memory.retrieval.notice import Notice

    try:
        return Notice(folders)
    except OSError:
        return None


def _look(ws: Workspace, collections: Collections, seconds: float) -> tuple[Freshness, frozenset[str] | None]:
    """What there is to say, and the folders that were looked at where all of it was fresh before."""
    with store.reading(store.path_in(ws.state_path)) as db:
        known = db is not None and not _orphans(db, collections)
        differences = [scan(db, one) for one in collections.all] if db is not None else []
    notes = [problem for one in differences for problem in one.problems]
    looked_at = fsio.clock()
    if known and all(_only_racy(one) for one in differences):
        _settle(ws, differences, looked_at)
        whole = not notes and not any(one.follow for one in collections.all)
        folders = frozenset(folder for one in differences for folder in one.folders) if whole else None
        return Freshness("fresh", 0, tuple(notes)), folders
    return _indexed(ws, differences, seconds, notes), None


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
    settled = [(row.id, row.stat.mtime_ns) for row in known if not fsio.is_racy(row.stat.mtime_ns, looked_at)]
    if len(settled) < _MANY:
        return
    try:
        with store.writing(store.path_in(ws.state_path), 0.0) as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("UPDATE files SET racy = 0 WHERE id = ? AND mtime_ns = ?", settled)
            db.execute("COMMIT")
    except store.BrokenIndexError:
        raise
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
        return Freshness("stale", pending, (*notes, error.message), unwritable=True)
    state = "partial" if report.pending else "fresh"
    return Freshness(state, report.pending, (*report.missing, *report.unreadable))
