"""The second step of the leg of words by numpy: see `retrieval.passages`. All passages of all chunks at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.arrays.atoms import atoms_of
from openclaw_memory.retrieval.arrays.corpus import texts
from openclaw_memory.retrieval.arrays.passages import held, passages
from openclaw_memory.retrieval.arrays.required import required
from openclaw_memory.retrieval.arrays.shares import Shares
from openclaw_memory.retrieval.asked import TOP, Asked, FileFacts, Found, Weights
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.query import Query

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Floats, Places

_NO_FACTS = FileFacts()
_STEPS = ("atom", "window", "shared", "bonus")


def score(
    db: sqlite3.Connection,
    query: Query,
    terms: Sequence[Found],
    chunks: Sequence[int],
    files: Mapping[int, FileFacts],
    weights: Weights,
    limit: int,
) -> list[Candidate]:
    """The best `limit` passages of `chunks`, best first."""
    if not chunks:
        return []
    numbers = sorted(chunks)
    read = texts(db, numbers)
    atoms = atoms_of(read.body, read.sizes)
    asked = Asked(db, query, terms)
    said = held(asked, np.array(numbers, np.uint32), atoms)
    let = required(db, query, numbers, atoms)
    found = passages(asked, atoms, said, let)
    shares = Shares(query, asked, weights, atoms)
    facts = [files.get(number >> CHUNK_BITS, _NO_FACTS) for number in numbers]
    steps = shares.steps(found, shares.shared(said, facts, read.sizes))
    totals = np.minimum((steps[0] + steps[1] + steps[2] + steps[3]) * read.weights[found.chunks] / TOP, 1.0)
    if let is not None:
        totals[~let.atoms[found.atoms]] = 0.0
    best = _best(totals, limit)
    chunk = found.chunks[best]
    passage = (np.array(numbers)[chunk] << ATOM_BITS) + found.atoms[best] - atoms.firsts[chunk]
    parts = zip(*(part[best].tolist() for part in steps), strict=True)
    named = [dict(zip(_STEPS, part, strict=True)) for part in parts]
    exact = np.all(found.counts[sorted(asked.needed)][:, best] > 0, axis=0) | bool(query.phrases)
    return ordered(db, map(Candidate, passage.tolist(), totals[best].tolist(), named, exact.tolist()))[:limit]


def _best(totals: Floats, most: int) -> Places:
    """The best `most` of the passages that count anything, and those that are as good as the last of them."""
    least = np.partition(totals, -most)[-most] if 0 < most < len(totals) else 0.0
    return np.flatnonzero((totals >= least) & (totals > 0))
