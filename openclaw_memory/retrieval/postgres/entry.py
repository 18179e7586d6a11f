"""Where the embedded store's functions hand over to the database: one question (`is_on`) and one function for each."""

from __future__ import annotations

import time
from collections.abc import Callable

from openclaw_memory.errors import LockError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.retrieval.document_query import QueryDocument
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.hits import Answer, Freshness
    from openclaw_memory.retrieval.options import Options
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.retrieval.report import Listing, Status
    from openclaw_memory.retrieval.update import Report
    from openclaw_memory.retrieval.vectors import Embedded
    from openclaw_memory.workspace import Workspace


_PAUSE = 0.2
"""Seconds between two tries to get a lock that another process holds."""
_OWN = "FROM openclaw_memory_files WHERE model = %(model)s AND agent = %(agent)s AND workspace = %(workspace)s"
_LISTED = f"SELECT collection, path, hash, stat, title {_OWN}"
_HELD = f"""
SELECT pg_total_relation_size(CAST(%(table)s AS regclass)), COALESCE(SUM(chunks), 0), COALESCE(SUM(passages), 0),
COALESCE(SUM(passages) FILTER (WHERE embedded), 0) {_OWN}
"""
_SHARED = """
SELECT agent, collection, path, body, hash FROM openclaw_memory_files
WHERE model = %(model)s AND shared AND {condition} ORDER BY agent, collection, path LIMIT 1
"""
_LENT = """
SELECT agent, collection, path, hash, stat, title FROM openclaw_memory_files
WHERE model = %(model)s AND shared AND NOT (agent = %(agent)s AND workspace = %(workspace)s)
ORDER BY agent, collection, path
"""


def is_on(ws: Workspace) -> bool:
    """Whether the config names a database as the store."""
    return ws.config.retrieval.store.startswith("postgresql://")


def answer(
    ws: Workspace, document: QueryDocument, options: Options, embedder: Embedder | None = None, only: bool = False
) -> Answer:
    """See `postgres.search.answer`."""
    from openclaw_memory.retrieval.postgres import search

    return search.answer(ws, document, options, embedder, only)


def report(
    ws: Workspace,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    force: bool = False,
    wait: float = 0.0,
) -> Report:
    """See `postgres.sync.sync`, as the embedded store's report. Raises LockError after `wait` seconds."""
    from openclaw_memory.retrieval.postgres.sync import sync
    from openclaw_memory.retrieval.update import Report

    until = time.monotonic() + wait
    while (done := sync(ws, _database(ws), seconds, progress, force)).busy and time.monotonic() < until:
        time.sleep(_PAUSE)
    if done.busy:
        raise LockError(done.notes[0], "wait until it is done, and run the command again")
    return Report(
        added=done.added,
        changed=done.changed,
        removed=done.removed,
        same=done.same,
        pending=done.pending,
        links=done.links,
        unreadable=done.unreadable,
        missing=done.missing,
    )


def embed(
    ws: Workspace, embedder: Embedder, force: bool, seconds: float | None, progress: Callable[[int, int], None] | None
) -> Embedded:
    """See `vectors.embed`; files of this workspace that have no passages for `embedder` yet get them first."""
    from openclaw_memory.retrieval.postgres import vectors
    from openclaw_memory.retrieval.postgres.sync import sync

    database = _database(ws, embedder)
    sync(ws, database, seconds)
    return vectors.embed(database, embedder, force, seconds, progress)


def left(ws: Workspace) -> int:
    """How many files of this workspace have passages without a vector."""
    from openclaw_memory.retrieval.postgres import vectors

    return vectors.left(_database(ws))


def unread(ws: Workspace) -> int:
    """See `postgres.vectors.unread`."""
    from openclaw_memory.retrieval.postgres import vectors

    return vectors.unread(_database(ws))


def cleanup(ws: Workspace) -> tuple[int, int]:
    """See `report.cleanup`: what the database holds of this workspace's that no file stands for, or another model made.

    The sizes are those of the tables of passages, of all who share them.
    """
    from openclaw_memory.retrieval.postgres.upkeep import cleanup

    return cleanup(ws, _database(ws))


