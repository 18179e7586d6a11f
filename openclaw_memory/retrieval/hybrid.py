"""Search by words and meaning together, and by meaning alone. The model is loaded only when vectors are there.

A leg that cannot be had (no embedder, no vectors, another model's vectors, a model that does not load) is left out,
and the answer says so once; words always answer.
"""

from __future__ import annotations

import sqlite3
from functools import partial

from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import aside, catchup, store, vectors
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.document_query import QueryDocument, parse_document
from openclaw_memory.retrieval.hits import Answer
from openclaw_memory.retrieval.indexed import lifted, triggered_files
from openclaw_memory.retrieval.options import DEFAULTS, Options
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.present import present
from openclaw_memory.retrieval.rank import LEAST_DEPTH, SPARE, asks, question, rank, reading
from openclaw_memory.retrieval.scope import scope
from openclaw_memory.retrieval.search import depth, freshness, named, nothing, unfit

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.workspace import Workspace

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
        asked = asked.with_names(named(db, ws, found, options, asked.named))
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


def _configured(ws: Workspace) -> Embedder | None:
    from openclaw_memory.retrieval.embedders import load

    return load(ws.config.retrieval)
