"""Where the embedded store's functions hand over to the database: one question (`is_on`) and one function for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openclaw_memory.errors import MissingExtraError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.hits import Answer
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
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.retrieval.postgres.sync import sync
    from openclaw_memory.retrieval.update import Report

    embedder = _embedder(ws)
    database = Database(ws, embedder.identity, embedder.dimension)
    try:
        done = sync(ws, database, embedder, seconds, progress)
    finally:
        database.close()
    return Report(
        changed=done.written, removed=done.removed, same=done.same, pending=done.pending, unreadable=done.notes
    )


def body(ws: Workspace, collection: str, path: str) -> str | None:
    """The text of a file that another agent shares, or None."""
    from openclaw_memory.retrieval.postgres.database import Database

    embedder = _embedder(ws)
    database = Database(ws, embedder.identity, embedder.dimension)
    sql = (
        "SELECT body FROM openclaw_memory_files"
        " WHERE model = :model AND collection = :collection AND path = :path AND shared ORDER BY agent LIMIT 1"
    )
    try:
        rows = database.run(sql, {"model": database.model, "collection": collection, "path": path})
    finally:
        database.close()
    return str(rows[0][0]) if rows else None


def _embedder(ws: Workspace) -> Embedder:
    from openclaw_memory.retrieval import embedders

    found = embedders.load(ws.config.retrieval)
    if found is None:
        raise MissingExtraError("retrieval.store: postgresql needs an embedder, which", "local")
    return found
