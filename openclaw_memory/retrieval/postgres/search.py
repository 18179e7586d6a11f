"""Search in the database: words and vectors by PGVectorStore, scores on our absolute scale, fused as everywhere.

PostgreSQL's `ts_rank` grows with the length of a text and cannot be compared between queries, so a passage found by
words is scored by the share of the query's weight that it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.fuse import fuse
from openclaw_memory.retrieval.hits import Answer, Candidate, Freshness, Hit
from openclaw_memory.retrieval.postgres import narrow, nodes
from openclaw_memory.retrieval.postgres.database import Database, unreachable
from openclaw_memory.retrieval.postgres.sync import sync
from openclaw_memory.retrieval.query import Query, parse
from openclaw_memory.retrieval.search import Options

if TYPE_CHECKING:
    from llama_index.core.vector_stores import MetadataFilters

    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.postgres.narrow import Fitting
    from openclaw_memory.workspace import Workspace

_DEPTH = 100


class _Found(Record):
    """A passage that a leg found."""

    shown: dict[str, Any]
    terms: frozenset[str]
    cosine: float


def search(
    ws: Workspace, text: str, options: Options, embedder: Embedder, legs: Sequence[str] = ("lexical", "vector")
) -> Answer:
    """The passages this agent may see, by `legs`. Raises RetrievalError where the database does not answer."""
    database = Database(ws, embedder.identity, embedder.dimension)
    try:
        state = _freshen(ws, database, embedder, options.budget)
        return _answer(ws, database, parse(text), options, embedder, legs, state)
    finally:
        database.close()


def _freshen(ws: Workspace, database: Database, embedder: Embedder, seconds: float) -> Freshness:
    if seconds <= 0:
        return Freshness("unchecked")
    done = sync(ws, database, embedder, seconds)
    return Freshness("stale" if done.busy else "partial" if done.pending else "fresh", done.pending, done.notes)


def _answer(
    ws: Workspace,
    database: Database,
    query: Query,
    options: Options,
    embedder: Embedder,
    legs: Sequence[str],
    state: Freshness,
) -> Answer:
    from sqlalchemy.exc import SQLAlchemyError

    asked = (*options.collections, *query.filters.collection)
    fitting = narrow.fitting(ws, database, query.filters, asked, options.now)
    scope = _scope(ws, database, asked, fitting)
    try:
        if query.lists:
            return Answer(_hits(ws, _listed(database, fitting, scope), options), state, ("lexical",))
        by_words = _by_words(database, query, scope) if "lexical" in legs and query.terms else {}
        by_sense = _by_sense(database, embedder, query, scope) if "vector" in legs else {}
    except SQLAlchemyError as error:
        raise unreachable(ws.config.retrieval.store, error) from error
    found = {**by_words, **by_sense}
    numbers = {name: number for number, name in enumerate(sorted(found))}
    words = [
        Candidate(numbers[name], share, {"words": share}, share > 0.999)
        for name, one in by_words.items()
        if (share := _share(query, one.terms)) > 0
    ]
    sense = [Candidate(numbers[name], max(0.0, one.cosine)) for name, one in by_sense.items() if one.cosine > 0]
    ranked = fuse(_sorted(words), _sorted(sense))
    names = {number: name for name, number in numbers.items()}
    hits = _hits(ws, ((found[names[one.passage]].shown, one) for one in ranked), options)
    used = tuple(leg for leg, there in (("lexical", by_words), ("vector", by_sense)) if there)
    return Answer(hits, state, used)


def _sorted(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: (-one.score, one.passage))


def _share(query: Query, terms: frozenset[str]) -> float:
    total = sum(term.weight for term in query.terms)
    return sum(term.weight for term in query.terms if nodes.word(term.text) in terms) / total


def _scope(ws: Workspace, database: Database, names: Sequence[str], fitting: Fitting | None) -> MetadataFilters:
    """What this agent may see: its own workspace, and what others share; of that the collections `names`.

    Without names, those of its own that a search looks into by default. `fitting`: only this.
    """
    from llama_index.core.vector_stores import FilterCondition, MetadataFilters

    every = folders.load(ws).all
    aside = [] if names else [one.name for one in every if one.low_trust or not one.included]
    left_out = (("folder", "!=", nodes.folder(name)) for name in aside)
    own = nodes.both(("owner", "==", database.owner), ("workspace", "==", database.workspace), *left_out)
    may = MetadataFilters(filters=[own, nodes.both(("shared", "==", "yes"))], condition=FilterCondition.OR)
    if fitting is not None:
        whole = nodes.among("doc", [doc for doc in fitting.documents if doc not in fitting.facts])
        facts = nodes.among("place", [place for places in fitting.facts.values() for place in places])
        either = MetadataFilters(filters=[whole, facts], condition=FilterCondition.OR)
        may = MetadataFilters(filters=[may, either])
    if not names:
        return may
    known = {one.name for one in every}
    for name in names:
        if name not in known and not _shared_by_others(database, name):
            folders.load(ws).named(name)  # says which there are
    chosen = [nodes.both(("folder", "==", nodes.folder(name))) for name in names]
    asked = MetadataFilters(filters=list(chosen), condition=FilterCondition.OR)
    return MetadataFilters(filters=[may, asked])


def _shared_by_others(database: Database, name: str) -> bool:
    sql = "SELECT 1 FROM openclaw_memory_files WHERE model = :model AND collection = :name AND shared LIMIT 1"
    return bool(database.run(sql, {"model": database.model, "name": name}))


def _by_words(database: Database, query: Query, scope: MetadataFilters) -> dict[str, _Found]:
    from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode

    text = " ".join(nodes.word(term.text) for term in query.terms)
    asked = VectorStoreQuery(query_str=text, sparse_top_k=_DEPTH, filters=scope, mode=VectorStoreQueryMode.TEXT_SEARCH)
    return _run(database, asked, query)


def _by_sense(database: Database, embedder: Embedder, query: Query, scope: MetadataFilters) -> dict[str, _Found]:
    from llama_index.core.vector_stores.types import VectorStoreQuery

    vector = [float(value) for value in embedder.embed_query(query.text)]
    return _run(database, VectorStoreQuery(query_embedding=vector, similarity_top_k=_DEPTH, filters=scope), query)


def _run(database: Database, asked: Any, query: Query) -> dict[str, _Found]:
    result = database.store.query(asked)
    rows = zip(result.nodes or (), result.similarities or (), strict=True)
    found = {node.node_id: _Found(node.metadata, frozenset(node.get_content().split()), score) for node, score in rows}
    return {name: one for name, one in found.items() if narrow.holds(query, one.shown, one.terms)}


def _listed(
    database: Database, fitting: Fitting | None, scope: MetadataFilters
) -> list[tuple[dict[str, Any], Candidate]]:
    """What stands for each document that fits, in their order: its first passage, or its facts that fit."""
    if fitting is None or not fitting.documents:
        return []
    held: dict[str, list[dict[str, Any]]] = {}
    for node in database.store.get_nodes(filters=scope):
        held.setdefault(node.metadata["doc"], []).append(node.metadata)
    shown = []
    for doc in fitting.documents:
        passages = sorted(held.get(doc, ()), key=lambda one: int(one["first"]))
        shown += passages if doc in fitting.facts else passages[:1]
    return [(one, Candidate(0, 1.0, exact=True)) for one in shown]


def _hits(ws: Workspace, ranked: Iterable[tuple[dict[str, Any], Candidate]], options: Options) -> tuple[Hit, ...]:
    """The best hits; passages of this workspace whose file is gone from disk are left out."""
    limit = options.limit or ws.config.memory.limits.max_results
    chars = options.snippet_chars or ws.config.memory.limits.max_snippet_chars
    known = {one.name: one for one in folders.load(ws).all}
    mine = Database.name_of(ws)
    hits: list[Hit] = []
    seen: set[str] = set()
    for shown, one in ranked:
        if (one.score < options.min_score and not one.exact) or (options.by_file and shown["doc"] in seen):
            continue
        own = shown["workspace"] == mine and shown["agent"] == ws.config.retrieval.agent
        home = known.get(shown["collection"]) if own else None
        if own and (home is None or not (home.root / shown["path"]).is_file()):
            continue
        seen.add(shown["doc"])
        hits.append(_hit(shown, one, chars, "" if own else shown["agent"], options.explain))
        if len(hits) == limit:
            break
    return tuple(hits)


def _hit(shown: dict[str, Any], one: Candidate, chars: int, agent: str, explain: bool) -> Hit:
    return Hit(
        collection=shown["collection"],
        path=shown["path"],
        start_line=shown["first"],
        end_line=shown["last"],
        line=shown["first"],
        title=shown["title"],
        heading=shown["heading"],
        score=round(one.score, 4),
        snippet=shown["passage"][:chars],
        context=f"shared by the agent {agent}" if agent else "",
        id=f"#{shown['hash'][:6]}",
        explain=one.steps if explain else {},
        agent=agent,
    )
