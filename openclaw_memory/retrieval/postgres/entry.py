"""Where the embedded store's functions hand over to the database: one question (`is_on`) and one function for each."""

from __future__ import annotations

from collections.abc import Callable

from openclaw_memory.errors import MissingExtraError, RetrievalError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.retrieval.document_query import QueryDocument
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.hits import Answer
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.retrieval.report import Listed, Status
    from openclaw_memory.retrieval.search import Options
    from openclaw_memory.retrieval.update import Report
    from openclaw_memory.retrieval.vectors import Embedded
    from openclaw_memory.workspace import Workspace


def is_on(ws: Workspace) -> bool:
    """Whether the config names a database as the store."""
    return ws.config.retrieval.store.startswith("postgresql://")


def answer(
    ws: Workspace,
    document: QueryDocument,
    options: Options,
    embedder: Embedder | None,
    depth: int = 0,
    lift: bool = True,
) -> Answer:
    """See `postgres.search.answer`; the config's embedder where none is given."""
    from openclaw_memory.retrieval.postgres import search

    return search.answer(ws, document, options, embedder or _embedder(ws), depth, lift)


def report(
    ws: Workspace,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    force: bool = False,
) -> Report:
    """See `postgres.sync.sync`, as the embedded store's report."""
    from openclaw_memory.retrieval.postgres.sync import sync
    from openclaw_memory.retrieval.update import Report

    embedder = _embedder(ws)
    done = sync(ws, _database(ws, embedder), embedder, seconds, progress, force)
    return Report(
        changed=done.written, removed=done.removed, same=done.same, pending=done.pending, unreadable=done.notes
    )


def embed(
    ws: Workspace, embedder: Embedder, force: bool, seconds: float | None, progress: Callable[[int, int], None] | None
) -> Embedded:
    """See `vectors.embed`: words and vectors of a file are written together here, of those that differ or of all."""
    from openclaw_memory.retrieval.postgres.sync import sync
    from openclaw_memory.retrieval.vectors import Embedded

    done = sync(ws, _database(ws, embedder), embedder, seconds, progress, force)
    if done.busy:
        raise RetrievalError(done.notes[0], "wait until it is done, and run embed again")
    return Embedded(computed=done.texts, pending=done.pending)


def cleanup(ws: Workspace) -> tuple[int, int]:
    """See `report.cleanup`: what the database holds of this workspace's that no file stands for, or another model made.

    The sizes are those of the table of passages, of all who share it.
    """
    from openclaw_memory.retrieval.postgres.upkeep import cleanup

    embedder = _embedder(ws)
    return cleanup(ws, _database(ws, embedder), embedder)


def files(ws: Workspace) -> list[tuple[str, str, str]]:
    """(collection, path, hash) of this workspace's files in the database."""
    return [(name, path, digest) for name, path, digest, *_ in _rows(ws)]


def listed(ws: Workspace) -> list[Listed]:
    """See `report.ls`."""
    from openclaw_memory.retrieval.report import Listed

    found = []
    for name, path, digest, stat, title in sorted(_rows(ws)):
        size, mtime, _ = map(int, stat.split())
        found.append(Listed(name, path, title, size, mtime, f"#{digest[:6]}"))
    return found


def status(ws: Workspace) -> Status:
    """See `report.status`; the size is that of the whole table, of all who share it."""
    from openclaw_memory.retrieval import collections as folders
    from openclaw_memory.retrieval.postgres.sync import standing
    from openclaw_memory.retrieval.report import Status

    embedder = _embedder(ws)
    database = _database(ws, embedder)
    rows = standing(ws, database, embedder)
    size, chunks, passages = database.held()
    held = sum(one.files for one in rows)
    warnings = folders.load(ws).warnings
    return Status(database.address, True, size, held, chunks, passages, 0, embedder.identity, rows, (), warnings)


def _rows(ws: Workspace) -> list[tuple[str, str, str, str, str]]:
    database = _database(ws, _embedder(ws))
    found = database.run(
        "SELECT collection, path, hash, stat, title FROM openclaw_memory_files"
        " WHERE model = :model AND agent = :agent AND workspace = :workspace",
        database.mine,
    )
    return [tuple(row) for row in found]


def _database(ws: Workspace, embedder: Embedder) -> Database:
    from openclaw_memory.retrieval.postgres.database import Database

    return Database(ws, embedder.identity, embedder.dimension)


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
    database = _database(ws, _embedder(ws))
    rows = database.run(sql, {"model": database.model, "collection": name, "path": path, "agent": agent})
    return str(rows[0][0]) if rows else None


def _embedder(ws: Workspace) -> Embedder:
    from openclaw_memory.retrieval import embedders

    found = embedders.load(ws.config.retrieval)
    if found is None:
        raise MissingExtraError("retrieval.store: postgresql needs an embedder, which", "local")
    return found
