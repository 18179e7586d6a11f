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
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from math import log

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import passages
from openclaw_memory.retrieval.fuzzy import is_used, near
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexicon import NUMBER
from openclaw_memory.retrieval.named import named
from openclaw_memory.retrieval.order import first
from openclaw_memory.retrieval.passages import FileFacts, Found, Weights
from openclaw_memory.retrieval.postings import BLOCK_BITS, WHOLE, numbers
from openclaw_memory.retrieval.query import Query, Term
from openclaw_memory.retrieval.rows import rows
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.store import meta

if TYPE_CHECKING:
    Look = Callable[[str], tuple[array[int], array[int]]]

WEIGHTS = Weights()
_CHUNKS = 80
"""Chunks whose atoms are scored, at least."""
_FILES = 100
"""Files that the whole of is weighed."""
_POSTINGS = 5000
"""Postings that are counted; terms beyond that, the most frequent ones, only add to chunks that others found."""
_FUZZY = 0.6
_PREFIXES = 200
_COMMON, _COMMON_SHARE = 4, 0.1
"""A term in at least so many chunks, and in more than this share of all, is common."""


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
        return listed(db, scope)[:limit]
    size = size or statistics(db)
    terms = [_look_up(db, term, size) for term in query.terms]
    total = sum(term.weight for term in terms)
    if not size.chunks or not total:
        return []
    chunks = first_chunks(terms, scope, weights)
    if query.phrases or query.excluded:
        chunks = narrowed(query, chunks, lambda text: _postings(db, numbers_of(db, text)))
    most = max(_CHUNKS, 2 * limit)
    chunks = _best(db, chunks, 3 * most)
    files = _files(db, terms, chunks, size, total, weights.file_k, max(_FILES, limit))
    ranked = {
        chunk: score + weights.first_file * total * files[chunk >> CHUNK_BITS].score
        for chunk, score in chunks.items()
        if chunk >> CHUNK_BITS in files
    }
    best = sorted(_best(db, ranked, most), key=lambda chunk: (-ranked[chunk], chunk))
    found = passages.score(db, query, terms, best, files, weights, limit)
    return named(db, query, terms, scope, found, limit)


def listed(db: sqlite3.Connection, scope: Scope) -> list[Candidate]:
    """What stands for every file in `scope`, the newest first."""
    rows = db.execute("SELECT id FROM files WHERE chunks > 0 ORDER BY date DESC, path, collection")
    chunks = (chunk for (file,) in rows if scope.holds(file) for chunk in scope.firsts(file))
    return [Candidate(chunk << ATOM_BITS, 1.0, exact=True) for chunk in chunks]


def _look_up(db: sqlite3.Connection, term: Term, size: Statistics) -> Found:
    """A term with its postings; a word that the index does not hold, with those of what it may be a typo of."""
    counted = size.counted.get(term)
    ids = _beginning(db, term.text) if term.prefix else numbers_of(db, term.text)
    body, head = _postings(db, ids)
    unknown = bool(counted.near) if counted else not body and not head and term.weight == 1.0
    if unknown:  # a term stays known when no text holds it any more
        ids = [number for text in counted.near for number in numbers_of(db, text)] if counted else near(db, term.text)
        body, head = _postings(db, ids)
    held = counted.held if counted else len(body) or len(head)
    return weighed(term, ids, body, head, min(held, size.chunks), size.chunks, unknown)


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
    query = "SELECT id FROM terms WHERE term >= ? AND term < ? ORDER BY term"
    ids = (row[0] for row in db.execute(query, (text, text + "\U0010ffff")))
    return list(islice((number for number in ids if is_used(db, number)), _PREFIXES))


def _postings(db: sqlite3.Connection, ids: Iterable[int]) -> tuple[array[int], array[int]]:
    body, head = [], []
    for number in ids:
        low, high = number << BLOCK_BITS, (number + 1) << BLOCK_BITS
        for row in db.execute("SELECT body, head FROM postings WHERE key >= ? AND key < ? ORDER BY key", (low, high)):
            body.append(row[0])
            head.append(row[1])
    bodies, heads = numbers(b"".join(body)), numbers(b"".join(head))
    if isinstance(ids, list) and len(ids) > 1:
        bodies, heads = array(NUMBER, sorted(set(bodies))), array(NUMBER, sorted(set(heads)))
    return bodies, heads


