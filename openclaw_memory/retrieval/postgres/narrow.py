"""The operators of a query on the database: which documents and passages may be found. Narrowed before ranking."""

from __future__ import annotations

from typing import Any

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.analyse import terms_of
from openclaw_memory.retrieval.postgres import nodes
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.query import Filters, Query
from openclaw_memory.retrieval.scope import About, fits, heats, relative

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from openclaw_memory.workspace import Workspace

_SEEN = """
SELECT doc, collection, path, kind, tags, date, agent = :agent AND workspace = :workspace AS own
FROM openclaw_memory_files
WHERE model = :model AND (shared OR (agent = :agent AND workspace = :workspace))
ORDER BY date DESC, path, collection
"""


def documents(ws: Workspace, database: Database, filters: Filters, names: tuple[str, ...]) -> list[str] | None:
    """The documents that fit, the newest first, in the collections `names` (all for none); None where all do.

    Another agent's files have no heat here, and stand below nothing.
    """
    if filters == Filters():
        return None
    roots = {one.name: one.root for one in folders.load(ws).all}
    warmth = heats(ws) if filters.heat else {}
    fitting = []
    for doc, collection, path, kind, tags, day, own in database.run(_SEEN, database.mine):
        rel = relative(ws.root, roots[collection], path) if own and collection in roots else path
        about = About(path, rel, kind, tags, day, warmth.get(rel, "") if own else "")
        if (not names or collection in names) and fits(ws, filters, about):
            fitting.append(doc)
    return fitting


def holds(query: Query, shown: dict[str, Any], terms: AbstractSet[str]) -> bool:
    """Whether a passage has every phrase of the query, in its text or above it, and no word that is excluded."""
    if any(nodes.word(text) in terms for text in query.excluded):
        return False
    texts = [terms_of(shown[part]).main for part in ("passage", "title", "heading")] if query.phrases else []
    return all(any(_runs(main, phrase) for main in texts) for phrase in query.phrases)


def _runs(main: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(main[at : at + size] == phrase for at in range(len(main) - size + 1))
