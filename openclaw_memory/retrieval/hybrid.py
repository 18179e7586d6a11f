"""Search by words and meaning together, and by meaning alone. The model is loaded only when vectors are there.

A leg that cannot be had (no embedder, no vectors, another model's vectors, a model that does not load) is left out,
and the answer says so once; words always answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import aside, catchup, store, vectors
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.aliases import Names
from openclaw_memory.retrieval.document_query import QueryDocument, parse_document
from openclaw_memory.retrieval.fuse import fuse
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Answer, Candidate
from openclaw_memory.retrieval.indexed import lifted, triggered_files
from openclaw_memory.retrieval.lexical import Statistics, lexical
from openclaw_memory.retrieval.options import DEFAULTS, Options
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.present import present
from openclaw_memory.retrieval.query import Query, parse
from openclaw_memory.retrieval.required import required
from openclaw_memory.retrieval.scope import Scope, scope
from openclaw_memory.retrieval.search import depth, freshness, named, nothing, unfit
from openclaw_memory.retrieval.variants import Variant, found_by_names, meant_by_names, variants

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.embedders.base import Vectors
    from openclaw_memory.workspace import Workspace

LEAST_DEPTH = 40
SPARE = 3
"""Passages a leg gives: at least, and for each result."""
_SENSE_DEPTH = 200
_LATER = 0.85
"""What a further line of a query document counts beside the first, which is the question itself."""
_INTENT = 0.25
"""What the `intent:` of a query document counts beside the question."""
NO_VECTORS = "no vectors are in the index: `openclaw-memory embed` computes them"


def query(ws: Workspace, text: str, options: Options = DEFAULTS, embedder: Embedder | None = None) -> Answer:
    """Passages by words and by meaning; `text` may be a query document. `embedder`: the config's if not given.

    Where the config says so, a model adds other words first (`expand`), and one reorders the first hits (`rerank`).
    """
    document, said = parse_document(text), ""
    wanted = ws.config.retrieval
    if wanted.expand and (document.lex or document.vec):
        from openclaw_memory.retrieval.expand import expand

        document, said = expand(document, ws.config.llm)
    answer = (_reranked if wanted.rerank and options.rerank else _run)(ws, document, options, embedder)
    return answer._replace(notes=(*answer.notes, said)) if said else answer


def _reranked(ws: Workspace, document: QueryDocument, options: Options, embedder: Embedder | None) -> Answer:
    from openclaw_memory.retrieval.rerank import DEPTH, rerank, scorer

    limit = options.limit or ws.config.memory.limits.max_results
    answer = _run(ws, document, options._replace(limit=max(limit, DEPTH)), embedder)
    question = (document.lex or document.vec or ("",))[0]
    try:
        hits = rerank(question, answer.hits, scorer(ws.config.retrieval.rerank))
    except OpenClawMemoryError as error:
        return answer._replace(hits=answer.hits[:limit], notes=(*answer.notes, f"not reranked: {error.message}"))
    return answer._replace(hits=tuple(hits[:limit]), legs=(*answer.legs, "rerank"))


def vsearch(ws: Workspace, text: str, options: Options = DEFAULTS, embedder: Embedder | None = None) -> Answer:
    """Passages by meaning alone. Raises RetrievalError's relatives where that leg cannot be had."""
    document = parse_document(text)
    return _run(ws, QueryDocument((), document.vec or document.lex), options, embedder, only=True)


@store.healing
def _run(
    ws: Workspace, document: QueryDocument, options: Options, embedder: Embedder | None, only: bool = False
) -> Answer:
    if not document.lex and not document.vec:
        raise UsageError("there is nothing to search for", "give some words, or lex:, vec: or hyde: lines")
    if postgres.is_on(ws):
        return postgres.answer(ws, document, options, embedder, only)
    found = folders.load(ws)
    state = freshness(ws, found, options)
    if embedder is None and options.budget > 0:
        embedder = catchup.first(ws, options.budget)
    asked = question(document)
    main = asked.main
    with aside.reading(ws, found, state, options.budget) as (db, state):
        if db is None:
            return nothing(state, (), found)
        asked = asked.named(named(db, ws, found, options, asked.lines))
        within = scope(db, ws, found, options.collections, main.filters, options.now)
        limit = options.limit or ws.config.memory.limits.max_results
        model, why_not = _model(db, ws, document, embedder)
        said = triggered_files(db, ws, found, main) if asked.renamed else ()
        lift = list if only else partial(lifted, db, ws, found, within, main)
        alone = model is None and len(document.lex) == 1 and not document.intent
        deep = depth(options, limit) if alone else max(LEAST_DEPTH, SPARE * limit)
        with reading(model, asked.texts) as read:  # the model reads while the words are looked up
            ranked = rank(db, asked, within, deep, read, lift, said=said)
        why_not = why_not or ranked.failed
        if only and why_not:
            raise UsageError(why_not, "openclaw-memory search looks by words")
        unsaid = not why_not or ws.config.retrieval.embedder == "none"  # who wants words only knows
        notes = () if unsaid else (f"{why_not}; this answer is by words",)
        merged, legs = ranked.candidates, ranked.legs
        told = present(db, ws, found, main, merged, options, state, legs, (*unfit(within), *notes))
    if told.fresh.state == "partial" and options.max_age:
        return _run(ws, document, options._replace(max_age=0.0), embedder, only)
    return told


