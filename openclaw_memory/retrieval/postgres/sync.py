"""Bring one workspace's rows in the database up to what is on disk: words at once, vectors by `embed`.

One writer a workspace; every step can be redone. A file's row is written behind its passages, so a run that was cut
off finds the file different again and does it anew. New passages come before old ones go: readers meet a file's old
passages, or its new ones, or for a moment both, never none. Passages whose text was there before keep its vectors.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from openclaw_memory.errors import RetrievalError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import fresh
from openclaw_memory.retrieval.collections import load
from openclaw_memory.retrieval.fresh import BUDGET
from openclaw_memory.retrieval.hits import Freshness
from openclaw_memory.retrieval.identity import Stat
from openclaw_memory.retrieval.postgres import nodes, vectors
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.postgres.difference import Look, Work
from openclaw_memory.retrieval.postgres.draft import Draft, draft
from openclaw_memory.retrieval.postgres.rows import plain, stat_text

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_AT_ONCE, _AT_ONCE_IN_TIME = 16, 2
"""Files that are written together, and where the time is bounded."""
_MANY = 100
"""Files from which on the database is told to count what there is: its plans for a small table suit no large one."""
_TOUCH = "UPDATE openclaw_memory_files SET stat = %(stat)s, problem = %(problem)s WHERE doc = %(doc)s"
_SETTLE = """
UPDATE openclaw_memory_files AS file SET stat = new.stat FROM unnest(%(docs)s, %(before)s, %(stats)s)
AS new (doc, before, stat) WHERE (file.doc, file.stat) = (new.doc, new.before)
"""
_DROP = """
DELETE FROM {table} AS held USING unnest(%(docs)s, %(states)s) AS new (doc, state)
WHERE held.doc = new.doc AND split_part(held.node_id, '-', 2) {sign} new.state
"""
_KEY = ("model", "agent", "workspace", "collection", "path", "doc")
_FILE = ("hash", "stat", "shared", "body", "problem")
_SAYS = ("kind", "tags", "date", "title", "chunks", "passages", "embedded", "names")
_COLUMNS = (*_KEY, *_FILE, *_SAYS)
_SAVE = (
    f"INSERT INTO openclaw_memory_files ({', '.join(_COLUMNS)}) VALUES (%({')s, %('.join(_COLUMNS)})s)"
    " ON CONFLICT (model, agent, workspace, collection, path) DO UPDATE SET "
    + ", ".join(f"{name} = %({name})s" for name in (*_FILE, *_SAYS))
)


class Synced(Record):
    """What a run did, in files. `busy`: another process was at it, and nothing was done."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    same: int = 0
    pending: int = 0
    links: int = 0
    busy: bool = False
    unreadable: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Folders that are gone or cannot be listed; their rows stay."""
    folders: tuple[str, ...] = ()
    """All folders that were listed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say beside an answer."""
        busy = ("another process is indexing this workspace",) if self.busy else ()
        return (*busy, *self.missing, *self.unreadable)

    @property
    def written(self) -> int:
        """Files whose passages were made anew."""
        return self.added + self.changed


def sync(
    ws: Workspace,
    database: Database,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    force: bool = False,
) -> Synced:
    """Index what differs (with `force` all), for at most `seconds`.

    Raises RetrievalError where the database does not answer.
    """
    look = Look(ws, database, force)
    if not look.work and not look.gone:  # what most searches find: no lock
        with suppress(RetrievalError):  # where nothing can be written, they stay in doubt
            _settle(database, look)
        return _seen(look)
    with database.writing() as mine:
        if not mine:
            return Synced(busy=True)
        again = Look(ws, database, force)
        return _Sync(ws, database, again, seconds, force).run(progress or (lambda done, total: None))


def freshen(ws: Workspace, database: Database, seconds: float = BUDGET, max_age: float = 0.0) -> Freshness:
    """See `fresh.freshen`; with no `seconds` the rows are taken as they are."""
    if seconds <= 0:
        return Freshness("unchecked")
    return fresh.freshen(ws, load(ws), seconds, max_age, partial(_look, ws, database), " ".join(database.key))


def _look(ws: Workspace, database: Database, seconds: float) -> tuple[Freshness, frozenset[str] | None]:
    """See `fresh.Look`."""
    try:
        done = sync(ws, database, seconds)
    except RetrievalError as error:  # a full disk, a standby; a server that is away is met again by the search
        return Freshness("stale", notes=(f"{error.message}: {error.hint}",)), None
    state = "stale" if done.busy else "partial" if done.pending else "fresh"
    settled = not (done.busy or done.written or done.removed or done.pending or done.notes)
    return Freshness(state, done.pending, done.notes), frozenset(done.folders) if settled else None


def _settle(database: Database, look: Look) -> None:
    """Note that files are no longer in doubt; those that somebody else wrote meanwhile stay as they are."""
    if look.touched:
        docs = [database.doc(*key) for key in look.touched]
        before = [stat_text(look.known[key].stat) for key in look.touched]
        database.run(_SETTLE, {"docs": docs, "before": before, "stats": list(map(stat_text, look.touched.values()))})


def _seen(look: Look) -> Synced:
    """The report where there is nothing to do."""
    folders = tuple(folder for one in look.differences for folder in one.folders)
    links = sum(one.links for one in look.differences)
    return Synced(same=look.same, links=links, missing=look.missing, folders=folders)


class _Sync:
    def __init__(self, ws: Workspace, database: Database, look: Look, seconds: float | None, force: bool) -> None:
        self._ws = ws
        self._database = database
        self._look = look
        self._until = None if seconds is None else time.monotonic() + seconds
        self._force = force
        self._unreadable: list[str] = []
        self._added = self._changed = self._same = 0
        self._gone = {self._database.doc(*key): look.known[key].hash for key in look.gone}

    def run(self, progress: Callable[[int, int], None]) -> Synced:
        """Write what differs; then drop what is gone, whose vectors may be those of a file that moved."""
        _settle(self._database, self._look)
        done, work = 0, self._look.work
        at_once = _AT_ONCE if self._until is None else _AT_ONCE_IN_TIME
        while done < len(work) and (self._until is None or time.monotonic() < self._until):
            some = work[done : done + at_once]
            self._write([new for one in some if (new := self._draft(one))])
            done += len(some)
            progress(done, len(work))
        seen, pending = _seen(self._look), len(work) - done
        gone = () if pending else list(self._gone)
        if gone:
            with self._database.transaction() as cursor:
                cursor.execute(f"DELETE FROM {self._database.table} WHERE doc = ANY (%s)", (gone,))
                cursor.execute("DELETE FROM openclaw_memory_files WHERE doc = ANY (%s)", (gone,))
        if done >= _MANY:
            self._database.vacuum(self._database.table, "openclaw_memory_files")
        return seen._replace(
            added=self._added,
            changed=self._changed,
            removed=len(gone),
            same=seen.same + self._same,
            pending=pending,
            unreadable=tuple(self._unreadable),
        )

    def _touch(self, doc: str, stat: Stat, problem: str = "") -> None:
        self._database.run(_TOUCH, {"stat": stat_text(stat), "problem": plain(problem), "doc": doc})

    def _draft(self, work: Work) -> Draft | None:
        """What there is to write of a file; None where it says the same, or cannot be read: then its passages stay."""
        key = work.collection.name, work.found.path
        doc, known = self._database.doc(*key), self._look.known.get(key)
        one = draft(self._ws, work, known, self._look.is_shared(work.collection), self._force)
        if one.problem:
            self._unreadable.append(f"{'/'.join(key)}: {one.problem}")
        if known is not None and (one.same or one.problem):
            self._same += one.same
            self._touch(doc, one.stat, one.problem)
            return None
        self._changed += bool(known and known.hash and not one.problem)
        self._added += not (one.problem or (known and known.hash))
        return one

    def _write(self, some: list[Draft]) -> None:
        if not some:
            return
        database, hashes = self._database, {one.hash for one in some}
        moved = [doc for doc, digest in self._gone.items() if digest in hashes]
        named = [(database.doc(one.collection, one.path), one) for one in some]
        keys = [passage.key for one in some for passage in one.passages]
        held = vectors.held(database, [*(doc for doc, _ in named), *moved], keys)
        none = vectors.none(database)
        docs = {"docs": [doc for doc, _ in named], "states": [nodes.version(one.hash, one.shared) for one in some]}
        database.run(_DROP.format(table=database.table, sign="="), docs)  # of a run that was cut off
        fresh = [
            node
            for doc, one in named
            for node in nodes.nodes(
                database, doc, one.shared, one.file, ((part, held.get(part.key, none)) for part in one.passages)
            )
        ]
        if fresh:
            database.add(fresh)
        with database.transaction() as cursor:
            cursor.execute(_DROP.format(table=database.table, sign="<>"), docs)
            for doc, one in named:
                embedded = all(part.key in held for part in one.passages)
                cursor.execute(_SAVE, {**database.mine, "doc": doc, "embedded": embedded, **one.row})
