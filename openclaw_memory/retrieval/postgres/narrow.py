"""The operators of a query on the database: which documents and passages may be found. Narrowed before ranking."""

from __future__ import annotations

from typing import Any

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.analyse import terms_of
from openclaw_memory.retrieval.heats import Fact, Heats
from openclaw_memory.retrieval.postgres import nodes
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.query import Filters, Query
from openclaw_memory.retrieval.scope import About, fits, relative

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from openclaw_memory.workspace import Workspace

_SEEN = """
SELECT doc, collection, path, kind, tags, date, agent = :agent AND workspace = :workspace AS own
FROM openclaw_memory_files
WHERE model = :model AND (shared OR (agent = :agent AND workspace = :workspace))
ORDER BY date DESC, path, collection
"""


_FACTS = """
SELECT metadata_->>'doc', metadata_->>'place', metadata_->'fact' FROM {table}
WHERE metadata_->>'owner' = :owner AND metadata_->>'workspace' = :workspace AND metadata_->>'place' IS NOT NULL
"""


class Fitting(Record):
    """What may be found: documents, the newest first; of those in `facts`, these passages alone."""

    documents: list[str]
    facts: dict[str, list[str]]


def fitting(
    ws: Workspace, database: Database, filters: Filters, names: tuple[str, ...], now: str = ""
) -> Fitting | None:
    """What fits in the collections `names` (all for none); None where everything does.

    Another agent's files have no heat here, and stand below nothing.
    """
    if filters == Filters():
        return None
    roots = {one.name: one.root for one in folders.load(ws).all}
    warmth = Heats(ws, now) if filters.heat else None
    facts = _facts(database) if warmth else {}
    found = Fitting([], {})
    for doc, collection, path, kind, tags, day, own in database.run(_SEEN, database.mine):
        rel = relative(ws.root, roots[collection], path) if own and collection in roots else path
        if (names and collection not in names) or not fits(ws, filters, About(path, rel, kind, tags, day)):
            continue
        if warmth and doc in facts:
            warm = [place for place, fact in facts[doc].items() if warmth.of_fact(rel, fact) in filters.heat]
            if not warm:
                continue
            found.facts[doc] = warm
        elif warmth and not (own and warmth.of_file(rel) in filters.heat):
            continue
        found.documents.append(doc)
    return found


def _facts(database: Database) -> dict[str, dict[str, Fact]]:
    """The facts of this workspace: those of each document by their place."""
    values = {"owner": database.owner, "workspace": database.workspace}
    found: dict[str, dict[str, Fact]] = {}
    for doc, place, fact in database.run(_FACTS.format(table=database.table), values):
        found.setdefault(doc, {})[place] = Fact(*fact)
    return found


def holds(query: Query, shown: dict[str, Any], terms: AbstractSet[str]) -> bool:
    """Whether a passage has every phrase of the query, in its text or above it, and no word that is excluded."""
    if any(nodes.word(text) in terms for text in query.excluded):
        return False
    texts = [terms_of(shown[part]).main for part in ("passage", "title", "heading")] if query.phrases else []
    return all(any(_runs(main, phrase) for main in texts) for phrase in query.phrases)


def _runs(main: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(main[at : at + size] == phrase for at in range(len(main) - size + 1))
