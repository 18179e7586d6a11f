"""Search in the database: it says which documents are worth a look, the embedded store's functions rank them.

Words by `postings`, meaning by PGVectorStore; what was found is taken to the `shelf`, and from there on legs, fusion,
priors, copies and snippets are those of the embedded store, with what words weigh in all that this agent may see.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.collections import Collections
from openclaw_memory.retrieval.document_query import QueryDocument, parse_document
from openclaw_memory.retrieval.hits import CHUNK_BITS, Answer, Freshness, Hit
from openclaw_memory.retrieval.hybrid import Ranked, asks, question, rank
from openclaw_memory.retrieval.indexed import lifted, places, triggered
from openclaw_memory.retrieval.lexical import listed
from openclaw_memory.retrieval.postgres import narrow, nodes, postings
from openclaw_memory.retrieval.postgres.database import Database, unreachable
from openclaw_memory.retrieval.postgres.narrow import Sight
from openclaw_memory.retrieval.postgres.shelf import Shelf, shelf
from openclaw_memory.retrieval.postgres.sync import sync
from openclaw_memory.retrieval.query import parse
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.search import Options, present, unfit

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.embedders.base import Vectors
    from openclaw_memory.workspace import Workspace

_DEPTH = 40
_SPARE = 3
"""Passages that words give: at least, and for each result."""
_SENSE_DEPTH = 200
"""Passages that a question's meaning gives, whose documents are looked at."""


def search(ws: Workspace, text: str, options: Options, embedder: Embedder) -> Answer:
    """Passages by words and by meaning; `text` may be a query document."""
    return answer(ws, parse_document(text), options, embedder)


def answer(
    ws: Workspace,
    document: QueryDocument,
    options: Options,
    embedder: Embedder,
    depth: int = 0,
    lift: bool = True,
) -> Answer:
    """The passages this agent may see, `depth` of them by words. Raises RetrievalError where the database is away.

    `lift`: what the index says of this workspace's files counts.
    """
    from sqlalchemy.exc import SQLAlchemyError

    database = Database(ws, embedder.identity, embedder.dimension)
    state = _freshen(ws, database, embedder, options)
    try:
        told = _Search(ws, database, document, options, embedder).run(state, depth, lift)
    except SQLAlchemyError as error:
        raise unreachable(ws.config.retrieval.store, error) from error
    if told.fresh.state == "partial" and options.max_age:
        return answer(ws, document, options._replace(max_age=0.0), embedder, depth, lift)
    return told


class _Look(Record):
    at: float
    collections: tuple[folders.Collection, ...]


_looks: dict[tuple[str, ...], _Look] = {}
"""When all of a workspace was last seen to be in the database, for processes that stay."""


def _freshen(ws: Workspace, database: Database, embedder: Embedder, options: Options) -> Freshness:
    if options.budget <= 0:
        return Freshness("unchecked")
    now, found = time.monotonic(), folders.load(ws).all
    last = _looks.get(database.key)
    if last and now - last.at < options.max_age and last.collections == found:
        return Freshness("fresh")
    done = sync(ws, database, embedder, min(options.budget, ws.config.memory.limits.timeout_ms / 2000))
    if done.busy or done.pending or done.notes:
        _looks.pop(database.key, None)
    else:
        _looks[database.key] = _Look(now, found)
    return Freshness("stale" if done.busy else "partial" if done.pending else "fresh", done.pending, done.notes)


class _Search:
    def __init__(
        self, ws: Workspace, database: Database, document: QueryDocument, options: Options, embedder: Embedder
    ) -> None:
        self._ws = ws
        self._database = database
        self._document = document
        self._options = options
        self._embedder = embedder
        self._asked = question(document)
        self._main = self._asked.main
        self._limit = options.limit or ws.config.memory.limits.max_results

    def run(self, state: Freshness, depth: int, lift: bool) -> Answer:
        found = folders.load(self._ws)
        database, main, options = self._database, self._main, self._options
        seen = narrow.sight(self._ws, database, main.filters, options.collections, options.now)
        depth = depth or max(_DEPTH, _SPARE * self._limit)
        lines = self._asked.lines
        aim = [parse(self._document.intent)] if self._document.intent else []
        words = postings.look_up(database, seen, [*lines, *aim])
        vectors = [self._embedder.embed_query(text) for text in asks(self._document)]
        docs = dict.fromkeys(doc for line in lines for doc in postings.candidates(words, line, depth))
        docs |= dict.fromkeys(doc for vector in vectors for doc in self._by_sense(vector, seen))
        if lift:
            docs |= dict.fromkeys(self._triggered(found, seen))
        if main.lists:
            docs = dict.fromkeys(narrow.listing(database, seen, 2 * depth))
        taken = shelf(self._ws, database)
        with taken.lock:
            within = self._within(taken, seen, list(docs))
            said = partial(lifted, taken.db, self._ws, found, within, main, size=words.size) if lift else list
            if main.lists:
                ranked = Ranked(listed(taken.db, within), ("lexical",))
            else:
                ranked = rank(taken.db, self._asked, within, depth, lambda: vectors, said, words.size)
            every = Collections((*found.all, *taken.collections()), found.notes, found.warnings)
            none = unfit(Scope(frozenset())) if seen.documents == [] else ()
            best, legs = ranked.candidates, ranked.legs
            told = present(taken.db, self._ws, every, main, best, options, state, legs, none, taken.shared)
            return told._replace(hits=tuple(_of(taken, hit) for hit in told.hits))

    def _within(self, taken: Shelf, seen: Sight, docs: list[str]) -> Scope:
        numbers = taken.take(self._database, docs, self._database.baseline(self._embedder))
        some = {
            numbers[doc]: frozenset(numbers[doc] << CHUNK_BITS | chunk for chunk in chunks)
            for doc, chunks in seen.facts.items()
            if doc in numbers
        }
        return Scope(frozenset(numbers.values()), some)

    def _triggered(self, found: Collections, seen: Sight) -> Iterator[str]:
        """The documents of this workspace that have a trigger in the query, as far as they may be found."""
        for rel in triggered(self._ws, self._main):
            for name, path in places(self._ws, found, rel):
                doc = self._database.doc(name, path)
                if seen.holds(name, doc):
                    yield doc

    def _by_sense(self, vector: Vectors, seen: Sight) -> list[str]:
        from llama_index.core.vector_stores.types import VectorStoreQuery

        asked = VectorStoreQuery(
            query_embedding=[float(value) for value in vector],
            similarity_top_k=_SENSE_DEPTH,
            filters=seen.filters(self._database),
        )
        return [nodes.parts(name)[0] for name in self._database.store.query(asked).ids or () if name.count("-") > 2]


def _of(taken: Shelf, hit: Hit) -> Hit:
    """A hit as it is shown: with the agent who shares it."""
    home = taken.homes.get(hit.collection)
    if home is None:
        return hit
    return hit._replace(collection=home.collection, agent=home.agent, context=f"shared by the agent {home.agent}")