def _model(
    db: sqlite3.Connection, ws: Workspace, document: QueryDocument, embedder: Embedder | None
) -> tuple[Embedder | None, str]:
    """What the leg of meaning asks, or why it cannot be had."""
    if not asks(document):
        return None, ""
    from openclaw_memory.retrieval.embedders import choose

    chosen = choose(ws.config.retrieval.embedder)
    if embedder is None and not chosen.name:
        return None, chosen.reason
    if db.execute("SELECT 1 FROM embedded LIMIT 1").fetchone() is None:
        return None, NO_VECTORS
    try:
        model = embedder or _configured(ws)
    except OpenClawMemoryError as error:
        return None, error.message
    if model is None:
        return None, chosen.reason
    if other := vectors.mismatch(db, model.identity):
        return None, f"the vectors are of {other}, the model is {model.identity}: run `openclaw-memory embed -f`"
    return model, ""


class Question(Record):
    """A query document, analysed: its lines for words, and the first of all, whose operators count for all."""

    document: QueryDocument
    main: Query
    lines: tuple[Query, ...]
    variants: tuple[tuple[Variant, ...], ...]
    """Of each line, with other names in it."""

    @property
    def renamed(self) -> list[Variant]:
        """The variants of all lines."""
        return [one for some in self.variants for one in some]

    @property
    def texts(self) -> list[str]:
        """What a model reads: what was typed, then with other names in it."""
        typed = asks(self.document)
        return [*typed, *(one.query.text for one in self.renamed)] if typed else []

    def named(self, groups: Sequence[Names]) -> Question:
        """With variants by these names."""
        return self._replace(variants=tuple(variants(one, groups) for one in self.lines))


def question(document: QueryDocument) -> Question:
    """What `document`, which has a line at least, asks."""
    lines = tuple(map(parse, document.lex))
    return Question(document, lines[0] if lines else parse(document.vec[0]), lines, ((),) * len(lines))


class Ranked(Record):
    """Passages, best first, which legs gave them, and why the one of meaning gave none."""

    candidates: list[Candidate]
    legs: tuple[str, ...]
    failed: str = ""


def rank(
    db: sqlite3.Connection,
    asked: Question,
    within: Scope,
    deep: int,
    read: Callable[[], list[Vectors]],
    lift: Callable[[list[Candidate]], list[Candidate]] = list,
    size: Statistics | None = None,
    said: Collection[int] = (),
) -> Ranked:
    """Passages by words (`deep` a line), by meaning (`read` gives one a line, once words were found), and both.

    `lift` is what the index has to say of both, and `said` the files that it says it of; `size` that of the store,
    where `db` holds but a part of it.
    """
    words = _best(
        found_by_names(db, one, renamed, within, deep, size, said)
        for one, renamed in zip(asked.lines, asked.variants, strict=True)
    )
    sense, failed = _sense(db, asked, within, words, read)
    merged = lift(fuse(words, required(db, asked.main, sense), unread=_unread(db, words) if sense else frozenset()))
    if asked.document.intent:
        aim = parse(asked.document.intent)
        merged = _meant(merged, lexical(db, aim, _files_of(merged), _SENSE_DEPTH, size=size))
    return Ranked(merged, (*(("lexical",) if asked.lines else ()), *(("vector",) if sense else ())), failed)


def asks(document: QueryDocument) -> list[str]:
    """The texts that are looked for by their meaning."""
    return [text for text in (parse(typed).text for typed in document.vec) if text]


@contextmanager
def reading(model: Embedder | None, texts: Sequence[str]) -> Iterator[Callable[[], list[Vectors]]]:
    """What gives the vectors of a query, which a thread computes meanwhile; none without a model."""
    if model is None:
        yield list
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(lambda: [model.embed_query(text) for text in texts]).result


def _sense(
    db: sqlite3.Connection,
    asked: Question,
    within: Scope,
    words: Sequence[Candidate],
    read: Callable[[], list[Vectors]],
) -> tuple[list[Candidate], str]:
    """The passages by meaning, those by words among them, or why there are none."""
    try:
        vectors_read = read()
        if not vectors_read:
            return [], ""
        from openclaw_memory.retrieval.dense import dense

        also = [one.passage for one in words]
        typed = len(vectors_read) - len(asked.renamed)
        found = _best(dense(db, vector, within, _SENSE_DEPTH, also) for vector in vectors_read[:typed])
        renamed = zip(asked.renamed, vectors_read[typed:], strict=True)
        return meant_by_names(db, found, words, renamed, within), ""
    except OpenClawMemoryError as error:
        return [], error.message


def _unread(db: sqlite3.Connection, words: Sequence[Candidate]) -> frozenset[int]:
    """The passages that were found by words and have no vector yet."""
    from openclaw_memory.retrieval.dense import unread

    return unread(db, (one.passage for one in words))


def _files_of(candidates: Sequence[Candidate]) -> Scope:
    return Scope(frozenset(one.passage >> (ATOM_BITS + CHUNK_BITS) for one in candidates))


def _meant(candidates: Sequence[Candidate], wanted: Iterable[Candidate]) -> list[Candidate]:
    """`candidates`, those first that also say what the question is for (`wanted`); that brings none in."""
    said = {one.passage: one.score for one in wanted}
    weighed = [
        one._replace(score=(one.score + _INTENT * more) / (1 + _INTENT), steps={**one.steps, "intent": more})
        for one in candidates
        for more in [said.get(one.passage, 0.0)]
    ]
    return sorted(weighed, key=lambda one: -one.score)


def _configured(ws: Workspace) -> Embedder | None:
    from openclaw_memory.retrieval.embedders import load

    return load(ws.config.retrieval)


def _best(lists: Iterable[list[Candidate]]) -> list[Candidate]:
    """Several lists of one leg as one: each passage with its best score; those after the first count less."""
    best: dict[int, Candidate] = {}
    for place, found in enumerate(lists):
        for candidate in found:
            one = candidate._replace(score=candidate.score * _LATER) if place else candidate
            if one.passage not in best or best[one.passage].score < one.score:
                best[one.passage] = one
    return sorted(best.values(), key=lambda one: -one.score)