def files(ws: Workspace) -> list[tuple[str, str, str]]:
    """(collection, path, hash) of this workspace's files, the database brought up to date first."""
    return [(name, path, digest) for name, path, digest, *_ in _rows(ws)[0]]


def listed(ws: Workspace, others: bool = False) -> Listing:
    """See `report.ls`: all files of this workspace, or those that `others` share."""
    from openclaw_memory.retrieval.postgres.rows import stat_of
    from openclaw_memory.retrieval.report import Listed, Listing

    rows, fresh = _rows(ws)
    found = []
    for name, path, digest, text, title in lent(ws) if others else sorted(rows):
        stat = stat_of(text)
        found.append(Listed(name, path, title, stat.size, stat.mtime_ns, f"#{digest[:6]}"))
    return Listing(found, fresh)


def lent(ws: Workspace) -> list[tuple[str, str, str, str, str]]:
    """(collection, path, hash, stat, title) of the files that other agents share; collections as in an address."""
    from openclaw_memory.retrieval.postgres.rows import restored

    database = _database(ws)
    rows = database.run(_LENT, {"model": database.model, **database.mine})
    return [(f"{agent}@{name}", restored(path), *rest) for agent, name, path, *rest in rows]


def status(ws: Workspace) -> Status:
    """See `report.status`; the size is that of the whole table, of all who share it."""
    from openclaw_memory.retrieval import collections as folders
    from openclaw_memory.retrieval.postgres.difference import problems, standing
    from openclaw_memory.retrieval.report import Status

    database = _database(ws)
    rows = standing(ws, database)
    ((size, chunks, passages, vectors),) = database.run(_HELD, {**database.mine, "table": database.table})
    held, bad, warnings = sum(one.files for one in rows), problems(database), folders.load(ws).warnings
    name = database.identity if vectors else ""
    return Status(database.address, True, size, held, chunks, vectors, passages - vectors, name, rows, bad, warnings)


def _rows(ws: Workspace) -> tuple[list[tuple[str, str, str, str, str]], Freshness]:
    """(collection, path, hash, stat, title) of this workspace's files, and how fresh that is."""
    from openclaw_memory.retrieval.postgres.rows import restored
    from openclaw_memory.retrieval.postgres.sync import freshen

    database = _database(ws)
    state = freshen(ws, database)
    found = database.run(_LISTED, database.mine)
    return [(name, restored(path), *rest) for name, path, *rest in found], state


Shared = tuple[str, str, str, str]
"""A file that another agent shares: its collection as in an address (`<agent>@<collection>`), path, text, hash."""


def shared(ws: Workspace, collection: str, path: str) -> Shared | None:
    """What `<agent>@<collection>` has at `path`; without an agent, what the first one by name has who shares that."""
    from openclaw_memory.retrieval.postgres.rows import plain, stored

    agent, _, name = collection.rpartition("@")
    values = {"collection": plain(name), "path": stored(path), "agent": plain(agent)}
    return _shared(ws, "collection = %(collection)s AND path = %(path)s AND %(agent)s IN ('', agent)", values)


def shared_as(ws: Workspace, digest: str) -> Shared | None:
    """What has a hash that begins with `digest`."""
    return _shared(ws, "starts_with(hash, %(digest)s)", {"digest": digest})


def _shared(ws: Workspace, condition: str, values: dict[str, str]) -> Shared | None:
    from openclaw_memory.retrieval.postgres.rows import restored

    database = _database(ws)
    rows = database.run(_SHARED.format(condition=condition), {**values, "model": database.model})
    for agent, name, path, text, digest in rows:
        return f"{agent}@{name}", restored(path), text, digest
    return None


def _database(ws: Workspace, embedder: Embedder | None = None) -> Database:
    from openclaw_memory.retrieval.postgres.model import Model

    return Model(ws, embedder).database
