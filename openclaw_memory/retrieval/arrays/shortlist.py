"""The first step of the leg of words by numpy: see `retrieval.shortlist`, whose every sum is made here in its order."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import shortlist as plain
from openclaw_memory.retrieval.arrays.corpus import Corpus, corpus, holders, ranks
from openclaw_memory.retrieval.asked import FileFacts, Found, Weights
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.rows import rows
from openclaw_memory.retrieval.scope import Scope

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Flags, Floats, Places, Small


def chosen(
    db: sqlite3.Connection,
    query: Query,
    terms: Sequence[Found],
    scope: Scope,
    weights: Weights,
    usual: float,
    depth: plain.Depth,
    look: plain.Lookup,
) -> plain.Chosen:
    """See `shortlist.chosen`."""
    total = sum(term.weight for term in terms)
    held = corpus(db)
    places, scores = _first(db, held, terms, scope, weights)
    if query.phrases or query.excluded:
        kept = _required(db, held, query, places, look)
        places, scores = places[kept], scores[kept]
    best = _best(db, held, places, scores, plain.SPARE * depth.chunks)
    places, scores = places[best], scores[best]
    files = _files(db, held, places, scores, depth.files)
    lengths = weights.file_k * (0.5 + 0.5 * held.counts[files].astype(np.float64) / usual)
    shares = np.full(len(held.counts), -1.0)
    shares[files] = _shares(terms, files, lengths) / total
    of = held.files[places]
    inside = shares[of] >= 0
    places, of = places[inside], of[inside]
    ranked = scores[inside] + weights.first_file * total * shares[of]
    best = _best(db, held, places, ranked, depth.chunks)
    chunks, of = held.chunks(places[best]).tolist(), of[best]
    held_by = dict(zip(of.tolist(), shares[of].tolist(), strict=True))
    known = rows(db, held_by)
    return plain.Chosen(chunks, {file: FileFacts(share, known[file].date) for file, share in held_by.items()})


def _first(
    db: sqlite3.Connection, held: Corpus, terms: Sequence[Found], scope: Scope, weights: Weights
) -> tuple[Places, Floats]:
    """The chunks in `scope` that hold terms, and the weight of the terms in them and above them."""
    scores, wholes = _weighed(db, held, terms, weights)
    places = np.flatnonzero(scores > 0)  # of truth values: of numbers it takes six times as long
    if scope.files is not None:
        inside = np.zeros(len(wholes), np.bool_)
        inside[np.fromiter(scope.files, np.int64, len(scope.files))] = True
        places = places[inside[held.files[places]]]
        wholes[~inside] = 0.0
    if scope.facts:
        places = places[_let(held, scope)[places]]
    return _with_wholes(held, places, scores.take(places), wholes, scope)


def _let(held: Corpus, scope: Scope) -> Flags:
    """By the place of a chunk, whether it counts where its file does."""
    some = np.zeros(len(held.counts), np.bool_)
    some[list(scope.facts)] = True
    let: Flags = ~some[held.files]
    let[held.places(np.array([chunk for chunks in scope.facts.values() for chunk in chunks], np.int64))] = True
    return let


def _required(db: sqlite3.Connection, held: Corpus, query: Query, places: Places, look: plain.Lookup) -> Flags:
    """Which of the chunks hold every term of the phrases, and no excluded word above them: see `plain.narrowed`."""
    kept = np.ones(len(places), np.bool_)
    of = held.files[places]
    for text in (run[0] for run in query.excluded if len(run) == 1):
        kept &= ~_holding(db, held, look(text), places, of, only_above=True)
    for text in {text for phrase in query.phrases for text in phrase}:
        kept &= _holding(db, held, look(text), places, of)
    return kept


def _holding(
    db: sqlite3.Connection, held: Corpus, term: Found, places: Places, of: Small, only_above: bool = False
) -> Flags:
    """Which of the chunks (`of` these files) hold a term, in their text or above it."""
    holding = holders(db, held, term)
    chunks, files = np.zeros(len(held.files), np.bool_), np.zeros(len(held.counts), np.bool_)
    chunks[holding.head] = True
    files[holding.files] = True
    if not only_above:
        chunks[holding.body] = True
    found: Flags = chunks[places] | files[of]
    return found


def _weighed(db: sqlite3.Connection, held: Corpus, terms: Sequence[Found], weights: Weights) -> tuple[Floats, Floats]:
    """The weight of the terms in and above each chunk; and by file, of those that are said of all of it."""
    scores, wholes = np.zeros(len(held.files)), np.zeros(len(held.starts) - 1)
    add = np.add.at  # `+=` at as many places takes seven times as long
    counted = 0
    for term in sorted(terms, key=lambda term: len(term.body)):
        weight = term.weight * term.factor
        holding = holders(db, held, term)
        add(wholes, holding.files, weight * weights.first_head)
        add(scores, holding.head, weight * weights.first_head)
        places = holding.body
        if counted > plain.POSTINGS:
            places = places.compress(scores.take(places) > 0)
        else:
            counted += len(term.body)
        add(scores, places, weight)
    return scores, wholes


def _with_wholes(held: Corpus, places: Places, scores: Floats, wholes: Floats, scope: Scope) -> tuple[Places, Floats]:
    """The chunks with what is said about whole files; a file that nothing else is said about gets its first chunk."""
    alone = wholes > 0
    if not alone.any():
        return places, scores
    of = held.files[places]
    alone[of] = False
    left = np.flatnonzero(alone)
    if scope.facts:  # or its facts that count
        chunks = [chunk for file in left.tolist() for chunk in scope.firsts(file)]
        firsts = held.places(np.array(chunks, np.int64))
    else:
        firsts = held.starts[left].astype(np.int64)
    return np.concatenate((places, firsts)), np.concatenate((scores + wholes[of], wholes[held.files[firsts]]))


def _best(db: sqlite3.Connection, held: Corpus, places: Places, scores: Floats, most: int) -> Flags | Places:
    """Which of the chunks are the best `most`, and up to as many again that say as much as the last of them."""
    if len(scores) <= most:
        return np.ones(len(scores), np.bool_)
    least = _least(scores, most)
    kept: Flags = scores >= least
    if np.count_nonzero(kept) <= 2 * most:
        return kept
    files = held.files[places]
    return _cut(scores, least, (ranks(db)[1][files] << CHUNK_BITS) + (places - held.starts[files]), most)


def _least(scores: Floats, most: int) -> np.float64:
    """The worst of the best `most`."""
    least: np.float64 = np.partition(scores, -most)[-most]
    return least


def _cut(scores: Floats, least: np.float64, order: Places, most: int) -> Places:
    """The best `most` of more, the worst of which has `least`; of equals the first in `order`."""
    above, edge = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    left = most - len(above)
    return np.concatenate((above, edge[np.argpartition(order[edge], left - 1)[:left]]))


def _files(db: sqlite3.Connection, held: Corpus, places: Places, scores: Floats, most: int) -> Places:
    """The `most` files with the best chunks, in order; none that is empty, as it has a name and no passage."""
    bests = np.zeros(len(held.counts))
    np.maximum.at(bests, held.files[places], scores)
    files = np.flatnonzero(bests > 0)
    if len(files) > most:
        scores = bests[files]
        files = np.sort(files[_cut(scores, _least(scores, most), ranks(db)[1][files], most)])
    full: Places = files[held.counts[files] > 0]
    return full


def _shares(terms: Sequence[Found], files: Places, lengths: Floats) -> Floats:
    """How much each of `files` (in order) holds of the terms, by their weight."""
    low = files.astype(np.uint32) << CHUNK_BITS
    high = low | WHOLE  # behind all chunks of the file: none is numbered so
    scores = np.zeros(len(files))
    for term in terms:
        body = np.asarray(term.body)
        held = np.searchsorted(body, high) - np.searchsorted(body, low)
        scores += term.weight * term.factor * held / (held + lengths)
    return scores
