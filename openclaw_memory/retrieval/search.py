"""A search from the words of the caller to an answer: freshen, legs, fusion, check against the disk, snippets."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from openclaw_memory.errors import RetrievalError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import aliases, aside, fresh, heats, read, snippet, store
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.chunks import plain
from openclaw_memory.retrieval.collections import Collection, Collections, Note
from openclaw_memory.retrieval.distinct import distinct
from openclaw_memory.retrieval.document_query import QueryDocument
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Answer, Candidate, Freshness, Hit
from openclaw_memory.retrieval.identity import content_hash
from openclaw_memory.retrieval.indexed import lifted, names, triggered_files
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.priors import weigh
from openclaw_memory.retrieval.query import Query, parse
from openclaw_memory.retrieval.rows import Row, rows
from openclaw_memory.retrieval.scan import clock, is_racy
from openclaw_memory.retrieval.scope import Scope, scope
from openclaw_memory.retrieval.texts import texts
from openclaw_memory.retrieval.variants import found_by_names, variants

if TYPE_CHECKING:
    from typing import Any

    from openclaw_memory.workspace import Workspace

ALL = 100_000
NOT_INDEXED = "nothing is indexed yet: `openclaw-memory update`"
_SPARE = 10
"""More candidates than results that are ranked, for what is dropped on the way."""
_PER_FILE = 5
"""And how many times more where only one passage a file is shown."""

_PART = (1 << (ATOM_BITS + CHUNK_BITS)) - 1
"""What of a passage's number says where in its file it stands."""
_REMEMBERED, _SMALL = 512, 50_000
"""Files whose lines are remembered, and the bytes of one at most."""


class Options(Record):
    """How to search. `limit` 0 and `snippet_chars` 0 mean the config's values."""

    limit: int = 0
    collections: tuple[str, ...] = ()
    min_score: float = 0.0
    snippet_chars: int = 0
    full: bool = False
    """Whole files with the passages: one hit a file, its text as the body."""
    explain: bool = False
    budget: float = fresh.BUDGET
    """Seconds for indexing what changed; 0 takes the index as it is."""
    by_file: bool = False
    """At most one hit a file."""
    max_age: float = 0.0
    """Seconds that a look at the disk stays good; 0 looks each time. For processes that stay."""
    rerank: bool = True
    """Whether the config's `retrieval.rerank` counts."""
    now: str = ""
    """The time that recency is counted from (ISO); "" is now."""


DEFAULTS = Options()


def search(ws: Workspace, text: str, options: Options = DEFAULTS) -> Answer:
    """The passages that hold the words of `text`. Raises UsageError for an unknown collection."""
    if postgres.is_on(ws):
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
    renamed = variants(query, named(db, ws, found, options, [query]))
    said = triggered_files(db, ws, found, query) if renamed else ()
    candidates = found_by_names(db, query, renamed, within, depth(options, limit), said=said)
    candidates = lifted(db, ws, found, within, query, candidates)
    return present(db, ws, found, query, candidates, options, state, notes=unfit(within))


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


def present(
    db: sqlite3.Connection,
    ws: Workspace,
    found: Collections,
    query: Query,
    candidates: Sequence[Candidate],
    options: Options,
    state: Freshness,
    legs: tuple[str, ...] = ("lexical",),
    notes: tuple[str, ...] = (),
    elsewhere: Mapping[str, read.Folder] = {},
) -> Answer:
    """Candidates (best first) as hits: those under the minimum and those that are gone from disk are left out.

    Small priors and copies of one text are reckoned with here, for every leg alike; a file that several collections
    hold is shown once. `elsewhere`: collections that are no folder on this disk.
    """
    limit = options.limit or ws.config.memory.limits.max_results
    shower = _Shower(db, ws, found, query, options, elsewhere)
    hits: list[Hit] = []
    seen: set[object] = set()
    weighed = weigh(db, ws, found, candidates, options.now)
    for one in distinct(db, weighed):
        file = one.passage >> (ATOM_BITS + CHUNK_BITS)
        if one.score < options.min_score and not one.exact:
            continue
        same = _same(db, file)
        part = (same, one.passage & _PART)
        if part in seen or ((options.by_file or options.full) and same in seen):
            continue
        hit = shower.hit(one)
        if hit is None:
            continue
        seen |= {same, part}
        hits.append(hit)
        if len(hits) == limit:
            break
    if shower.dropped:
        told = "partial" if state.state == "fresh" else state.state
        state = state._replace(state=told, notes=tuple(dict.fromkeys((*state.notes, *shower.dropped))))
    return Answer(tuple(hits), state, legs, (*found.warnings, *notes))


def _same(db: sqlite3.Connection, file: int) -> object:
    """What is the same for a file in several collections; the number of one that is not known by an inode."""
    row = rows(db, [file])[file]
    return (row.stat.inode, row.hash) if row.stat.inode else file


class _File(Record):
    collection: Collection
    path: str
    title: str
    date: str
    kind: str
    id: str
    lines: Sequence[str]


