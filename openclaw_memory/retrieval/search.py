"""A search from the words of the caller to an answer: freshen the index, look words up, show what was found."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import aliases, aside, fresh, store
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.collections import Collections
from openclaw_memory.retrieval.hits import Answer, Candidate, Freshness
from openclaw_memory.retrieval.indexed import lifted, names, triggered_files
from openclaw_memory.retrieval.lexical import lexical
from openclaw_memory.retrieval.options import DEFAULTS, Options
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.present import present
from openclaw_memory.retrieval.query import Query, parse
from openclaw_memory.retrieval.scope import Scope, scope

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

ALL = 100_000
NOT_INDEXED = "nothing is indexed yet: `openclaw-memory update`"
_SPARE = 10
"""More candidates than results that are ranked, for what is dropped on the way."""
_PER_FILE = 5
"""And how many times more where only one passage a file is shown."""


def search(ws: Workspace, text: str, options: Options = DEFAULTS) -> Answer:
    """The passages that hold the words of `text`. Raises UsageError for an unknown collection."""
    if postgres.is_on(ws):
        from openclaw_memory.retrieval.document_query import QueryDocument

        return postgres.answer(ws, QueryDocument((text,)), options)
    found = folders.load(ws)
    query = parse(text)
    for name in (*options.collections, *query.filters.collection):
        found.named(name)
    return run(ws, found, query, options, legs=("lexical",))


@store.healing
def run(ws: Workspace, found: Collections, query: Query, options: Options, legs: Sequence[str]) -> Answer:
    """Freshen the index, then search it."""
    state = freshness(ws, found, options)
    with aside.reading(ws, found, state, options.budget) as (db, state):
        if db is None:
            return nothing(state, tuple(legs), found)
        told = answer(db, ws, found, query, options, state)
    if told.fresh.state == "partial" and options.max_age:
        return run(ws, found, query, options._replace(max_age=0.0), legs)
    return told


def nothing(state: Freshness, legs: tuple[str, ...], found: Collections) -> Answer:
    """The answer without an index."""
    return Answer((), state._replace(notes=(*state.notes, NOT_INDEXED)), legs, found.warnings)


def freshness(ws: Workspace, found: Collections, options: Options) -> Freshness:
    """Bring the index up to date, as far as the options want that."""
    if options.budget <= 0:
        return Freshness("unchecked")
    return fresh.freshen(ws, found, options.budget, options.max_age)


def answer(
    db: sqlite3.Connection, ws: Workspace, found: Collections, query: Query, options: Options, state: Freshness
) -> Answer:
    """Search one snapshot of the index by words."""
    within = scope(db, ws, found, options.collections, query.filters, options.now)
    limit = options.limit or ws.config.memory.limits.max_results
    most = depth(options, limit)
    candidates = by_words(db, ws, found, query, within, most, options)
    candidates = lifted(db, ws, found, within, query, candidates)
    return present(db, ws, found, query, candidates, options, state, notes=unfit(within))


def by_words(
    db: sqlite3.Connection,
    ws: Workspace,
    found: Collections,
    query: Query,
    within: Scope,
    most: int,
    options: Options = DEFAULTS,
) -> list[Candidate]:
    """The best `most` passages by the words of `query`, and by other names of what it names."""
    called = named(db, ws, found, options, [query])
    if not called:
        return lexical(db, query, within, most)
    from openclaw_memory.retrieval.variants import found_by_names, variants  # few workspaces need it

    renamed = variants(query, called)
    said = triggered_files(db, ws, found, query) if renamed else ()
    return found_by_names(db, query, renamed, within, most, said=said)


def named(
    db: sqlite3.Connection, ws: Workspace, found: Collections, options: Options, queries: Sequence[Query]
) -> list[aliases.Names]:
    """What is called by several names: of what `queries` name, and all of the index (`MEMORY.md`)."""
    return [*aliases.known(db, naming(found, options, queries), queries), *names(ws, queries)]


def naming(found: Collections, options: Options, queries: Iterable[Query]) -> list[str]:
    """The collections whose files give names: those that are searched without being asked for, or are."""
    asked = {*options.collections, *(name for query in queries for name in query.filters.collection)}
    return [one.name for one in found.all if one.name in asked or (one.included and not one.low_trust)]


def depth(options: Options, limit: int) -> int:
    """How many candidates are ranked for `limit` hits by words alone."""
    return min(ALL, (limit + _SPARE) * (_PER_FILE if options.by_file or options.full else 1))


def unfit(within: Scope) -> tuple[str, ...]:
    """What to say where nothing can be found, because no file is let through."""
    return ("no file fits the operators and collections of this query",) if within.files == frozenset() else ()


__all__ = ["ALL", "Options", "answer", "depth", "run", "search"]
