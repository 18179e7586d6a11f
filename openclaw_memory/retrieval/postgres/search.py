"""Search in the database: it says which documents are worth a look, the embedded store's functions rank them.

Words by `postings`, meaning by `vectors`; what was found is taken to the `shelf`, and from there on legs, fusion,
priors, copies and snippets are those of the embedded store, with what words weigh in all that this agent may see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import aliases, catchup
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.aliases import Names
from openclaw_memory.retrieval.collections import Collections
from openclaw_memory.retrieval.document_query import QueryDocument, parse_document
from openclaw_memory.retrieval.hits import CHUNK_BITS, Answer, Freshness, Hit
from openclaw_memory.retrieval.hybrid import NO_VECTORS
from openclaw_memory.retrieval.indexed import lifted, names, places, triggered, triggered_files
from openclaw_memory.retrieval.lexical import listed
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.postgres import narrow, postings
from openclaw_memory.retrieval.postgres.model import Model
from openclaw_memory.retrieval.postgres.narrow import Sight
from openclaw_memory.retrieval.postgres.nearest import nearest
from openclaw_memory.retrieval.postgres.postings import Size
from openclaw_memory.retrieval.postgres.shelf import Shelf, shelf
from openclaw_memory.retrieval.postgres.sync import freshen
from openclaw_memory.retrieval.present import present
from openclaw_memory.retrieval.query import parse
from openclaw_memory.retrieval.rank import LEAST_DEPTH, SPARE, Ranked, asks, question, rank, reading
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.search import depth as depth_for
from openclaw_memory.retrieval.search import naming, unfit

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.embedders.base import Vectors
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.workspace import Workspace

_SENSE_DEPTH = 200
"""Passages that a question's meaning gives, whose documents are looked at."""


def search(ws: Workspace, text: str, options: Options, embedder: Embedder) -> Answer:
    """Passages by words and by meaning; `text` may be a query document."""
    return answer(ws, parse_document(text), options, embedder)


def answer(
    ws: Workspace, document: QueryDocument, options: Options, embedder: Embedder | None = None, only: bool = False
) -> Answer:
    """The passages this agent may see, by words and by meaning; `only` by meaning.

    Raises RetrievalError where the database is away, UsageError where `only` meaning is asked and cannot be had.
    """
    model = Model(ws, embedder)
    state = freshen(ws, model.database, options.budget, options.max_age)
    if embedder is None and options.budget > 0 and asks(document) and (first := catchup.first(ws, options.budget)):
        model = Model(ws, first)
    known, size = model.database, postings.size(model.database)
    reader, why_not = _reader(ws, model, document, size)
    if model.database.key != known.key:  # the model is not the one that the config's words for it stood for
        return answer(ws, document, options, reader, only)
    told = _Search(ws, known, document, options, size).run(state, reader, why_not, only)
    if told.fresh.state == "partial" and options.max_age:
        return answer(ws, document, options._replace(max_age=0.0), embedder, only)
    return told


def _reader(ws: Workspace, model: Model, document: QueryDocument, size: Size) -> tuple[Embedder | None, str]:
    """What reads the question, or why nothing does; loaded only where there is something to compare it with."""
    if not asks(document):
        return None, ""
    if not model.is_there:
        return None, model.why_not
    if not size.vectors:
        return None, NO_VECTORS
    return model.embedder(), model.why_not


class _Search:
    def __init__(
        self, ws: Workspace, database: Database, document: QueryDocument, options: Options, size: Size
    ) -> None:
        self._ws = ws
        self._database = database
        self._document = document
        self._options = options
        self._size = size
        self._asked = question(document)
        self._main = self._asked.main

    def run(self, state: Freshness, embedder: Embedder | None, why_not: str, only: bool) -> Answer:
        found, options, main, database = folders.load(self._ws), self._options, self._main, self._database
        limit = options.limit or self._ws.config.memory.limits.max_results
        alone = embedder is None and len(self._document.lex) == 1 and not self._document.intent
        depth = depth_for(options, limit) if alone else max(LEAST_DEPTH, SPARE * limit)
        seen = narrow.sight(self._ws, database, main.filters, options.collections, options.now)
        asked = self._asked.with_names(self._names(found))
        lines = asked.looked_up
        aim = [parse(self._document.intent)] if self._document.intent else []
        with reading(embedder, asked.texts) as read:  # the model reads while the words are looked up
            words = postings.look_up(database, seen, self._size, [*lines, *aim, *(one.held for one in asked.renamed)])
            docs = dict.fromkeys(doc for line in lines for doc in postings.candidates(words, line, depth))
            vectors_read, failed = _read(read)
        for vector in vectors_read[: len(vectors_read) - len(asked.renamed)]:
            docs |= dict.fromkeys(nearest(database, seen, vector, _SENSE_DEPTH, self._size.vectors))
        if not only:
            docs |= dict.fromkeys(self._triggered(found, seen))
        if main.lists:
            docs = dict.fromkeys(narrow.listing(database, seen, 2 * depth))
        why_not = why_not or failed
        if only and why_not:
            raise UsageError(why_not, "openclaw-memory search looks by words")
        taken = shelf(self._ws, database)
        with taken.lock:
            within = self._within(taken, seen, list(docs), embedder if vectors_read else None)
            said = triggered_files(taken.db, self._ws, found, main) if asked.renamed else ()
            lift = partial(lifted, taken.db, self._ws, found, within, main, size=words.size) if not only else list
            if main.lists:
                ranked = Ranked(listed(taken.db, within), ("lexical",))
            else:
                ranked = rank(taken.db, asked, within, depth, lambda: vectors_read, lift, words.size, said)
            every = Collections((*found.all, *taken.collections()), found.notes, found.warnings)
            none = unfit(Scope(frozenset())) if seen.documents == [] else ()
            unsaid = not why_not or self._ws.config.retrieval.embedder == "none"  # who wants words only knows
            notes = (*none, *(() if unsaid else (f"{why_not}; this answer is by words",)))
            best, legs = ranked.candidates, ranked.legs
            told = present(taken.db, self._ws, every, main, best, options, state, legs, notes, taken.shared)
            return told._replace(hits=tuple(_of(taken, hit) for hit in told.hits))

    def _names(self, found: Collections) -> list[Names]:
        """What is called by several names: see `retrieval.search.named`."""
        lines = self._asked.named
        given = narrow.named(self._database, naming(found, self._options, lines), aliases.typed(lines))
        return [*given, *names(self._ws, lines)]

    def _within(self, taken: Shelf, seen: Sight, docs: list[str], embedder: Embedder | None) -> Scope:
        baseline = self._database.baseline(embedder) if embedder is not None else None
        numbers = taken.take(self._database, docs, baseline)
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


def _read(read: Callable[[], list[Vectors]]) -> tuple[list[Vectors], str]:
    """The vectors of the question, or why there are none."""
    try:
        return read(), ""
    except OpenClawMemoryError as error:
        return [], error.message


def _of(taken: Shelf, hit: Hit) -> Hit:
    """A hit as it is shown: with the agent who shares it."""
    home = taken.homes.get(hit.collection)
    if home is None:
        return hit
    return hit._replace(collection=home.collection, agent=home.agent, context=f"shared by the agent {home.agent}")