class _Shower:
    """Makes hits; each file is looked at and read once."""

    def __init__(
        self,
        db: sqlite3.Connection,
        ws: Workspace,
        found: Collections,
        query: Query,
        options: Options,
        elsewhere: Mapping[str, read.Folder],
    ) -> None:
        self._db = db
        self._collections = {one.name: one for one in found.all}
        self._notes = found.notes
        self._terms = {term.text for term in query.terms}
        self._options = options
        self._chars = options.snippet_chars or ws.config.memory.limits.max_snippet_chars
        self._files: dict[int, _File | None] = {}
        self._pages: dict[int, Sequence[str]] = remembered(db, "pages", _REMEMBERED)
        self._folders = dict(elsewhere)
        self.dropped: list[str] = []
        """Files that are no longer what was indexed, and why."""

    def hit(self, one: Candidate) -> Hit | None:
        """The hit of a candidate; None where its file is no longer what was indexed."""
        chunk, place = one.passage >> ATOM_BITS, one.passage & ((1 << ATOM_BITS) - 1)
        number = chunk >> CHUNK_BITS
        if number not in self._files:
            self._files[number] = self._file(number)
        file = self._files[number]
        if file is None:
            return None
        text = texts(self._db, [chunk])[chunk]
        first, last = text.spans[2 * place], text.spans[2 * place + 1]
        return Hit(
            collection=file.collection.name,
            path=file.path,
            start_line=first,
            end_line=last,
            line=snippet.best_line(file.lines, first, last, self._terms),
            title=file.title,
            heading=text.heading,
            score=round(one.score, 4),
            snippet=self._text(file, chunk, first, last),
            body="\n".join(file.lines) if self._options.full else "",
            context=context_of(self._notes, file.collection.name, file.path),
            id=file.id,
            kind=file.kind,
            date=file.date,
            explain=one.steps if self._options.explain else {},
        )

    def _text(self, file: _File, chunk: int, first: int, last: int) -> str:
        if file.path.endswith(".json"):
            fact = heats.facts(self._db, [chunk]).get(chunk)
            return _fact(file.lines, first, last, fact.id if fact else "")[: self._chars]
        return snippet.snippet(file.lines, first, last, self._terms, self._chars)

    def _file(self, number: int) -> _File | None:
        row = rows(self._db, [number])[number]
        collection = self._collections.get(row.collection)
        try:
            if collection is None:
                raise read.Refused("the collection is gone", "")
            lines = self._lines(number, row, self._folder(collection))
        except read.Refused as error:
            self.dropped.append(f"{row.collection}/{row.path}: {error.message}")
            return None
        return _File(collection, row.path, row.title, row.date, row.kind, f"#{row.hash[:6]}", lines)

    def _lines(self, number: int, row: Row, folder: read.Folder) -> Sequence[str]:
        """The lines of a file, where it still is what was indexed. Raises Refused."""
        known = self._pages.get(number)
        if known is not None and folder.holds(row.path, row.stat):
            return known
        read_at = clock()
        data = folder.content(row.path)
        same = folder.holds(row.path, row.stat)
        if not same and content_hash(data) != row.hash:
            raise read.Refused("changed meanwhile", "")
        lines = snippet.lines_of(read.decode(data, row.path))
        if same and len(data) <= _SMALL and not is_racy(row.stat, read_at):
            self._pages[number] = lines
        return lines

    def _folder(self, collection: Collection) -> read.Folder:
        if collection.name not in self._folders:
            self._folders[collection.name] = read.Folder(collection)
        return self._folders[collection.name]


def _fact(lines: Sequence[str], first: int, last: int, name: str) -> str:
    """The fact with the id `name` as a sentence with its category and status; several may stand on one line."""
    from openclaw_memory.facts.model import from_record
    from openclaw_memory.retrieval.facts import text_of

    source = "\n".join(lines[first - 1 : last])
    found = [from_record(record) for record in _records(source)]
    fact = next((one for one in found if plain(one.id) == name), found[0] if found else None)
    if fact is None:
        return source
    about = ", ".join(str(part) for part in (fact.category, fact.status, fact.timestamp) if part)
    return f"{text_of(fact)} ({about})"


def _records(source: str) -> Iterator[Any]:
    """The JSON objects in some lines of a file, as far as they can be read."""
    start = source.find("{")
    while start >= 0:
        try:
            record, end = json.JSONDecoder().raw_decode(source, start)
        except (ValueError, RecursionError):
            return
        yield record
        start = source.find("{", end)


def context_of(notes: Iterable[Note], collection: str, path: str) -> str:
    """What was said about the collection and the folders that hold `path`, the widest first."""
    held = [one for one in notes if one.collection in ("", collection) and _below(path, one.prefix)]
    return "\n".join(one.text for one in sorted(held, key=lambda one: (one.collection, len(one.prefix))))


def _below(path: str, prefix: str) -> bool:
    return not prefix or path == prefix or path.startswith(prefix.rstrip("/") + "/")


__all__ = ["ALL", "Options", "RetrievalError", "answer", "context_of", "depth", "present", "run", "search"]
