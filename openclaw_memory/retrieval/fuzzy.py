"""Terms of the index near a word that it does not hold: a typo in the query, or in the notes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import islice

from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.postings import BLOCK_BITS, REMEMBERED

_SHORTEST, _LONG = 5, 8
MOST = 3
_SCANNED = 4000


def near(db: sqlite3.Connection, text: str) -> list[int]:
    """The numbers of up to three terms that `text` may be a typo of: same first letters, one or two edits away."""
    if not may_be_a_typo(text):
        return []
    known: dict[str, list[int]] = remembered(db, "similar", REMEMBERED)
    if text not in known:
        known[text] = _near(db, text)
    return known[text]


def _near(db: sqlite3.Connection, text: str) -> list[int]:
    allowed = _allowed(text)
    head = text[:2]
    rows = db.execute(
        "SELECT term, id FROM terms WHERE term >= ? AND term < ? AND LENGTH(term) BETWEEN ? AND ?"
        " ORDER BY term LIMIT ?",
        (head, head + "\U0010ffff", len(text) - allowed, len(text) + allowed, _SCANNED),
    )
    ids = dict(rows.fetchall())
    return list(islice((ids[term] for term in close(text, ids) if is_used(db, ids[term])), MOST))


def close(text: str, terms: Iterable[str]) -> list[str]:
    """Those of `terms` that are one or two edits away, the nearest first."""
    allowed = _allowed(text)
    return [
        term for distance, term in sorted((edits(text, term, allowed), term) for term in terms) if distance <= allowed
    ]


def may_be_a_typo(text: str) -> bool:
    """Whether a word is long enough, and one of letters."""
    return len(text) >= _SHORTEST and text.isalpha()


def _allowed(text: str) -> int:
    return 1 if len(text) < _LONG else 2


def is_used(db: sqlite3.Connection, number: int) -> bool:
    """Whether a text holds the term still: the index keeps the numbers of all terms it ever saw."""
    low, high = number << BLOCK_BITS, (number + 1) << BLOCK_BITS
    return db.execute("SELECT 1 FROM postings WHERE key >= ? AND key < ? LIMIT 1", (low, high)).fetchone() is not None


def edits(a: str, b: str, most: int) -> int:
    """How many letters must be inserted, dropped, changed or swapped with their neighbour; `most + 1` for more.

    Only what is at most so far from the diagonal can be that near (Ukkonen, "Algorithms for approximate string
    matching", 1985).
    """
    far = most + 1
    if abs(len(a) - len(b)) > most:
        return far
    before: list[int] = []
    row = [min(at, far) for at in range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        above, before = before, row
        row = [far] * (len(b) + 1)
        row[0] = min(i, far)
        for j in range(max(1, i - most), min(len(b), i + most) + 1):
            y = b[j - 1]
            cost = before[j - 1] + (x != y)
            if before[j] < cost:
                cost = before[j] + 1
            if row[j - 1] < cost:
                cost = row[j - 1] + 1
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y and above[j - 2] < cost:
                cost = above[j - 2] + 1
            row[j] = cost
        if min(row) > most:
            return far
    return min(row[-1], far)
