"""Where the embedded store's functions hand over to the database: one question (`is_on`) and one function for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from openclaw_memory.errors import MissingExtraError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.hits import Answer
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.retrieval.report import Listed, Status
    from openclaw_memory.retrieval.search import Options
    from openclaw_memory.retrieval.update import Report
    from openclaw_memory.workspace import Workspace


def is_on(ws: Workspace) -> bool:
    """Whether the config names a database as the store."""
    return ws.config.retrieval.store.startswith("postgresql://")


def answer(ws: Workspace, text: str, options: Options, embedder: Embedder | None, legs: Sequence[str]) -> Answer:
    """See `postgres.search.search`; the config's embedder where none is given."""
    from openclaw_memory.retrieval.postgres.search import search

    return search(ws, text, options, embedder or _embedder(ws), legs)


def report(ws: Workspace, seconds: float | None = None, progress: Callable[[int, int], None] | None = None) -> Report:
    """See `postgres.sync.sync`, as the embedded store's report."""
    from openclaw_memory.retrieval.postgres.sync import sync
    from openclaw_memory.retrieval.update import Report

    with _opened(ws) as (database, embedder):
        done = sync(ws, database, embedder, seconds, progress)
    return Report(
        changed=done.written, removed=done.removed, same=done.same, pending=done.pending, unreadable=done.notes
    )


def files(ws: Workspace) -> list[tuple[str, str, str]]:
    """(collection, path, hash) of this workspace's files in the database."""
    return [(name, path, digest) for name, path, digest, _ in _rows(ws)]


def listed(ws: Workspace) -> list[Listed]:
    """See `report.ls`; the database keeps no titles of files."""
    from openclaw_memory.retrieval.report import Listed

    found = []
    for name, path, digest, stat in sorted(_rows(ws)):
        size, mtime, _ = map(int, stat.split())
        found.append(Listed(name, path, "", size, mtime, f"#{digest[:6]}"))
    return found


def status(ws: Workspace) -> Status:
    """See `report.status`; the size is that of the whole table, of all who share it."""
    from openclaw_memory.retrieval import collections as folders
    from openclaw_memory.retrieval.postgres.sync import standing
    from openclaw_memory.retrieval.report import Status

    with _opened(ws) as (database, embedder):
        rows = standing(ws, database, embedder)
        size, passages = database.held()
        held = sum(one.files for one in rows)
        warnings = folders.load(ws).warnings
        return Status(database.address, True, size, held, passages, passages, 0, embedder.identity, rows, (), warnings)


def _rows(ws: Workspace) -> list[tuple[str, str, str, str]]:
    with _opened(ws) as (database, _):
        found = database.run(
            "SELECT collection, path, hash, stat FROM openclaw_memory_files"
            " WHERE model = :model AND agent = :agent AND workspace = :workspace",
            database.mine,
        )
    return [(name, path, digest, stat) for name, path, digest, stat in found]


@contextmanager
def _opened(ws: Workspace) -> Iterator[tuple[Database, Embedder]]:
    from openclaw_memory.retrieval.postgres.database import Database

    embedder = _embedder(ws)
    database = Database(ws, embedder.identity, embedder.dimension)
    try:
        yield database, embedder
    finally:
        database.close()


def body(ws: Workspace, collection: str, path: str) -> str | None:
    """The text of a file that another agent shares, or None; `collection` as in an address, `<agent>@<collection>`.

    Without an agent it is the first by name that shares such a file.
    """
    agent, _, name = collection.rpartition("@")
    sql = (
        "SELECT body FROM openclaw_memory_files"
        " WHERE model = :model AND collection = :collection AND path = :path AND shared"
        " AND (agent = :agent OR :agent = '') ORDER BY agent LIMIT 1"
    )
    with _opened(ws) as (database, _):
        rows = database.run(sql, {"model": database.model, "collection": name, "path": path, "agent": agent})
    return str(rows[0][0]) if rows else None


def _embedder(ws: Workspace) -> Embedder:
    from openclaw_memory.retrieval import embedders

    found = embedders.load(ws.config.retrieval)
    if found is None:
        raise MissingExtraError("retrieval.store: postgresql needs an embedder, which", "local")
    return found
