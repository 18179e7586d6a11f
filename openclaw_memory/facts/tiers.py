"""The heat of facts and files on one day: dates read, accesses that are not folded in yet counted in. No writing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, tzinfo

from openclaw_memory.facts import dates
from openclaw_memory.facts.heat import Heat, Limits, heat
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Protocol

    from openclaw_memory.workspace import Workspace

    class Used(Protocol):
        """What heat is reckoned from; a Fact has it. Days as on disk."""

        @property
        def last_accessed(self) -> object:
            """The day of the last access."""

        @property
        def timestamp(self) -> object:
            """The day from which it is known."""

        @property
        def access_count(self) -> int:
            """Accesses so far."""


class Clock(Record):
    """The day that counts as today, the zone it is one in, and the config's limits. The same answer all day."""

    today: date
    zone: tzinfo
    limits: Limits = Limits()

    @classmethod
    def of(cls, ws: Workspace, now: datetime) -> Clock:
        """The clock of a workspace at `now`."""
        return cls(now.date(), ws.zone.tz, Limits(*ws.config.decay))


class Use(Record):
    """Accesses: how many, and the day of the last one."""

    last: date
    times: int

    def plus(self, other: Use) -> Use:
        """Both together."""
        return Use(max(self.last, other.last), self.times + other.times)


class Tier(Record):
    """`last` is the day that the heat was reckoned from (None: unknown), `cause` what day that is, or what is wrong."""

    heat: Heat
    last: date | None
    times: int
    cause: str

    @property
    def why(self) -> str:
        """For a person: `last accessed 2026-03-02`."""
        return f"{self.cause} {self.last}" if self.last else self.cause


def of_fact(fact: Used, clock: Clock, first_seen: object = None, use: Use | None = None) -> Tier:
    """The tier of a fact: from its last access, else its timestamp, else the day it was first seen.

    A day in the future counts as today; one that cannot be read makes the tier unknown. `use` are accesses on top.
    """
    count = fact.access_count + (use.times if use else 0)
    used = min(use.last, clock.today) if use else None
    for value, name in ((fact.last_accessed, "last accessed"), (fact.timestamp, "known since"), (first_seen, "seen")):
        reading = dates.read(value, clock.zone, clock.today)
        if reading.kind == "absent":
            continue
        if used and (reading.day is None or reading.day < used):
            break
        if reading.day is None:
            return Tier("unknown", None, count, f"{name} {value!r}, which is no date")
        return Tier(heat(reading.day, count, clock.today, clock.limits), reading.day, count, name)
    if used:
        return Tier(heat(used, count, clock.today, clock.limits), used, count, "last accessed")
    return Tier("hot", clock.today, count, "first seen")


def of_file(row: Mapping[str, object], clock: Clock, use: Use | None = None) -> Tier:
    """The tier of a detail file out of its row in `decay.json`: from its last access, else the day first seen."""
    stored = row.get("access_count")
    count = (stored if isinstance(stored, int) and stored > 0 else 0) + (use.times if use else 0)
    last = dates.read(row.get("last_accessed"), clock.zone, clock.today).day
    if use is not None:
        last = max(last, use.last) if last else use.last
    if last is not None:
        return Tier(heat(last, count, clock.today, clock.limits), last, count, "last accessed")
    seen = dates.read(row.get("first_seen"), clock.zone, clock.today).day or clock.today
    return Tier(heat(seen, count, clock.today, clock.limits), seen, count, "never accessed, first seen")