def first_chunks(terms: list[Found], scope: Scope, weights: Weights) -> dict[int, float]:
    """Chunk to the weight of the terms in it and above it."""
    scores: dict[int, float] = {}
    counted = 0
    for term in sorted(terms, key=lambda term: len(term.body)):
        weight = term.weight * term.factor
        if term.head:
            _add(scores, dict.fromkeys(term.head, weight * weights.first_head))
        if counted > _POSTINGS:
            for chunk in scores.keys() & term.body:
                scores[chunk] += weight
        else:
            counted += len(term.body)
            _add(scores, dict.fromkeys(term.body, weight))
    wholes = {at: scores.pop(at) for at in {at for term in terms for at in term.head if at & WHOLE == WHOLE}}
    if scope.files is not None:
        scores = {chunk: score for chunk, score in scores.items() if chunk >> CHUNK_BITS in scope.files}
        wholes = {chunk: score for chunk, score in wholes.items() if chunk >> CHUNK_BITS in scope.files}
    if scope.facts:
        scores = {chunk: score for chunk, score in scores.items() if scope.lets(chunk)}
    return _with_wholes(scores, wholes, scope)


def _add(scores: dict[int, float], held: dict[int, float]) -> None:
    """The values of `held` to those of `scores`, most of them without a loop."""
    for chunk in scores.keys() & held.keys():
        held[chunk] += scores[chunk]
    scores.update(held)


def _with_wholes(scores: dict[int, float], wholes: dict[int, float], scope: Scope) -> dict[int, float]:
    """`scores` with what is said about whole files; a file that nothing else is said about gets its first chunk."""
    if not wholes:
        return scores
    left = dict(wholes)
    for chunk in [chunk for chunk in scores if chunk | WHOLE in wholes]:
        scores[chunk] += wholes[chunk | WHOLE]
        left.pop(chunk | WHOLE, None)
    for whole, score in left.items():
        scores |= dict.fromkeys(scope.firsts(whole >> CHUNK_BITS), score)
    return scores


def _best(db: sqlite3.Connection, chunks: dict[int, float], most: int) -> dict[int, float]:
    """The best `most` chunks, and up to as many again that say as much as the last of them."""
    if len(chunks) <= most:
        return chunks
    least = sorted(chunks.values(), reverse=True)[most - 1]
    kept = {chunk: score for chunk, score in chunks.items() if score >= least}
    if len(kept) <= 2 * most:
        return kept
    return {chunk: kept[chunk] for chunk in first(db, kept, most, CHUNK_BITS)}


def narrowed(query: Query, chunks: dict[int, float], look: Look) -> dict[int, float]:
    """The chunks that hold every term of the phrases, in their text or above it, and no excluded word above it.

    `look` gives the chunks with a term in their text, and those with it above it.
    """
    for text in (run[0] for run in query.excluded if len(run) == 1):  # `passages` looks for longer runs
        held = set(look(text)[1])
        chunks = {chunk: score for chunk, score in chunks.items() if not held & {chunk, chunk | WHOLE}}
    for text in {text for phrase in query.phrases for text in phrase}:
        held = {number for part in look(text) for number in part}
        chunks = {chunk: score for chunk, score in chunks.items() if chunk in held or chunk | WHOLE in held}
    return chunks


def _files(
    db: sqlite3.Connection,
    terms: list[Found],
    chunks: dict[int, float],
    size: Statistics,
    total: float,
    k: float,
    most: int,
) -> dict[int, FileFacts]:
    """How much each of the files with the best chunks holds of the terms, 0 to 1."""
    bests: dict[int, float] = {}
    for chunk, score in chunks.items():
        file = chunk >> CHUNK_BITS
        bests[file] = max(score, bests.get(file, 0.0))
    wanted = first(db, bests, most)
    average = size.chunks / max(1, size.files)
    known = rows(db, wanted)
    return {
        number: FileFacts(_share(terms, number, k * (0.5 + 0.5 * row.chunks / average)) / total, row.date)
        for number in wanted
        if (row := known.get(number)) is not None and row.chunks  # an empty file has a name and no passage
    }


def _share(terms: list[Found], file: int, length: float) -> float:
    low, high = file << CHUNK_BITS, (file + 1) << CHUNK_BITS
    score = 0.0
    for term in terms:
        start = bisect_left(term.body, low)
        held = bisect_left(term.body, high, start) - start
        if held:
            score += term.weight * term.factor * held / (held + length)
    return score
