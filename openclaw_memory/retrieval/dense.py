"""The leg of meaning: exact search over the vectors of the index. Imports numpy: nothing on the way of `search` may.

Scores are absolute: the cosine, stretched so that 0 is what the model gives to sentences that have nothing in common
(MiniLM 0.0, E5 about 0.75) and 1 is identity.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import numpy as np

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.mapped import Matrix, matrix
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.scope import Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_DIGITS = 6
_PART = 8


def dense(db: sqlite3.Connection, query: Floats, scope: Scope, limit: int, also: Iterable[int] = ()) -> list[Candidate]:
    """The best `limit` passages by meaning (and equals of the last), and those of `also` that have a vector."""
    found = matrix(db)
    if found is None:
        return []
    scores = found.scores(np.asarray(query, np.float32)).round(_DIGITS)  # where a row stands shows in the digits behind
    if scope.files is not None:
        files = found.passages >> (ATOM_BITS + CHUNK_BITS)
        scores = np.where(np.isin(files, np.fromiter(scope.files, np.int64)), scores, 0)
        if scope.facts:
            let = np.fromiter((chunk for some in scope.facts.values() for chunk in some), np.int64)
            narrowed = np.isin(files, np.fromiter(scope.facts, np.int64))
            scores = np.where(narrowed & ~np.isin(found.passages >> ATOM_BITS, let), 0, scores)
    least = _least(scores, limit) if 0 < limit < len(scores) else 0
    places = _places(found, also)
    rows = np.union1d(np.flatnonzero((scores >= least) & (scores > 0)), places[scores[places] > 0])
    pairs = zip(found.passages[rows].tolist(), scores[rows].tolist(), strict=True)
    return ordered(db, [Candidate(passage, score, {"closeness": score}) for passage, score in pairs])


def unread(db: sqlite3.Connection, passages: Iterable[int]) -> frozenset[int]:
    """Those of `passages` that have no vector (yet)."""
    found = matrix(db)
    wanted = np.fromiter(passages, np.int64)
    if found is not None:
        at = np.minimum(np.searchsorted(found.passages, wanted), len(found.passages) - 1)
        wanted = wanted[found.passages[at] != wanted]
    return frozenset(wanted.tolist())


def _least(scores: Floats, limit: int) -> np.float32:
    """The `limit`th highest score. That of a part of them is no higher, so that few have to be sorted."""
    part = scores[::_PART]
    if limit < len(part):
        scores = scores[scores >= np.partition(part, -limit)[-limit]]
    least: np.float32 = np.partition(scores, -limit)[-limit]
    return least


def _places(found: Matrix, passages: Iterable[int]) -> NDArray[np.int64]:
    wanted = np.fromiter(passages, np.int64)
    at = np.searchsorted(found.passages, wanted)
    at = at[at < len(found.passages)]
    hit: NDArray[np.int64] = at[np.isin(found.passages[at], wanted)]
    return hit
