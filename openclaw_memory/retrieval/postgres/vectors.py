"""Vectors in the database: which passages lack one, and computing them.

A passage that has none yet has a row of zeros, which no search by meaning looks at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from openclaw_memory.errors import RetrievalError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import read
from openclaw_memory.retrieval.index import Source, describe
from openclaw_memory.retrieval.postgres import nearest, nodes
from openclaw_memory.retrieval.postgres.rows import restored, stat_of
from openclaw_memory.retrieval.vectors import Embedded

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.postgres.database import Database

_AT_ONCE = 16
"""Files whose texts a model reads together."""
_OWN = "model = %(model)s AND agent = %(agent)s AND workspace = %(workspace)s"
_LEFT = f"SELECT COUNT(*) FROM openclaw_memory_files WHERE {_OWN} AND NOT embedded AND chunks > 0"
_UNREAD = f"SELECT SUM(passages) FROM openclaw_memory_files WHERE {_OWN} HAVING NOT bool_or(embedded AND chunks > 0)"
_TODO = f"""
SELECT doc, collection, path, hash, stat, shared, kind, body FROM openclaw_memory_files
WHERE {_OWN} AND NOT embedded AND chunks > 0 AND doc <> ALL (%(tried)s) ORDER BY collection, path LIMIT %(limit)s
"""
_FORGET = f"UPDATE openclaw_memory_files SET embedded = false WHERE {_OWN}"
_HELD = """
SELECT metadata_->>'key', CAST(embedding AS real[]) FROM {table}
WHERE doc = ANY (%(docs)s) AND metadata_->>'key' = ANY (%(keys)s) AND vector_norm(embedding) > 0
"""
_LACKING = """
SELECT node_id FROM {table} WHERE doc = ANY (%(docs)s) AND (%(force)s OR vector_norm(embedding) = 0)
"""
_SET = """
UPDATE {table} AS held SET embedding = CAST(new.vector AS vector) FROM unnest(%(docs)s, %(names)s, %(vectors)s)
AS new (doc, name, vector) WHERE held.doc = new.doc AND held.node_id = new.name
"""
_DONE = """
UPDATE openclaw_memory_files AS file SET embedded = true
FROM unnest(%(docs)s, %(hashes)s, %(shared)s) AS new (doc, hash, shared)
WHERE (file.doc, file.hash, file.shared) = (new.doc, new.hash, new.shared)
"""


def left(database: Database) -> int:
    """How many files of this workspace have passages without a vector."""
    return int(database.run(_LEFT, database.mine)[0][0])


def unread(database: Database) -> int:
    """The passages of this workspace where none has a vector; 0 where some have."""
    rows = database.run(_UNREAD, database.mine)
    return int(rows[0][0]) if rows else 0


def held(database: Database, docs: Iterable[str], keys: Iterable[str]) -> dict[str, nodes.Vector]:
    """The vectors of the texts `keys` that passages of `docs` have."""
    rows = database.run(_HELD.format(table=database.table), {"docs": list(docs), "keys": list(keys)})
    return dict(rows)


def none(database: Database) -> nodes.Vector:
    """What stands in place of a vector."""
    return [0.0] * database.dimension


def embed(
    database: Database,
    embedder: Embedder,
    force: bool = False,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Compute the vectors that are missing; with `force` all of them. Can be stopped at any point.

    Raises RetrievalError where another process does, or the database does not answer.
    """
    with database.embedding() as mine:
        if not mine:
            raise RetrievalError(
                "another process computes this workspace's vectors", "wait until it is done, and run embed again"
            )
        if force:
            database.run(_FORGET, database.mine)
        until = None if seconds is None else time.monotonic() + seconds
        total, tried, computed = left(database), [""], 0
        while len(tried) == 1 or until is None or time.monotonic() < until:  # at least once, or a slow one gets nowhere
            values = {**database.mine, "tried": tried, "limit": _AT_ONCE if until is None else 1}
            rows = database.run(_TODO, values)
            if not rows:
                break
            computed += _fill(database, embedder, rows, force)
            tried += [row[0] for row in rows]
            if progress:
                progress(len(tried) - 1, total)
        if until is None:
            nearest.index(database)
        return Embedded(computed=computed, pending=left(database))


def _fill(database: Database, embedder: Embedder, rows: Sequence[tuple[str, ...]], force: bool) -> int:
    """Compute what some files lack, in texts. A file that changed meanwhile is left for the next run."""
    docs = [row[0] for row in rows]
    lacking = database.run(_LACKING.format(table=database.table), {"docs": docs, "force": force})
    wanted = {name for (name,) in lacking}
    texts: dict[str, str] = {}
    for doc, collection, path, digest, stat, shared, kind, body in rows:
        page = read.page_of(body, restored(path))
        source = Source(collection, restored(path), stat_of(stat), digest, kind, page)
        state = nodes.version(digest, bool(shared))
        for passage in nodes.passages(page, source, describe(source)):
            name = nodes.name(doc, state, passage.chunk, passage.atom)
            if name in wanted:
                texts[name] = passage.embedded
    vectors = [nearest.text(row) for row in embedder.embed_documents(list(texts.values()))] if texts else []
    with database.transaction() as cursor:
        if texts:
            values = {"docs": [nodes.parts(name)[0] for name in texts], "names": list(texts), "vectors": vectors}
            cursor.execute(_SET.format(table=database.table), values)
        cursor.execute(_DONE, {"docs": docs, "hashes": [row[3] for row in rows], "shared": [row[5] for row in rows]})
    return len(texts)
