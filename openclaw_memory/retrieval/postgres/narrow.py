"""What a query may find in the database: whose documents, which collections, what its operators let through."""

from __future__ import annotations

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.aliases import Name, Names
from openclaw_memory.retrieval.heats import Fact, Heats
from openclaw_memory.retrieval.paths import below
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.postgres.rows import restored
from openclaw_memory.retrieval.query import Filters
from openclaw_memory.retrieval.scope import abouts, fitting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openclaw_memory.workspace import Workspace

OWN = "(f.agent = %(agent)s AND f.workspace = %(workspace)s)"
SEEN = f"f.model = %(model)s AND (f.shared OR {OWN})"
"""The files `f` that this agent may see; what terms weigh is reckoned from all of them."""
INSIDE = f"""
(NOT {OWN} OR f.collection <> ALL (CAST(%(aside)s AS text[])))
AND (CAST(%(names)s AS text[]) IS NULL OR f.collection = ANY (CAST(%(names)s AS text[])))
AND (CAST(%(docs)s AS text[]) IS NULL OR f.doc = ANY (CAST(%(docs)s AS text[])))
"""
_FILES = f"""
SELECT doc, collection, path, kind, tags, date, {OWN} AS own FROM openclaw_memory_files f WHERE {SEEN}
ORDER BY date DESC, path, collection
"""
_FACTS = f"""
SELECT d.doc, split_part(d.node_id, '-', 3), metadata_->'fact' FROM {{table}} d
JOIN openclaw_memory_files f ON f.doc = d.doc
WHERE f.model = %(model)s AND {OWN} AND lower(f.path) LIKE '%%.json' AND metadata_->'fact' IS NOT NULL
"""
_NAMES = f"""
SELECT names FROM openclaw_memory_files f
WHERE {SEEN} AND (NOT {OWN} OR f.collection = ANY (%(naming)s))
AND EXISTS (SELECT 1 FROM jsonb_array_elements(f.names) AS one WHERE one->>0 = ANY (%(typed)s))
"""


class Sight(Record):
    """What may be found: all that this agent sees in collections, or only `documents` (the newest first) of it."""

    names: tuple[str, ...]
    """The collections that were asked for; none: those of its own that are not left `aside`, and what others share."""
    aside: tuple[str, ...]
    documents: list[str] | None = None
    facts: Mapping[str, frozenset[int]] = {}
    """Of these documents only these chunks."""

    def holds(self, collection: str, doc: str) -> bool:
        """Whether a document of this workspace may be found."""
        wanted = collection in self.names if self.names else collection not in self.aside
        return wanted and (self.documents is None or doc in self.documents)

    def values(self, database: Database) -> dict[str, object]:
        """What `inside` and `SEEN` need."""
        names = list(self.names) or None
        return {**database.mine, "aside": list(self.aside), "names": names, "docs": self.documents}


def sight(ws: Workspace, database: Database, filters: Filters, names: tuple[str, ...], now: str = "") -> Sight:
    """What the operators and the collections `names` let through. Raises UsageError for an unknown collection.

    Another agent's files have no heat here, and stand below nothing.
    """
    found = folders.load(ws)
    names = (*names, *filters.collection)
    known = {one.name for one in found.all}
    for name in names:
        if name not in known and not _shared_by_others(database, name):
            found.named(name)  # says which there are
    aside = () if names else tuple(one.name for one in found.all if one.low_trust or not one.included)
    seen = Sight(names, aside)
    if filters._replace(collection=()) == Filters():
        return seen
    homes = {one.name: below(ws.root, one.root) for one in found.all}
    rels: dict[str, str] = {}
    rows: list[tuple[str, str, str, str, str, str, bool]] = []
    for doc, collection, name, kind, tags, day, own in database.run(_FILES, database.mine):
        if (names and collection not in names) or (own and collection in aside):
            continue
        path = restored(name)
        rels[doc] = homes[collection](path) if own and collection in homes else path
        rows.append((doc, collection, path, kind, tags, day, own))
    warmth = Heats(ws, now) if filters.heat else None
    facts = _facts(database) if warmth else {}
    documents: list[str] = []
    some: dict[str, frozenset[int]] = {}
    for one in fitting(ws, filters, abouts(rows), lambda one: rels[one.file]):
        doc, rel = one.file, rels[one.file]
        if warmth and doc in facts:
            warm = frozenset(at for at, fact in facts[doc].items() if warmth.of_fact(rel, fact) in filters.heat)
            if not warm:
                continue
            some[doc] = warm
        elif warmth and not (one.own and warmth.of_file(rel) in filters.heat):
            continue
        documents.append(doc)
    return seen._replace(documents=documents, facts=some)


def named(database: Database, naming: list[str], typed: list[str]) -> list[Names]:
    """The names of what has one of `typed`, as its own collections `naming` have them and those that others share."""
    rows = database.run(_NAMES, {**database.mine, "naming": naming, "typed": typed})
    return [tuple(Name(*one) for one in names) for (names,) in rows]


def listing(database: Database, seen: Sight, limit: int) -> list[str]:
    """The first documents of what may be found, the newest first."""
    if seen.documents is not None:
        return seen.documents[:limit]
    sql = f"SELECT doc FROM openclaw_memory_files f WHERE {SEEN} AND {INSIDE} AND chunks > 0"
    order = "ORDER BY date DESC, path, collection LIMIT %(limit)s"
    return [doc for (doc,) in database.run(f"{sql} {order}", {**seen.values(database), "limit": limit})]


def _facts(database: Database) -> dict[str, dict[int, Fact]]:
    """The facts of this workspace: those of each document by their chunk."""
    found: dict[str, dict[int, Fact]] = {}
    for doc, chunk, fact in database.run(_FACTS.format(table=database.table), database.mine):
        found.setdefault(doc, {})[int(chunk)] = Fact(*fact)
    return found


def _shared_by_others(database: Database, name: str) -> bool:
    sql = "SELECT 1 FROM openclaw_memory_files WHERE model = %(model)s AND collection = %(name)s AND shared LIMIT 1"
    return bool(database.run(sql, {"model": database.model, "name": name}))
