"""How hot what is searched is: a file as `decay.json` says, a fact by its own accesses, on the day that is asked for.

The index holds what a fact says of its accesses; the day is the search's, so nothing of this is stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from functools import cached_property

from openclaw_memory.facts import temperatures
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.plain import plain

if TYPE_CHECKING:
    from openclaw_memory.facts import model
    from openclaw_memory.facts.tiers import Clock
    from openclaw_memory.workspace import Workspace

_AT_ONCE = 500
_MOST = 1 << 52
"""No count, and no moment in milliseconds, is larger: what is, no database takes as a number."""


class Fact(Record):
    """What the index holds of a fact: its id in its file, and what its heat is reckoned from, as on disk."""

    id: str
    last_accessed: object
    timestamp: object
    access_count: int


def kept(fact: model.Fact) -> Fact:
    """What a store keeps of a fact: days as numbers or text, as they are."""
    used, known = (
        day if day is None or (type(day) in (int, float) and -_MOST < day < _MOST) else plain(str(day))  # type: ignore[operator]
        for day in (fact.last_accessed, fact.timestamp)
    )
    return Fact(plain(fact.id), used, known, min(fact.access_count, _MOST))


def facts(db: sqlite3.Connection, chunks: Iterable[int] | None = None) -> dict[int, Fact]:
    """The facts among `chunks` (of all, for None) by their chunk."""
    read = "SELECT chunk, id, last_accessed, timestamp, access_count FROM facts"
    if chunks is None:
        return {row[0]: Fact(*row[1:]) for row in db.execute(read)}
    wanted, found = list(chunks), {}
    for at in range(0, len(wanted), _AT_ONCE):
        part = wanted[at : at + _AT_ONCE]
        for row in db.execute(f"{read} WHERE chunk IN ({', '.join('?' * len(part))})", part):
            found[row[0]] = Fact(*row[1:])
    return found


def by_file(found: Mapping[int, Fact]) -> dict[int, dict[int, Fact]]:
    """`found` by the number of the file."""
    files: dict[int, dict[int, Fact]] = {}
    for chunk, fact in found.items():
        files.setdefault(chunk >> CHUNK_BITS, {})[chunk] = fact
    return files


class Heats:
    """The heat of files and facts of one workspace; `now` (ISO) is the time to count from, "" the present."""

    def __init__(self, ws: Workspace, now: str = "") -> None:
        self._ws = ws
        self._now = now
        self._folded = temperatures.read(ws)

    def of_file(self, rel: str) -> str:
        """`hot`, `warm`, `cold` or `unknown`; "" for a file that was never folded. `rel` is below the workspace."""
        return self._folded.of(rel)

    def of_fact(self, rel: str, fact: Fact) -> str:
        """The heat of a fact in the file `rel`, as `fact list` tells it once the accesses are folded in."""
        from openclaw_memory.facts import tiers

        seen = self._folded.first_seen.get(f"{self._ws.layout.entity_of(rel)}:{fact.id}")
        return tiers.of_fact(fact, self._clock, seen).heat

    @cached_property
    def _clock(self) -> Clock:
        from openclaw_memory.facts.tiers import Clock

        return Clock.of(self._ws, self._ws.now(self._now))
