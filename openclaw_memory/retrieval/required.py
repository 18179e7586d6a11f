"""What a query requires of a passage, whichever leg found it: every phrase, and none of the excluded words.

The leg of words sees to it by itself; this is for passages that were found by their meaning. Imports no numpy.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence

from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexical import numbers_of
from openclaw_memory.retrieval.lexicon import END, NUMBER
from openclaw_memory.retrieval.passages import main_terms, runs
from openclaw_memory.retrieval.postings import numbers
from openclaw_memory.retrieval.query import Query

_STORED = """
SELECT chunks.terms, chunks.head, files.head FROM chunks JOIN files ON files.id = chunks.id >> :bits
WHERE chunks.id = :chunk
"""


def required(db: sqlite3.Connection, query: Query, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Those of `candidates` that have what the query requires, in their order."""
    if not query.phrases and not query.excluded:
        return candidates
    excluded = {number for text in query.excluded for number in numbers_of(db, text)}
    phrases = [_run(db, phrase) for phrase in query.phrases]
    if None in phrases:  # a word that no text holds
        return []
    texts = ((one, _texts(db, one.passage)) for one in candidates)
    return [
        one
        for one, parts in texts
        if excluded.isdisjoint(number for part in parts for number in part)
        and all(any(runs(main_terms(part), phrase) for part in parts) for phrase in phrases)
    ]


def _run(db: sqlite3.Connection, phrase: tuple[str, ...]) -> array[int] | None:
    found = [number for text in phrase for number in numbers_of(db, text)[:1]]
    return array(NUMBER, found) if len(found) == len(phrase) else None


def _texts(db: sqlite3.Connection, passage: int) -> list[array[int]]:
    """The stored terms of a passage, and of what stands above it."""
    row = db.execute(_STORED, {"bits": CHUNK_BITS, "chunk": passage >> ATOM_BITS}).fetchone()
    if row is None:
        return []
    body, *above = map(numbers, row)
    start = 0
    for _ in range(passage & ((1 << ATOM_BITS) - 1)):
        start = body.index(END, start) + 1
    return [body[start : body.index(END, start)], *above]
