"""Which atoms of the best chunks are scored, by numpy: those that hold what was asked for. See `retrieval.passages`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.arrays.atoms import Atoms, Hits, counted, hits_of, total
from openclaw_memory.retrieval.arrays.required import Required
from openclaw_memory.retrieval.asked import HALF, Asked, Found
from openclaw_memory.retrieval.postings import WHOLE

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Flags, Floats, Numbers, Places


class Held(Record):
    """What some chunks hold of a query."""

    hits: Hits
    above: Flags
    """(terms, chunks): whether a term stands above a chunk, or is said of its whole file."""
    counts: Floats
    """(terms, chunks): how often a term stands in a chunk."""


class Passages(Record):
    """The atoms that are scored, in order."""

    atoms: Places
    chunks: Places
    hits: Hits
    rows: Places
    """By hit, which of the passages it is in."""
    counts: Floats
    """(terms, passages)"""
    above: Flags
    """(terms, passages): whether a term stands above it."""


def held(asked: Asked, chunks: Numbers, atoms: Atoms) -> Held:
    """What `chunks`, which `atoms` are of, hold of the query."""
    hits = hits_of(atoms, asked.slots)
    above = _above(asked.terms, chunks)
    return Held(hits, above, counted(hits.slots, atoms.chunks[hits.atoms], above.shape))


def _above(terms: Sequence[Found], chunks: Numbers) -> Flags:
    above = np.zeros((len(terms), len(chunks)), np.bool_)
    for slot, term in enumerate(terms):
        if term.head:
            head = np.asarray(term.head)
            for wanted in (chunks, chunks | WHOLE):
                at = np.searchsorted(head, wanted)
                above[slot] |= head[np.minimum(at, len(head) - 1)] == wanted
    return above


def passages(asked: Asked, atoms: Atoms, found: Held, let: Required | None) -> Passages:
    """The atoms with hits, and the first one of a chunk without; not of chunks that say too little."""
    told = _say_something(asked, found.above | (found.counts > 0))
    firsts = let.firsts if let is not None else atoms.firsts[:-1]
    silent = told & ~found.counts.any(axis=0) & (firsts < atoms.firsts[1:])
    kept = told[atoms.chunks[found.hits.atoms]]
    hits = Hits(found.hits.places[kept], found.hits.slots[kept], found.hits.atoms[kept])
    scored = np.zeros(len(atoms.ends), np.bool_)
    scored[hits.atoms] = True
    scored[firsts[silent]] = True
    rows = np.flatnonzero(scored)
    chunks = atoms.chunks[rows]
    row = np.searchsorted(rows, hits.atoms)
    counts = counted(hits.slots, row, (len(found.above), len(rows)))
    return Passages(rows, chunks, hits, row, counts, found.above[:, chunks])


def _say_something(asked: Asked, held: Flags) -> Flags:
    """Whether the terms in each chunk are two of the query's words, one that is not common, or half of it."""
    rare = [slot for slot, term in enumerate(asked.terms) if not term.common]
    told: Flags = held[sorted(asked.needed)].sum(axis=0) > 1
    told |= held[rare].any(axis=0)
    told |= total(np.array(asked.value)[:, None] * held) >= HALF
    return told
