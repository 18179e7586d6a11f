"""The leg of meaning: exact search over the vectors of the index. Imports numpy: nothing on the way of `search` may.

Scores are absolute: the cosine, stretched so that 0 is what the model gives to sentences that have nothing in common
(MiniLM 0.0, E5 about 0.75) and 1 is identity.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from openclaw_memory.retrieval import store
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.vectors import baseline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_BLOCK = 8192
_FILE = 0.3
"""How much the best passage of a file counts for all passages in it."""
_MOST_KEPT = 2


class Matrix(NamedTuple):
    """All vectors of an index: `passages` sorted, one row of `codes` (int8) and one of `scales` each."""

    passages: NDArray[np.int64]
    codes: NDArray[np.int8]
    scales: Floats
    baseline: float
    """The cosine that this model gives to what has nothing in common."""

    def cosines(self, query: Floats) -> Floats:
        """The cosine of every row with `query` (length 1)."""
        out = np.empty(len(self.passages), np.float32)
        for at in range(0, len(out), _BLOCK):
            out[at : at + _BLOCK] = self.codes[at : at + _BLOCK].astype(np.float32) @ query
        out *= self.scales
        return out

    def scores(self, query: Floats) -> Floats:
        """Every passage's cosine, with that of the best passage of its file, as a score, 0 to 1."""
        cosines = self.cosines(query)
        files = self.passages >> (ATOM_BITS + CHUNK_BITS)
        starts = np.flatnonzero(np.diff(files, prepend=-1))
        best = np.repeat(np.maximum.reduceat(cosines, starts), np.diff(starts, append=len(files)))
        mixed = (1 - _FILE) * cosines + _FILE * best
        found: Floats = np.clip((mixed - self.baseline) / (1 - self.baseline), 0, 1)
        return found


_kept: dict[tuple[str, str], Matrix] = {}


def matrix(db: sqlite3.Connection) -> Matrix | None:
    """The vectors of an index, kept in memory until its generation changes; None where it has none."""
    name = str(db.execute("PRAGMA database_list").fetchone()[2])
    key = (name, store.meta(db, "generation"))
    if key not in _kept:
        loaded = _load(db)
        if loaded is None:
            return None
        for old in list(_kept)[: 1 - _MOST_KEPT or None]:
            del _kept[old]
        _kept[key] = loaded
    return _kept[key]


def _load(db: sqlite3.Connection) -> Matrix | None:
    rows = db.execute(
        "SELECT passage, scale, codes FROM embedded JOIN vectors USING (hash) ORDER BY passage"
    ).fetchall()
    if not rows:
        return None
    codes = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(len(rows), -1)
    passages = np.array([row[0] for row in rows], np.int64)
    scales = np.array([row[1] for row in rows], np.float32)
    return Matrix(passages, codes, scales, baseline(db))


def dense(db: sqlite3.Connection, query: Floats, scope: Scope, limit: int, also: Iterable[int] = ()) -> list[Candidate]:
    """The best `limit` passages by meaning, and those of `also` that have a vector; best first."""
    found = matrix(db)
    if found is None:
        return []
    scores = found.scores(np.asarray(query, np.float32))
    if scope.files is not None:
        files = found.passages >> (ATOM_BITS + CHUNK_BITS)
        scores = np.where(np.isin(files, np.fromiter(scope.files, np.int64)), scores, -1.0)
    take = min(limit, len(scores))
    best = np.argpartition(-scores, take - 1)[:take] if take else np.empty(0, np.int64)
    wanted = np.unique(np.concatenate([best, _places(found, also)]))
    order = wanted[np.lexsort((found.passages[wanted], -scores[wanted]))]
    return [Candidate(int(found.passages[row]), float(scores[row])) for row in order if scores[row] > 0]


def _places(found: Matrix, passages: Iterable[int]) -> NDArray[np.int64]:
    wanted = np.fromiter(passages, np.int64)
    at = np.searchsorted(found.passages, wanted)
    at = at[at < len(found.passages)]
    hit: NDArray[np.int64] = at[np.isin(found.passages[at], wanted)]
    return hit
