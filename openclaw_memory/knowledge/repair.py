"""What can be put right in facts files without judgement: missing and doubled ids, odd counts, half-set pointers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime

from openclaw_memory import fsio
from openclaw_memory.facts import dates
from openclaw_memory.facts.model import Fact
from openclaw_memory.facts.tiers import Clock
from openclaw_memory.knowledge import chain, conflict
from openclaw_memory.knowledge.facts import Flags
from openclaw_memory.knowledge.factsfile import FactsFile, load
from openclaw_memory.knowledge.normal import words
from openclaw_memory.knowledge.related import slug_of
from openclaw_memory.knowledge.store import MAX_BYTES, Entity, Store
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome

Values = dict[str, object]


def repair(ws: Workspace, now: datetime, name: str = "", flags: Flags = Flags()) -> tuple[list[str], Outcome]:  # noqa: B008
    """Repair the facts of one entity (default: of all); returns a sentence for each thing put right.

    A file that git left half merged gets the facts of both sides. Of two facts with one id (two machines added one
    each) the younger gets the next free id, and the pointers that mean it follow: a fact points at the one of the two
    whose text is nearest to its own.
    """
    from openclaw_memory.workspace import transact

    told: list[str] = []

    def plan() -> list[Change]:
        store = Store(ws)
        chosen = [store.entity(name)] if name else list(store.entities.values())
        told[:] = []
        return [change for entity in chosen for change in _entity(store, entity, Clock.of(ws, now), told)]

    outcome = transact(ws, "fact repair", plan, dry_run=flags.dry_run, commit=flags.commit, message="Repair facts")
    return told, outcome


def _entity(store: Store, entity: Entity, clock: Clock, told: list[str]) -> list[Change]:
    found: list[Change] = []
    for rel in (entity.facts, *entity.others):
        if not rel:
            continue
        before = fsio.read(store.ws.path(rel), limit=MAX_BYTES, binary=True)
        settled = conflict.joined(before, rel)
        if settled is not None:
            told.append(f"{rel}: settled the merge, with the facts of both sides")
        file = load(before if settled is None else settled, rel)
        changes: dict[int, Values] = defaultdict(dict)
        _ids(file, entity, clock, changes, told)
        _values(file, changes, told)
        found.append(Change(rel, before, file.rewrite(changes)))
    return found


def _ids(file: FactsFile, entity: Entity, clock: Clock, changes: dict[int, Values], told: list[str]) -> None:
    same: dict[str, list[int]] = defaultdict(list)
    for position, fact in enumerate(file.facts):
        if fact.record:
            same[fact.id.strip()].append(position)
    nameless = same.pop("", [])
    doubled = {fact_id: positions for fact_id, positions in same.items() if len(positions) > 1}
    extra = sum(len(positions) - 1 for positions in doubled.values())
    fresh = iter(chain.next_ids(file.facts, slug_of(entity.slug) or "fact", len(nameless) + extra))
    for position in nameless:
        changes[position]["id"] = new = next(fresh)
        told.append(f"{file.path}:{file.line(position)}: given the id {new}")
    for fact_id, positions in doubled.items():
        oldest, *younger = sorted(positions, key=lambda at: (_age(file.facts[at], clock), at))
        renamed = {position: next(fresh) for position in younger}
        for position, new in renamed.items():
            changes[position]["id"] = new
            told.append(f"{file.path}:{file.line(position)}: {fact_id} was given twice; the younger is now {new}")
        _follow(file, fact_id, {oldest: fact_id, **renamed}, changes, told)


def _age(fact: Fact, clock: Clock) -> date:
    return dates.read(fact.timestamp, clock.zone, clock.today).day or clock.today


def _follow(
    file: FactsFile, fact_id: str, candidates: dict[int, str], changes: dict[int, Values], told: list[str]
) -> None:
    """Let each pointer to `fact_id` mean the candidate whose words are nearest to those of the fact that points."""
    for position, fact in enumerate(file.facts):
        if fact.superseded_by != fact_id or position in candidates:
            continue
        nearest = max(candidates, key=lambda at: (_likeness(fact, file.facts[at]), candidates[at] == fact_id))
        if candidates[nearest] != fact_id:
            changes[position]["supersededBy"] = candidates[nearest]
            told.append(f"{file.path}:{file.line(position)}: {fact.id} now points at {candidates[nearest]}")


def _likeness(one: Fact, other: Fact) -> float:
    first, second = set(words(one.text)), set(words(other.text))
    shared = len(first & second) / max(1, len(first | second))
    return shared + (0.1 if one.category and one.category == other.category else 0)


def _values(file: FactsFile, changes: dict[int, Values], told: list[str]) -> None:
    half = {found.position: found for found in chain.breaks(file.facts)}
    for position, fact in enumerate(file.facts):
        wrong: Sequence[str] = [key for key, _ in fact.problems]
        if "accessCount" in wrong:
            changes[position]["accessCount"] = fact.access_count
            told.append(f"{file.path}:{file.line(position)}: {fact.id} accessCount is now {fact.access_count}")
        if position in half and half[position].trouble == "active-with-pointer":
            changes[position]["status"] = "superseded"
            told.append(f"{file.path}:{file.line(position)}: {fact.id} is superseded, as its pointer says")
