"""What a query requires of a passage, by numpy: every phrase in it or above it, and nothing that is excluded."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence

import numpy as np

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.arrays.atoms import Atoms, atoms_of
from openclaw_memory.retrieval.asked import Excluded, run_of
from openclaw_memory.retrieval.lexicon import END, NUMBER
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.texts import heads

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Flags, Places

_END = array(NUMBER, [END]).tobytes()


class Required(Record):
    """What of some chunks may be a passage."""

    atoms: Flags
    """By atom."""
    firsts: Places
    """By chunk, its first atom that holds nothing excluded; the first one of the next chunk where all do."""


def required(db: sqlite3.Connection, query: Query, chunks: Sequence[int], atoms: Atoms) -> Required | None:
    """What `query` lets through of `chunks`, which `atoms` are of; None for all of it."""
    if not query.phrases and not query.excluded:
        return None
    excluded = Excluded(db, query.excluded)
    out = _holding(atoms, excluded)
    free = np.append(np.flatnonzero(~out), len(out))
    firsts = free[np.searchsorted(free, atoms.firsts[:-1])]
    let = ~out
    above = _above(db, chunks) if query.phrases or excluded.runs else None
    if above is not None and query.phrases:
        phrases = [run_of(db, phrase) for phrase in query.phrases]
        said = np.all([_of_chunks(above, flags) for flags in above.having_runs(phrases)], axis=0)
        let &= np.all(atoms.having_runs(phrases), axis=0) | said[atoms.chunks]
    if above is not None and excluded.runs:  # what lies below a single word that is excluded is not among `chunks`
        let &= ~_of_chunks(above, _holding(above, excluded))[atoms.chunks]
    return Required(let, firsts)


def _holding(atoms: Atoms, excluded: Excluded) -> Flags:
    """Which atoms hold what is excluded."""
    found = atoms.having(excluded.words)
    if excluded.runs:
        found |= np.any(atoms.having_runs(excluded.runs), axis=0)
    return found


def _above(db: sqlite3.Connection, chunks: Sequence[int]) -> Atoms:
    """The texts that stand above `chunks`, as if each were an atom of its chunk."""
    held = heads(db, chunks)
    texts = [_END.join((*held[chunk], b"")) for chunk in chunks]
    sizes = np.array([len(text) for text in texts], np.int64) // len(_END)
    return atoms_of(np.frombuffer(b"".join(texts), np.uint32), sizes)


def _of_chunks(atoms: Atoms, flags: Flags) -> Flags:
    """By chunk, whether one of its atoms (it has some) is flagged."""
    found: Flags = np.logical_or.reduceat(flags, atoms.firsts[:-1])
    return found
