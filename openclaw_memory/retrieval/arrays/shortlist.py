"""The first step of the leg of words by numpy: see `retrieval.shortlist`, whose every sum is made here in its order."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import shortlist as plain
from openclaw_memory.retrieval.arrays.corpus import Corpus, corpus, ranks
from openclaw_memory.retrieval.asked import Found, Weights
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.scope import Scope

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Flags, Floats, Places


def shortlist(
    db: sqlite3.Connection, terms: Sequence[Found], scope: Scope, weights: Weights, most: int
) -> dict[int, float]:
    """Chunk to the weight of the terms in it and above it; the best `most`, as `shortlist.best` has them."""
    held = corpus(db)
    scores, wholes = _weighed(held, terms, weights)
    places = np.flatnonzero(scores > 0)  # of truth values: of numbers it takes six times as long
    if scope.files is not None:
        inside = np.zeros(len(wholes), np.bool_)
        inside[np.fromiter(scope.files, np.int64, len(scope.files))] = True
        places = places[inside[held.files[places]]]
        wholes[~inside] = 0.0
    places, found = _with_wholes(held, places, scores[places], wholes)
    kept = _best(db, held, places, found, most)
    return dict(zip(held.chunks(places[kept]).tolist(), found[kept].tolist(), strict=True))


def _weighed(held: Corpus, terms: Sequence[Found], weights: Weights) -> tuple[Floats, Floats]:
    """The weight of the terms in and above each chunk; and by file, of those that are said of all of it."""
    scores, wholes = np.zeros(len(held.files)), np.zeros(len(held.starts) - 1)
    counted = 0
    for term in sorted(terms, key=lambda term: len(term.body)):
        weight = term.weight * term.factor
        if term.head:
            head = np.asarray(term.head)
            is_whole = head & WHOLE == WHOLE
            wholes[head[is_whole] >> CHUNK_BITS] += weight * weights.first_head
            scores[held.places(head[~is_whole])] += weight * weights.first_head
        places = held.places(np.asarray(term.body))
        if counted > plain.POSTINGS:
            places = places[scores[places] > 0]
        else:
            counted += len(term.body)
        scores[places] += weight
    return scores, wholes


def _with_wholes(held: Corpus, places: Places, scores: Floats, wholes: Floats) -> tuple[Places, Floats]:
    """The chunks with what is said about whole files; a file that nothing else is said about gets its first chunk."""
    alone = wholes > 0
    if not alone.any():
        return places, scores
    of = held.files[places]
    alone[of] = False
    left = np.flatnonzero(alone)
    return np.concatenate((places, held.starts[left])), np.concatenate((scores + wholes[of], wholes[left]))


def _best(db: sqlite3.Connection, held: Corpus, places: Places, scores: Floats, most: int) -> Flags | Places:
    """Which of the chunks are the best `most`, and up to as many again that say as much as the last of them."""
    if len(scores) <= most:
        return np.ones(len(scores), np.bool_)
    least = np.partition(scores, -most)[-most]
    kept: Flags = scores >= least
    if np.count_nonzero(kept) <= 2 * most:
        return kept
    above, edge = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    files = held.files[places[edge]]
    keys = (ranks(db)[1][files] << CHUNK_BITS) + (places[edge] - held.starts[files])
    return np.concatenate((above, edge[np.argpartition(keys, most - len(above))[: most - len(above)]]))


def shares(terms: Sequence[Found], lengths: Mapping[int, float]) -> dict[int, float]:
    """See `shortlist.shares`."""
    files, length = np.array(sorted(lengths), np.uint32), np.array([lengths[file] for file in sorted(lengths)])
    low = files << CHUNK_BITS
    high = low | WHOLE  # behind all chunks of the file: none is numbered so
    scores = np.zeros(len(files))
    for term in terms:
        body = np.asarray(term.body)
        held = np.searchsorted(body, high) - np.searchsorted(body, low)
        scores += term.weight * term.factor * held / (held + length)
    return dict(zip(files.tolist(), scores.tolist(), strict=True))
