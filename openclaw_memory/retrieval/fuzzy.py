"""Terms of the index near a word that it does not hold: a typo in the query, or in the notes."""

from __future__ import annotations

import sqlite3

_SHORTEST = 5
_MOST = 3
_SCANNED = 4000


def near(db: sqlite3.Connection, text: str) -> list[int]:
    """The numbers of up to three terms that `text` may be a typo of: same first letters, one or two edits away."""
    if len(text) < _SHORTEST or not text.isalpha():
        return []
    allowed = 1 if len(text) < 8 else 2
    head = text[:2]
    rows = db.execute(
        "SELECT id, term FROM terms WHERE term >= ? AND term < ? AND LENGTH(term) BETWEEN ? AND ? LIMIT ?",
        (head, head + "\U0010ffff", len(text) - allowed, len(text) + allowed, _SCANNED),
    )
    found = [(edits(text, term, allowed), term, number) for number, term in rows]
    return [number for distance, _, number in sorted(found)[:_MOST] if distance <= allowed]


def edits(a: str, b: str, most: int) -> int:
    """How many letters must be inserted, dropped, changed or swapped with their neighbour; `most + 1` for more."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, before = before, row
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
