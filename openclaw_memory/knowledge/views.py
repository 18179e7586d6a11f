"""Facts and entities as they are listed and shown: with heat, resolved names and the lines they stand on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from openclaw_memory.facts import tiers
from openclaw_memory.facts.tiers import Clock, Tier
from openclaw_memory.knowledge import access, chain, decayfile
from openclaw_memory.knowledge.normal import normal
from openclaw_memory.knowledge.store import Entity, Found, Store
from openclaw_memory.record import Record
from openclaw_memory.workspace import Workspace


class FactView(Record):
    """One fact with its tier. `related` are (name as written, entity it resolves to or None)."""

    found: Found
    tier: Tier
    related: tuple[tuple[str, str | None], ...]

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        fact, file = self.found.fact, self.found.file
        first, last = file.lines(self.found.position)
        return {
            "reference": self.found.reference,
            "entity": self.found.entity.name,
            "id": fact.id,
            "fact": fact.text,
            "category": fact.category,
            "timestamp": _plain(fact.timestamp),
            "source": _plain(fact.source),
            "status": fact.status,
            "supersededBy": fact.superseded_by,
            "relatedEntities": [known or written for written, known in self.related],
            "deadEntities": [written for written, known in self.related if known is None],
            "heat": self.tier.heat,
            "why": self.tier.why,
            "accessCount": self.tier.times,
            "lastAccessed": _plain(fact.last_accessed),
            "quarantined": fact.quarantined,
            "redacted": fact.redacted,
            "path": file.path,
            "startLine": first,
            "endLine": last,
            "problems": [f"{key} {problem}" for key, problem in fact.problems],
        }


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | list | dict | type(None)) else str(value)


class Filter(Record):
    """What to list; an empty part admits all. `text` is matched in normal form, anywhere in the fact."""

    entity: str = ""
    category: str = ""
    heat: str = ""
    text: str = ""
    all: bool = False


class Views:
    """Facts and entities of one workspace at one moment; accesses not folded in yet count."""

    def __init__(self, ws: Workspace, now: datetime) -> None:
        self.store = Store(ws)
        self.clock = Clock.of(ws, now)
        self._uses = access.pending(ws)
        self._record = decayfile.read(ws)[1]

    def of(self, found: Found) -> FactView:
        """The view of one fact."""
        seen = self._record.first_seen.get(found.reference)
        tier = tiers.of_fact(found.fact, self.clock, seen, self._uses.get((found.file.path, found.fact.id)))
        return FactView(found, tier, tuple((name, self.store.names.resolve(name)) for name in found.fact.related))

    def facts(self, wanted: Filter) -> Iterator[FactView]:
        """The facts that `wanted` admits: active ones, unless it says all."""
        source = self.store.facts_of(self.store.entity(wanted.entity)) if wanted.entity else self.store.all()
        words = normal(wanted.text)
        for found in source:
            fact = found.fact
            if not (wanted.all or fact.active) or (wanted.category and fact.category != wanted.category):
                continue
            if words and words not in normal(fact.text):
                continue
            view = self.of(found)
            if not wanted.heat or view.tier.heat == wanted.heat:
                yield view

    def fact(self, reference: str) -> FactView:
        """One fact by its reference."""
        return self.of(self.store.find(reference))

    def history(self, reference: str) -> list[FactView]:
        """The chain that a fact is in, oldest first."""
        found = self.store.find(reference)
        line = chain.history(found.file.facts, found.fact.id)
        return [self.of(Found(found.entity, found.file, found.file.by_id[fact.id])) for fact in line]

    def entity(self, name: str) -> dict[str, object]:
        """An entity with its facts counted by heat and category, its files, and who names it."""
        entity = self.store.entity(name)
        views = [self.of(found) for found in self.store.facts_of(entity)]
        return {
            **self._head(entity, views),
            "superseded": sum(not view.found.fact.active for view in views),
            "categories": dict(Counter(view.found.fact.category for view in views if view.found.fact.active)),
            "related": sorted({known for view in views for _, known in view.related if known}),
            "namedBy": sorted(self._namers(entity.name)),
            "facts": [view.to_json() for view in views if view.found.fact.active],
        }

    def entities(self, kind: str = "", *, archived: bool = False) -> list[dict[str, object]]:
        """The entities of `kind` (default: all), archived ones only where asked for."""
        chosen = [
            entity
            for entity in self.store.entities.values()
            if (not kind or entity.kind == kind) and (archived or not entity.archived)
        ]
        return [self._head(entity, [self.of(found) for found in self.store.facts_of(entity)]) for entity in chosen]

    def _head(self, entity: Entity, views: Sequence[FactView]) -> dict[str, object]:
        active = [view for view in views if view.found.fact.active]
        return {
            "name": entity.name,
            "kind": entity.kind,
            "archived": entity.archived,
            "path": entity.main,
            "factsPath": entity.facts,
            "active": len(active),
            "heat": dict(Counter(view.tier.heat for view in active)),
        }

    def _namers(self, name: str) -> set[str]:
        return {
            found.entity.name
            for found in self.store.all()
            if found.fact.related and any(self.store.names.resolve(written) == name for written in found.fact.related)
        }
