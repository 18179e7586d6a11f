"""A query of which every word stands in a title, a heading or a path names what it looks for: that is as good as exact.

Such a passage has at least a score of its own, whatever its text says: for a title and a path the file's first
passage, for a heading the first one below it. It has more, the more of the name the query says.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.analyse import terms_of
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.rows import rows

if TYPE_CHECKING:
    from openclaw_memory.retrieval.asked import Found
    from openclaw_memory.retrieval.query import Query, Term
    from openclaw_memory.retrieval.scope import Scope

NAMES = frozenset(("title", "heading", "path"))
"""The steps of a candidate that say so."""
TITLE, HEADING, PATH = 0.61, 0.58, 0.55
"""What such a passage has at least: a few words one behind the other in a sentence, and nowhere else, have 0.53."""
ALL_OF_IT = 0.03
"""And more, where the query is all of the title, the heading or the path."""
_MOST = 30
"""Files that a query may name; words that stand above more than that tell none of them from the others."""
_REMEMBERED = 8192
"""Headings that are remembered: 200 bytes each."""
_READ = 2000
"""Postings that are looked through for them."""


class _Name(Record):
    """Why a passage is named, and its score for that."""

    by: str
    score: float


def named(
    db: sqlite3.Connection, query: Query, terms: Sequence[Found], scope: Scope, found: list[Candidate], limit: int
) -> list[Candidate]:
    """`found` (best first) with the passages that the query names, the best `limit`."""
    needed = [(term, held.head) for term, held in zip(query.terms, terms, strict=True) if term.weight == 1.0]
    heads = [head for _, head in needed]
    files = list(islice(filter(scope.holds, files_named(heads)), _MOST + 1))
    if not files or len(files) > _MOST:
        return found
    names = _names(db, [term for term, _ in needed], heads, files)
    known = {one.passage: one for one in found}
    lifted = {
        passage: _lifted(known.get(passage, Candidate(passage, 0.0)), name)
        for passage, name in names.items()
        if scope.lets(passage >> ATOM_BITS)
        and (passage in known or not (query.phrases or query.excluded))  # what these leave out stays out
    }
    return ordered(db, [*lifted.values(), *(one for one in found if one.passage not in lifted)])[:limit]


def _lifted(one: Candidate, name: _Name) -> Candidate:
    return one._replace(score=max(one.score, name.score), steps={**one.steps, name.by: name.score}, exact=True)


def files_named(heads: Iterable[array[int]]) -> Iterator[int]:
    """The files above whose passages each of the terms stands somewhere; `heads` are the chunks below each term."""
    heads = sorted(heads, key=len)
    if not heads or len(heads[0]) > _READ:
        return
    for file in dict.fromkeys(chunk >> CHUNK_BITS for chunk in heads[0]):
        if all(_holds(head, file) for head in heads[1:]):
            yield file


def _holds(head: array[int], file: int) -> bool:
    at = bisect_left(head, file << CHUNK_BITS)
    return at < len(head) and head[at] >> CHUNK_BITS == file


def _slice(head: array[int], file: int) -> array[int]:
    low = bisect_left(head, file << CHUNK_BITS)
    return head[low : bisect_left(head, (file + 1) << CHUNK_BITS, low)]


def _names(
    db: sqlite3.Connection, terms: Sequence[Term], heads: Sequence[array[int]], files: Sequence[int]
) -> dict[int, _Name]:
    """The passages of `files` that are named; a fact says itself what it is about, and an empty file has none."""
    names: dict[int, _Name] = {}
    known = rows(db, files)
    for file in sorted(known.keys() & files):
        row = known[file]
        if row.kind == "fact" or not row.chunks:
            continue
        above = _words(row.title)
        first = file << CHUNK_BITS + ATOM_BITS
        if share := _share(terms, above):
            names[first] = _Name("title", TITLE + ALL_OF_IT * share)
            continue
        names.update(_headings(db, terms, above, _below(terms, above, heads, file)))
        words = _words(row.path.rpartition(".")[0].replace("/", " "))
        if share := _share(terms, words) or _share(terms, (*above, *words)):
            names.setdefault(first, _Name("path", PATH + ALL_OF_IT * share))
    return names


def _below(terms: Sequence[Term], above: tuple[str, ...], heads: Sequence[array[int]], file: int) -> Iterator[int]:
    """The chunks of a file, in order, below headings that may say the terms with those of its title (`above`)."""
    needed = [head for term, head in zip(terms, heads, strict=True) if term.text not in above and not term.prefix]
    slices = [set(_slice(head, file)) for head in needed or heads]
    held = set.intersection(*slices) if needed else set.union(*slices)
    return (chunk for chunk in sorted(held) if chunk & WHOLE != WHOLE)


def _headings(
    db: sqlite3.Connection, terms: Sequence[Term], above: tuple[str, ...], chunks: Iterable[int]
) -> Iterator[tuple[int, _Name]]:
    """The first passage below each heading that says the terms, with those above it and the title."""
    seen: set[tuple[str, ...]] = set()
    texts: dict[int, str] = remembered(db, "headings", _REMEMBERED)
    firsts: dict[str, int] = {}
    for chunk in chunks:
        if chunk not in texts:
            (texts[chunk],) = db.execute("SELECT heading FROM chunks WHERE id = ?", (chunk,)).fetchone()
        firsts.setdefault(texts[chunk], chunk)
    for text, chunk in firsts.items():
        said, path = above, tuple(text.split(" > "))
        for depth, heading in enumerate(path, 1):
            own = _words(heading)
            said += own
            if _share(terms, said):
                if path[:depth] not in seen:
                    seen.add(path[:depth])
                    yield chunk << ATOM_BITS, _Name("heading", HEADING + ALL_OF_IT * min(1.0, len(terms) / len(own)))
                break


@lru_cache(1 << 12)
def _words(text: str) -> tuple[str, ...]:
    return terms_of(text).main


def _share(terms: Sequence[Term], words: tuple[str, ...]) -> float:
    """How much of `words` the terms are; 0 where one of them is not among them."""
    for term in terms:
        if term.text not in words and not (term.prefix and any(word.startswith(term.text) for word in words)):
            return 0.0
    return min(1.0, len(terms) / len(words))
