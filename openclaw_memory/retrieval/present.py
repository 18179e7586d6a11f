"""Candidates as hits: priors and copies are reckoned with, each file is checked against the disk, snippets are cut."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from openclaw_memory import fsio
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import heats, read, snippet
from openclaw_memory.retrieval.collections import Collection, Collections, Note
from openclaw_memory.retrieval.distinct import distinct
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, PART, Answer, Candidate, Freshness, Hit
from openclaw_memory.retrieval.identity import content_hash
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.priors import weigh
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.rows import Row, rows
from openclaw_memory.retrieval.texts import texts

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_CHUNK = (1 << CHUNK_BITS) - 1
_REMEMBERED, _SMALL = 512, 50_000
"""Files whose lines are remembered, and the bytes of one at most."""


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
        part = (same, one.passage & PART)
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
            part=one.passage & PART if self._before(chunk, place, text.spans) == (first, last) else 0,
        )

    def _before(self, chunk: int, place: int, spans: Sequence[int]) -> tuple[int, ...]:
        """The lines of the passage before this one; () where there is none in its file."""
        if place:
            return tuple(spans[2 * place - 2 : 2 * place])
        if not chunk & _CHUNK:
            return ()
        before = texts(self._db, [chunk - 1]).get(chunk - 1)
        return tuple(before.spans[-2:]) if before else ()

    def _text(self, file: _File, chunk: int, first: int, last: int) -> str:
        if file.path.endswith(".json"):
            from openclaw_memory.retrieval.facts import sentence

            fact = heats.facts(self._db, [chunk]).get(chunk)
            return sentence(file.lines, first, last, fact.id if fact else "")[: self._chars]
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
        read_at = fsio.clock()
        data = folder.content(row.path)
        same = folder.holds(row.path, row.stat)
        if not same and content_hash(data) != row.hash:
            raise read.Refused("changed meanwhile", "")
        lines = snippet.lines_of(read.decode(data, row.path))
        if same and len(data) <= _SMALL and not fsio.is_racy(row.stat.mtime_ns, read_at):
            self._pages[number] = lines
        return lines

    def _folder(self, collection: Collection) -> read.Folder:
        if collection.name not in self._folders:
            self._folders[collection.name] = read.Folder(collection)
        return self._folders[collection.name]


def context_of(notes: Iterable[Note], collection: str, path: str) -> str:
    """What was said about the collection and the folders that hold `path`, the widest first."""
    held = [one for one in notes if one.collection in ("", collection) and _below(path, one.prefix)]
    return "\n".join(one.text for one in sorted(held, key=lambda one: (one.collection, len(one.prefix))))


def _below(path: str, prefix: str) -> bool:
    return not prefix or path == prefix or path.startswith(prefix.rstrip("/") + "/")
