"""What a query requires of a passage, whichever leg found it: every phrase, and nothing that is excluded.

The leg of words sees to it by itself; this is for passages that were found by their meaning. Imports no numpy.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence

from openclaw_memory.retrieval.asked import Excluded, main_terms, run_of, runs
from openclaw_memory.retrieval.hits import ATOM_BITS, Candidate
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.texts import heads_of, texts


def required(db: sqlite3.Connection, query: Query, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Those of `candidates` that have what the query requires, in their order."""
    if not query.phrases and not query.excluded:
        return candidates
    excluded = Excluded(db, query.excluded)
    phrases = [run_of(db, phrase) for phrase in query.phrases]
    if None in phrases:  # a word that no text holds
        return []
    held = ((one, _texts(db, one.passage)) for one in candidates)
    return [
        one
        for one, parts in held
        if not any(map(excluded.within, parts))
        and all(any(runs(main_terms(part), phrase) for part in parts) for phrase in phrases)
    ]


def _texts(db: sqlite3.Connection, passage: int) -> list[array[int]]:
    """The stored terms of a passage, and of what stands above it."""
    chunk, place = passage >> ATOM_BITS, passage & ((1 << ATOM_BITS) - 1)
    text = texts(db, [chunk]).get(chunk)
    return [text.atom(place), *heads_of(db, chunk)] if text else []
