"""Chains of superseded facts: history forward and back, what is broken, and the next free id. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from openclaw_memory.facts.model import Fact

Trouble = Literal["cycle", "dangling", "active-with-pointer", "superseded-without"]

MEANINGS: dict[Trouble, str] = {
    "cycle": "its chain runs in a circle",
    "dangling": "is superseded by a fact that does not exist",
    "active-with-pointer": "is active and yet superseded",
    "superseded-without": "is superseded by nothing",
}

_NUMBERED = re.compile(r"(.*?)-?(\d+)$")


@dataclass(frozen=True, slots=True)
class Break:
    """One broken link: the fact's position, what is wrong, and the id it points at ("" without one)."""

    position: int
    trouble: Trouble
    target: str


def breaks(facts: Sequence[Fact], elsewhere: Iterable[str] = ()) -> list[Break]:
    """Every broken link among `facts` of one file. `elsewhere` are ids of other files a pointer may lead to."""
    linked = [position for position, fact in enumerate(facts) if fact.superseded_by or not fact.active]
    if not linked:
        return []
    here = {fact.id: fact for fact in facts if fact.id}
    known = set(elsewhere)
    circling = _in_cycles(here)
    found = ((at, _trouble(facts[at], here, known, circling), facts[at].superseded_by) for at in linked)
    return [Break(at, trouble, target or "") for at, trouble, target in found if trouble]


def _trouble(fact: Fact, here: dict[str, Fact], known: set[str], circling: set[str]) -> Trouble | None:
    target = fact.superseded_by
    if not target:
        return "superseded-without" if fact.status == "superseded" and not fact.redacted else None
    if target not in here and target.rpartition(":")[2] not in known and target not in known:
        return "dangling"
    if fact.id in circling:
        return "cycle"
    return "active-with-pointer" if fact.active else None


def _in_cycles(here: dict[str, Fact]) -> set[str]:
    """The ids that lie on a circle. Each fact has one pointer at most, so every walk is followed once."""
    done: set[str] = set()
    circling: set[str] = set()
    for start in here:
        path: list[str] = []
        at: str | None = start
        while at in here and at not in done:
            done.add(at)
            path.append(at)
            at = here[at].superseded_by
        if at in path:
            circling.update(path[path.index(at) :])
    return circling


def history(facts: Sequence[Fact], fact_id: str) -> list[Fact]:
    """The chain that `fact_id` is in, oldest first: all that led to it, itself, and what superseded it.

    Ends where a chain is broken, and after one round of a circle.
    """
    here = {fact.id: fact for fact in facts}
    before = _back(facts, fact_id)
    chain = [here[fact_id]]
    seen = {fact_id, *(fact.id for fact in before)}
    target = here[fact_id].superseded_by
    while target in here and target not in seen:
        seen.add(target)
        chain.append(here[target])
        target = here[target].superseded_by
    return before + chain


def _back(facts: Sequence[Fact], fact_id: str) -> list[Fact]:
    """All facts whose pointers lead to `fact_id`, the farthest first (several where chains were joined)."""
    leading: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.superseded_by:
            leading[fact.superseded_by].append(fact)
    found: list[Fact] = []
    seen, wave = {fact_id}, [fact_id]
    while wave:
        fresh = [fact for target in wave for fact in leading[target] if fact.id not in seen]
        seen.update(fact.id for fact in fresh)
        found = fresh + found
        wave = [fact.id for fact in fresh]
    return found


def stem(fact_id: str) -> str:
    """What stands before the number of an id: `jane` of `jane-001`; "fact" where nothing does."""
    found = _NUMBERED.match(fact_id)
    return (found[1] if found else fact_id) or "fact"


def next_ids(facts: Iterable[Fact], slug: str, count: int = 1) -> list[str]:
    """`count` ids that no fact here has, one above the highest number: `jane-007`. Numbers are never used again,
    whatever the prefix of the ids that are there."""
    highest = max((int(found[2]) for fact in facts if (found := _NUMBERED.match(fact.id))), default=0)
    highest = highest if highest < 10**9 else 0  # a timestamp as an id is no number to count on
    taken = {fact.id for fact in facts}
    ids: list[str] = []
    while len(ids) < count:
        highest += 1
        if (candidate := f"{slug}-{highest:03d}") not in taken:
            ids.append(candidate)
    return ids
