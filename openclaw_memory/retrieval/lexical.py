"""The leg of words: a Query to passages, from postings and stored terms. Imports neither numpy nor LlamaIndex.

Two steps. First the postings say which chunks hold which terms: the best few hundred chunks, by the weight of the
terms in their text, in what stands above it (title, path, tags, date, headings) and in the whole file, go on.
Then `passages` scores each atom of these chunks. A term weighs its rarity, ln(1 + (N - n + 1/2) / (n + 1/2)) for n of
N chunks (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009); parts of scores are divided by the
weight of all terms, those included that match nothing, so that a score is absolute.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from math import log

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import passages, shortlist
from openclaw_memory.retrieval.asked import Found, Weights
from openclaw_memory.retrieval.hits import ATOM_BITS, Candidate
from openclaw_memory.retrieval.lexicon import NUMBER
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.named import named
from openclaw_memory.retrieval.postings import BLOCK_BITS, REMEMBERED, numbers
from openclaw_memory.retrieval.query import Query, Term
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.store import meta

if TYPE_CHECKING:
    from types import ModuleType

WEIGHTS = Weights()
_CHUNKS = 80
"""Chunks whose atoms are scored, at least."""
_FILES = 100
"""Files that the whole of is weighed."""
_FUZZY = 0.6
_PREFIXES = 200
_COMMON, _COMMON_SHARE = 4, 0.1
"""A term in at least so many chunks, and in more than this share of all, is common."""

_MANY = 200
"""Chunks from which on a name of common terms alone says nothing."""


class Counted(Record):
    """A term in a store of which an index holds a part: how many chunks have it, or what it may be a typo of."""

    held: int
    near: tuple[str, ...] = ()


class Statistics(Record):
    """What the index holds, for term weights and lengths; or the store that it holds a part of, with its terms."""

    chunks: int
    files: int
    counted: Mapping[Term, Counted] = {}


def statistics(db: sqlite3.Connection) -> Statistics:
    """The size of the index, as the last batch left it."""
    chunks, files = map(int, meta(db, "size", "0 0").split())
    return Statistics(chunks, files)


def lexical(
    db: sqlite3.Connection,
    query: Query,
    scope: Scope,
    limit: int,
    weights: Weights = WEIGHTS,
    size: Statistics | None = None,
) -> list[Candidate]:
    """The best `limit` passages that hold words of the query, best first; without words, those of `listed`.

    `size` is that of the store, where `db` holds but a part of it.
    """
    if query.lists:
        return listed(db, scope, limit)
    size = size or statistics(db)
    terms = [_look_up(db, term, size) for term in query.terms]
    total = sum(term.weight for term in terms)
    if not size.chunks or not total:
        return []
    usual = size.chunks / max(1, size.files)
    depth = shortlist.Depth(max(_CHUNKS, 2 * limit), max(_FILES, limit))
    steps = _arrays(db)
    look = partial(_as_spelt, db, size)
    chosen = (steps or shortlist).chosen(db, query, terms, scope, weights, usual, depth, look)
    found = (steps or passages).score(db, query, terms, chosen.chunks, chosen.files, weights, limit)
    return named(db, query, terms, scope, found, limit)


def _arrays(db: sqlite3.Connection) -> ModuleType | None:
    """The steps by numpy, for a process that stays."""
    if getattr(db, "snapshot", None) is None:
        return None
    from openclaw_memory.retrieval import arrays

    return arrays.of(db)


def listed(db: sqlite3.Connection, scope: Scope, limit: int | None = None) -> list[Candidate]:
    """What stands for every file in `scope` (the first `limit` of it), the newest first."""
    known: dict[str, list[int]] = remembered(db, "listed", 1)
    if "" not in known:
        rows = db.execute("SELECT id FROM files WHERE chunks > 0 ORDER BY date DESC, path, collection")
        known[""] = [number for (number,) in rows]
    files = known[""] if scope.files is None else filter(scope.files.__contains__, known[""])
    chunks = (chunk for file in files for chunk in scope.firsts(file))
    return [Candidate(chunk << ATOM_BITS, 1.0, exact=True) for chunk in islice(chunks, limit)]


def _look_up(db: sqlite3.Connection, term: Term, size: Statistics) -> Found:
    """A term with its postings; a word that the index does not hold, with those of what it may be a typo of."""
    counted = size.counted.get(term)
    ids = _beginning(db, term.text) if term.prefix else numbers_of(db, term.text)
    body, head = _postings(db, ids)
    unknown = bool(counted.near) if counted else not body and not head and term.weight == 1.0
    if unknown:
        from openclaw_memory.retrieval.fuzzy import near  # hardly a query needs it

        # a term stays known when no text holds it any more
        ids = [number for text in counted.near for number in numbers_of(db, text)] if counted else near(db, term.text)
        body, head = _postings(db, ids)
    held = counted.held if counted else len(body) or len(head)
    return weighed(term, ids, body, head, min(held, size.chunks), size.chunks, unknown)


def _as_spelt(db: sqlite3.Connection, size: Statistics, text: str) -> Found:
    """A term that is no typo of another one: what operators require."""
    return _look_up(db, Term(text, 0.0), size)


def is_common(db: sqlite3.Connection, terms: Iterable[str], size: Statistics | None = None) -> bool:
    """Whether a name is of words alone that many texts hold."""
    size = size or statistics(db)
    return size.chunks >= _MANY and all(_look_up(db, Term(text, 1.0), size).common for text in terms)


def weighed(
    term: Term, ids: Iterable[int], body: array[int], head: array[int], held: int, chunks: int, unknown: bool
) -> Found:
    """A term that stands in `held` of `chunks` chunks; `unknown`: these hold what it may be a typo of."""
    rarity = log(1 + (chunks - held + 0.5) / (held + 0.5))
    common = held >= _COMMON and held > chunks * _COMMON_SHARE
    return Found(tuple(ids), term.weight * rarity, _FUZZY if unknown else 1.0, body, head, common)


def numbers_of(db: sqlite3.Connection, text: str) -> list[int]:
    """The number of a term, if the index holds it."""
    return [row[0] for row in db.execute("SELECT id FROM terms WHERE term = ?", (text,))]


def _beginning(db: sqlite3.Connection, text: str) -> list[int]:
    from openclaw_memory.retrieval.fuzzy import is_used

    known: dict[str, list[int]] = remembered(db, "prefixes", REMEMBERED)
    if text not in known:
        query = "SELECT id FROM terms WHERE term >= ? AND term < ? ORDER BY term"
        ids = (row[0] for row in db.execute(query, (text, text + "\U0010ffff")))
        known[text] = list(islice((number for number in ids if is_used(db, number)), _PREFIXES))
    return known[text]


def _postings(db: sqlite3.Connection, ids: Sequence[int]) -> tuple[array[int], array[int]]:
    known: dict[tuple[int, ...], tuple[array[int], array[int]]] = remembered(db, "postings", REMEMBERED)
    key = tuple(ids)
    if key not in known:
        known[key] = _read(db, key)
    return known[key]


def _read(db: sqlite3.Connection, ids: Sequence[int]) -> tuple[array[int], array[int]]:
    body, head = [], []
    for number in ids:
        low, high = number << BLOCK_BITS, (number + 1) << BLOCK_BITS
        for row in db.execute("SELECT body, head FROM postings WHERE key >= ? AND key < ? ORDER BY key", (low, high)):
            body.append(row[0])
            head.append(row[1])
    bodies, heads = numbers(b"".join(body)), numbers(b"".join(head))
    if len(ids) > 1:
        bodies, heads = array(NUMBER, sorted(set(bodies))), array(NUMBER, sorted(set(heads)))
    return bodies, heads
