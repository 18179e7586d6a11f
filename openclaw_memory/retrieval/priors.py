"""Small priors: how recent a dated note is, how warm its file or fact is, how important its index entry says it is.

Each multiplies a passage's score by a few percent at most: they decide between passages that say equally much, never
against one that says more. The same files, index and day give the same answer. Imports no numpy and no LlamaIndex.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.collections import DATABASE, Collections
from openclaw_memory.retrieval.heats import Fact, Heats, facts
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.indexed import importances
from openclaw_memory.retrieval.paths import below
from openclaw_memory.retrieval.rows import rows

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

RECENT = 0.02
"""What a note of today gains; half of it after `HALF_LIFE` days, and so on. Only files with a date have it."""
HALF_LIFE = 14
HEAT = {"hot": 0.01, "cold": -0.01}
IMPORTANCE = 0.01
"""What an importance of 10 gains and one of 1 loses (5.5 is the middle; none at all is no prior)."""
_MIDDLE, _SPAN = 5.5, 4.5
_DEPTH = 60
"""Candidates that are looked at; one behind these is too far from the first to be lifted by a few percent."""


class Priors(Record):
    """What is known of a workspace's files beside their text. Paths are relative to the workspace."""

    today: date
    heats: Heats
    importances: dict[str, int]

    def of(self, rel: str, day: str, fact: Fact | None = None) -> dict[str, float]:
        """{name: share of the score} of a file with the date `day` ("" for none), or of a fact in it."""
        heat = self.heats.of_fact(rel, fact) if fact else self.heats.of_file(rel)
        found = {"recency": _recency(day, self.today), "heat": HEAT.get(heat, 0.0)}
        if rel in self.importances:
            found["importance"] = IMPORTANCE * (self.importances[rel] - _MIDDLE) / _SPAN
        return {name: round(value, 6) for name, value in found.items() if abs(value) >= 1e-6}


def priors(ws: Workspace, now: str = "") -> Priors:
    """What there is to know at `now` (ISO; "" is the present); a file that is missing or broken says nothing."""
    return Priors(ws.today(now), Heats(ws, now), importances(ws))


def weigh(
    db: sqlite3.Connection, ws: Workspace, found: Collections, candidates: Sequence[Candidate], now: str = ""
) -> list[Candidate]:
    """`candidates` (best first) by their scores with the priors, best first; the priors are in their steps."""
    known = priors(ws, now)
    first = candidates[:_DEPTH]
    shares = _shares(db, ws, found, known, {one.passage >> ATOM_BITS for one in first})
    weighed = [_weighed(one, shares.get(one.passage >> ATOM_BITS, {})) for one in first]
    return sorted([*weighed, *candidates[_DEPTH:]], key=lambda one: -one.score)


def _shares(
    db: sqlite3.Connection, ws: Workspace, found: Collections, known: Priors, chunks: set[int]
) -> dict[int, dict[str, float]]:
    """The priors of `chunks`: those of their files, and of facts their own. What others share has none."""
    files = {chunk >> CHUNK_BITS for chunk in chunks}
    known_rows = rows(db, files)
    folders = {one.name: below(ws.root, one.root) for one in found.all if one.source != DATABASE}
    places = {
        number: (folders[row.collection](row.path), row.date)
        for number in files
        if (row := known_rows.get(number)) is not None and row.collection in folders
    }
    of_file = {number: known.of(*place) for number, place in places.items()}
    shares = {chunk: of_file[chunk >> CHUNK_BITS] for chunk in chunks if chunk >> CHUNK_BITS in of_file}
    for chunk, fact in facts(db, shares).items():
        shares[chunk] = known.of(*places[chunk >> CHUNK_BITS], fact)
    return shares


def _weighed(one: Candidate, shares: dict[str, float]) -> Candidate:
    if not shares:
        return one
    score = max(0.0, min(1.0, one.score * (1 + sum(shares.values()))))
    return one._replace(score=score, steps={**one.steps, **{f"prior.{name}": value for name, value in shares.items()}})


def _recency(day: str, today: date) -> float:
    """A note of a later day than `today` counts as one of today; a month or a year alone is no day."""
    try:
        age = (today - date.fromisoformat(day)).days if len(day) == 10 else None
    except ValueError:
        age = None
    return 0.0 if age is None else RECENT * 0.5 ** (max(0, age) / HALF_LIFE)
