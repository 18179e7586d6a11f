"""What the index (`MEMORY.md`) says of its files, where it counts in a search: importance and triggers.

A trigger says "read this file when this word comes up", so a query that holds one lifts its file, as a field of the
file that is written down elsewhere. The index is read anew for each search and parsed only where one of its lines
could say something; without triggers nothing is parsed. Imports no numpy and no LlamaIndex.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import aliases
from openclaw_memory.retrieval.aliases import KINDS, Names
from openclaw_memory.retrieval.analyse import fold
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexical import Statistics, lexical
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.paths import stored
from openclaw_memory.retrieval.query import Query, parse
from openclaw_memory.retrieval.scope import Scope

if TYPE_CHECKING:
    from openclaw_memory.retrieval.collections import Collections
    from openclaw_memory.workspace import Workspace

LIFT = 0.7
"""How far towards 1 a passage's score goes where the whole query is a trigger of its file; less for a part of it.

Chosen on a made-up workspace of 40 files whose nicknames stand in triggers alone, against 720 lines of notes."""
_DEPTH = 10
"""Passages of such files that are looked at beside those that were found already."""
_SUMMARY = "summary.md"


class Said(Record):
    """What the index says of a file: its path in the workspace; each trigger as the terms that a query has for it."""

    path: str
    importance: int | None
    triggers: tuple[frozenset[str], ...]
    called: tuple[str, ...]
    """Its name, and others in brackets."""
    own: tuple[str, ...]
    """The triggers that no other entry has, without words that say what the file is about."""


def importances(ws: Workspace) -> dict[str, int]:
    """Path to importance, where the index says any."""
    text = _text(ws)
    if b"importance:" not in text:
        return {}
    return {one.path: one.importance for one in _said(ws, text) if one.importance is not None}


def lifted(
    db: sqlite3.Connection,
    ws: Workspace,
    found: Collections,
    within: Scope,
    query: Query,
    candidates: Sequence[Candidate],
    size: Statistics | None = None,
) -> list[Candidate]:
    """`candidates` with passages of files that have a trigger in the query lifted, best first.

    Their best passages by words are added, or the first where words find none (and the query asks for no phrase).
    `size` is that of the store, where `db` holds but a part of it.
    """
    said = {file: words for file, words in triggered_files(db, ws, found, query).items() if within.holds(file)}
    if not said:
        return list(candidates)
    shares = {file: len(words) / len(set(query.sequence)) for file, words in said.items()}
    known = {one.passage: one for one in (*_by_the_rest(db, query, within, said, size), *candidates)}
    if not query.phrases and not query.excluded:
        held = {passage >> (ATOM_BITS + CHUNK_BITS) for passage in known}
        known |= {one.passage: one for one in _firsts(within, said.keys() - held)}
    weighed = [_lifted(one, shares.get(one.passage >> (ATOM_BITS + CHUNK_BITS), 0.0)) for one in known.values()]
    return ordered(db, weighed)


def _by_the_rest(
    db: sqlite3.Connection,
    query: Query,
    within: Scope,
    said: Mapping[int, frozenset[str]],
    size: Statistics | None,
) -> Iterator[Candidate]:
    """Passages of files that were triggered, by the words of the query that triggered nothing."""
    for words in sorted(set(said.values()), key=sorted):
        files = frozenset(file for file, some in said.items() if some == words)
        rest = [term for term in query.terms if term.text not in words]
        left = tuple(text for text in query.sequence if text not in words)
        if left:
            asked = query._replace(terms=tuple(rest), sequence=left)
            share = len(set(left)) / len(set(query.sequence))
            for one in lexical(db, asked, Scope(files, within.facts), _DEPTH, size=size):
                yield one._replace(score=one.score * share, exact=False)


def _lifted(one: Candidate, share: float) -> Candidate:
    if not share:
        return one
    gain = LIFT * share * (1 - one.score)
    return one._replace(score=one.score + gain, steps={**one.steps, "trigger": gain}, exact=one.exact or share == 1)


def _firsts(within: Scope, files: Iterable[int]) -> Iterator[Candidate]:
    for file in sorted(files):
        for chunk in within.firsts(file):
            yield Candidate(chunk << ATOM_BITS, 0.0)


def triggered_files(
    db: sqlite3.Connection, ws: Workspace, found: Collections, query: Query
) -> dict[int, frozenset[str]]:
    """The file of an entry to the words of the query that are in its triggers."""
    said = triggered(ws, query)
    return {file: words for rel, words in said.items() for file in _files(db, ws, found, rel)}


def triggered(ws: Workspace, query: Query) -> dict[str, frozenset[str]]:
    """Path of an entry to the words of the query that are in its triggers."""
    words = frozenset(query.sequence)
    text = _text(ws) if words else b""
    found: dict[str, frozenset[str]] = {}
    for one in _said(ws, text) if _may_say(text, words) else ():
        said = frozenset[str]().union(*(trigger for trigger in one.triggers if trigger and trigger <= words))
        if said:
            found[one.path] = said
    return found


def names(ws: Workspace, queries: Sequence[Query]) -> list[Names]:
    """The names of all people and companies that have several, where a query holds a word of the index."""
    words = frozenset(word for query in queries for word in query.sequence)
    text = _text(ws) if words else b""
    if not _may_say(text, words):
        return []
    kinds = ((ws.layout.kind_of(one.path), one) for one in _said(ws, text))
    called = (
        (*one.called, *(one.own if kind == "people" else ())) for kind, one in kinds if kind in KINDS
    )  # a firm's triggers are what it sells
    return list(filter(None, map(_names, called)))


def _may_say(text: bytes, words: frozenset[str]) -> bool:
    """Whether a word of the query stands in a line of the index; parsing it costs more than all else here."""
    if not text or not words:
        return False
    folded = fold(text.decode("utf-8", "replace"))
    return any(word[:3] in folded for word in words)


def _files(db: sqlite3.Connection, ws: Workspace, found: Collections, rel: str) -> Iterator[int]:
    for name, path in places(ws, found, rel):
        rows = db.execute("SELECT id FROM files WHERE collection = ? AND path = ? AND chunks > 0", (name, stored(path)))
        yield from (row[0] for row in rows)


def places(ws: Workspace, found: Collections, rel: str) -> Iterator[tuple[str, str]]:
    """(collection, path) of an entry's file; of a folder's, that of its summary."""
    full = ws.root / (rel + _SUMMARY if rel.endswith("/") else rel)
    for one in found.all:
        if full.is_relative_to(one.root):
            yield one.name, full.relative_to(one.root).as_posix()


def _text(ws: Workspace) -> bytes:
    try:
        return fsio.unchanged(f"{ws.root}/{ws.config.index.path}", "bytes", lambda: ws.index_path.read_bytes(), b"")
    except OSError:
        return b""


def _said(ws: Workspace, text: bytes) -> tuple[Said, ...]:
    return _parsed(ws.root, text, ws.config.index.path, ws.config.index.link_base)


@lru_cache(2)
def _parsed(root: Path, text: bytes, index_path: str, link_base: str) -> tuple[Said, ...]:
    from openclaw_memory import index, markdown

    parsed = index.parse(
        markdown.decode(text),
        (),
        index_path=index_path,
        exists=lambda rel: (root / rel).exists(),
        link_base=link_base,
    )
    shared = Counter(trigger for entry in parsed.entries for trigger in entry.written_triggers)
    return tuple(
        Said(
            entry.path,
            entry.importance,
            tuple(map(_words, entry.triggers)),
            (entry.name, *entry.aliases),
            tuple(one for one in entry.written_triggers if shared[one] == 1 and not _words(one) & _words(entry.about)),
        )
        for entry in parsed.entries
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(parse(text).sequence)


@lru_cache(1 << 10)
def _names(called: tuple[str, ...]) -> Names:
    return aliases.names(called)
