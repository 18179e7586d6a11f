"""The first step of the leg of words: which chunks are worth a look, by the weight of the terms in them and above them.

What `arrays.shortlist` does with numpy in a process that stays, to the last digit. Imports neither numpy nor
LlamaIndex.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from sys import byteorder

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.asked import FileFacts, Found, Weights
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.order import first
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.rows import rows
from openclaw_memory.retrieval.scope import Scope

if TYPE_CHECKING:
    Look = Callable[[str], tuple[array[int], array[int]]]
    Lookup = Callable[[str], Found]

POSTINGS = 5000
"""Postings that are counted; terms beyond that, the most frequent ones, only add to chunks that others found."""


SPARE = 3
"""How many times more chunks than are scored are looked at for what their files hold."""


class Depth(Record):
    """How many chunks go on, and how many files are weighed."""

    chunks: int
    files: int


class Chosen(Record):
    """The chunks whose passages are scored, in no certain order, and what is known of their files."""

    chunks: list[int]
    files: Mapping[int, FileFacts]


def first_chunks(terms: Sequence[Found], scope: Scope, weights: Weights) -> dict[int, float]:
    """Chunk to the weight of the terms in it and above it."""
    scores: dict[int, float] = {}
    counted = 0
    for term in sorted(terms, key=lambda term: len(term.body)):
        weight = term.weight * term.factor
        if term.head:
            scores = _sum(scores, dict.fromkeys(term.head, weight * weights.first_head))
        if counted > POSTINGS:
            for chunk in filter(scores.__contains__, term.body):
                scores[chunk] += weight
        else:
            counted += len(term.body)
            scores = _sum(scores, dict.fromkeys(term.body, weight))
    wholes = {at >> CHUNK_BITS: scores.pop(at) for at in {at for term in terms for at in _wholes(term.head)}}
    if scope.files is not None:
        scores = {chunk: score for chunk, score in scores.items() if chunk >> CHUNK_BITS in scope.files}
        wholes = {file: score for file, score in wholes.items() if file in scope.files}
    if scope.facts:
        scores = {chunk: score for chunk, score in scores.items() if scope.lets(chunk)}
    return _with_wholes(scores, wholes, scope)


def _sum(scores: dict[int, float], more: dict[int, float]) -> dict[int, float]:
    """The values of both, most of them without a loop. Neither is to be used afterwards."""
    if len(scores) < len(more):
        scores, more = more, scores
    for chunk in filter(scores.__contains__, more):
        more[chunk] += scores[chunk]
    scores.update(more)
    return scores


def _wholes(head: array[int]) -> Iterable[int]:
    """Those of the places that stand for whole files: few words have any, and a look at the lowest bytes tells."""
    lowest = 0 if byteorder == "little" else head.itemsize - 1
    some = WHOLE & 0xFF in head.tobytes()[lowest :: head.itemsize]
    return [at for at in head if at & WHOLE == WHOLE] if some else ()


def _with_wholes(scores: dict[int, float], wholes: dict[int, float], scope: Scope) -> dict[int, float]:
    """`scores` with what is said about whole files; one that nothing else is said about gets its first chunk."""
    if not wholes:
        return scores
    left = set(wholes)
    for chunk, score in scores.items():
        file = chunk >> CHUNK_BITS
        if file in wholes:
            scores[chunk] = score + wholes[file]  # of a key that is there: that does not disturb the loop
            left.discard(file)
    for file in left:
        scores |= dict.fromkeys(scope.firsts(file), wholes[file])
    return scores


def best(db: sqlite3.Connection, chunks: dict[int, float], most: int) -> dict[int, float]:
    """The best `most` chunks, and up to as many again that say as much as the last of them."""
    if len(chunks) <= most:
        return chunks
    return {chunk: chunks[chunk] for chunk in first(db, chunks, most, CHUNK_BITS, spare=most)}


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


def chosen(
    db: sqlite3.Connection,
    query: Query,
    terms: Sequence[Found],
    scope: Scope,
    weights: Weights,
    usual: float,
    depth: Depth,
    look: Lookup,
) -> Chosen:
    """The best chunks in `scope` that have what `query` requires, with what their files hold.

    `usual` is how many chunks a file has; `look` gives the postings of a term as it is spelt.
    """
    total = sum(term.weight for term in terms)
    chunks = first_chunks(terms, scope, weights)
    if query.phrases or query.excluded:
        chunks = narrowed(query, chunks, lambda text: (look(text).body, look(text).head))
    chunks = best(db, chunks, SPARE * depth.chunks)
    lengths = _lengths(db, chunks, weights.file_k, usual, depth.files)
    known = rows(db, lengths)
    files = {file: FileFacts(_share(terms, file, k) / total, known[file].date) for file, k in lengths.items()}
    ranked = {
        chunk: score + weights.first_file * total * files[chunk >> CHUNK_BITS].score
        for chunk, score in chunks.items()
        if chunk >> CHUNK_BITS in files
    }
    return Chosen(list(best(db, ranked, depth.chunks)), files)


def _lengths(db: sqlite3.Connection, chunks: dict[int, float], k: float, usual: float, most: int) -> dict[int, float]:
    """The files with the best chunks, and their lengths as BM25 has them: k times 1 for a usual one."""
    bests: dict[int, float] = {}
    for chunk, score in chunks.items():
        file = chunk >> CHUNK_BITS
        if score > bests.get(file, 0.0):
            bests[file] = score
    wanted = first(db, bests, most)
    known = rows(db, wanted)
    return {
        number: k * (0.5 + 0.5 * row.chunks / usual)
        for number in wanted
        if (row := known.get(number)) is not None and row.chunks  # an empty file has a name and no passage
    }


def _share(terms: Sequence[Found], file: int, length: float) -> float:
    low, high = file << CHUNK_BITS, (file + 1) << CHUNK_BITS
    score = 0.0
    for term in terms:
        start = bisect_left(term.body, low)
        held = bisect_left(term.body, high, start) - start
        if held:
            score += term.weight * term.factor * held / (held + length)
    return score
