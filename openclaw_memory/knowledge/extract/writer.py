"""One proposal on its way into a plan: where each part of it is written, or where it waits for review. Writes nothing.

What comes from a source of low trust, or reads like an order to the model, waits: a fact of an entity that exists in
that entity's own file, marked, all else in the quarantine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from openclaw_memory import markdown, safety
from openclaw_memory.index import Words
from openclaw_memory.knowledge import entities, folders
from openclaw_memory.knowledge.extract import lists, quarantine
from openclaw_memory.knowledge.extract.proposal import (
    LISTS,
    FoundEntity,
    FoundFact,
    FoundStatus,
    Place,
    Proposal,
    Statement,
)
from openclaw_memory.knowledge.facts import Adder, Told, repeated
from openclaw_memory.knowledge.indexing import Plan
from openclaw_memory.knowledge.normal import normal
from openclaw_memory.knowledge.store import Entity, Store

STATUS = "Status: "


@dataclass
class Applied:
    """What was written (sentences), what was left out because it is known, the references of the new facts, and what
    waits for review (references of facts, ids of the quarantine)."""

    written: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)


class Writer:
    """One proposal on its way into a plan. With `trusted` a person has accepted all of it."""

    def __init__(
        self, store: Store, proposal: Proposal, low_trust: frozenset[str], now: datetime, *, trusted: bool = False
    ) -> None:
        self.store = store
        self.work = Plan(store.ws)
        self.proposal = proposal
        self.low_trust = low_trust
        self.trusted = trusted
        self.now = now
        self.adder = Adder(store, self.work, now)
        self.words: dict[str, Words] = {}
        self.touched: dict[str, Entity] = {}
        self.quarantine = quarantine.parse(self.work.read(quarantine.PATH))
        self.waiting = Proposal()
        self.result = Applied()

    def run(self) -> Applied:
        """Put everything into the plan."""
        for entity in self.proposal.entities:
            self._create(entity)
        for fact in self.proposal.facts:
            self._fact(fact)
        for status in self.proposal.statuses:
            self._status(status)
        for key in LISTS:
            for item in getattr(self.proposal, key):
                self._list(key, item)
        self._wait()
        return self.result

    def moves(self) -> Mapping[str, str]:
        """The moves of single files that became folders."""
        return {old: new for entity in self.touched.values() for old, new in folders.moves(self.work, entity).items()}

    def _origin(self, place: Place, text: str, source: str = "") -> str:
        """Why `text` has to wait for review: where it is from, or that it reads like an order; "" where it need not."""
        if self.trusted:
            return ""
        if place.note in self.low_trust:
            return place.source
        if safety.untrusted(source):
            return source
        return f"{place.source}, which reads like an order" if safety.instructions(text) else ""

    def _create(self, found: FoundEntity) -> None:
        if self.store.names.resolve(found.entity) is not None:
            self.result.known.append(f"entity {found.entity}")
        elif self._origin(found.place, f"{found.name}\n{found.about}"):
            self.waiting.entities.append(found)
        else:
            words = Words(found.name, found.triggers, found.about)
            entity = entities.create(self.store, self.work, found.entity, words)
            self.touched[found.entity] = entity
            self.words[entity.main] = entities.index_words(found.entity, words)
            self.result.written.append(f"entity {found.entity}")

    def _entity(self, name: str) -> Entity | None:
        """The entity, if it exists or this plan creates it."""
        known = self.store.names.resolve(name)
        if known is None:
            return self.touched.get(name)
        return self.touched.setdefault(known, self.store.entities[known])

    def _fact(self, fact: FoundFact) -> None:
        origin = self._origin(fact.place, fact.text, fact.source)
        entity = self._entity(fact.entity)
        if entity is None:
            self.waiting.facts.append(fact)
        elif self._is_known(entity, fact.text, fact.place.note):
            self._known(entity, fact.text, confirmed=not origin)
        elif origin and quarantine.id_of("facts", entity.name, fact.text) in self.quarantine.settled:
            self._known(entity, fact.text)
        else:
            self._add(entity, fact, origin)

    def _add(self, entity: Entity, fact: FoundFact, origin: str) -> None:
        told = Told(fact.text, fact.category, fact.source or fact.place.source, fact.related)
        day = self._day(fact.place)
        if origin:
            meant = {"supersedes": fact.supersedes} if fact.supersedes else {}
            provenance = {"origin": origin, "review": "pending", **meant}
            written = self.adder.add(entity, told, timestamp=day, provenance=provenance)
        else:
            written = self.adder.replace(entity, fact.supersedes.rpartition(":")[2], told, timestamp=day)
        (self.result.quarantined if origin else self.result.facts).append(written.reference)
        self.result.written.append(f"{'quarantined ' if origin else ''}fact {written.reference}: {fact.text}")

    def _known(self, entity: Entity, text: str, *, confirmed: bool = False) -> None:
        """Nothing to add; where it waits for review and a trusted source says it too, it waits no more."""
        same = repeated(self.adder.all_facts(entity), text)
        if confirmed and same and same.quarantined:
            self.adder.confirm(entity, same.id)
            self.result.written.append(f"fact {entity.name}:{same.id}, which waited for review: {text}")
        else:
            self.result.known.append(f"{entity.name}: {text}")

    def _day(self, place: Place) -> str:
        """The day that the note is of, which is when the fact became known."""
        day = self.store.ws.layout.is_daily(place.note)
        return (day or self.now.date()).isoformat()

    def _is_known(self, entity: Entity, text: str, note: str) -> bool:
        """Whether an active fact says so, or any fact says so from the same note (it may be superseded by now)."""
        facts = self.adder.all_facts(entity)
        if repeated(facts, text):
            return True
        wanted = normal(text)
        return any(str(f.source).partition("#")[0] == note and normal(f.text) == wanted for f in facts)

    def _status(self, status: FoundStatus) -> None:
        """The one status of an entity: a fact that says `Status: ...`, in place of the last one that did."""
        entity = self._entity(status.entity)
        text = status.text if status.text.startswith(STATUS) else STATUS + status.text
        if entity and self._is_known(entity, text, status.place.note):
            self.result.known.append(f"{entity.name}: {text}")
        elif entity is None or self._origin(status.place, text):
            self.waiting.statuses.append(status)
        else:
            told = Told(text, "status", status.place.source)
            last = [fact for fact in self.adder.all_facts(entity) if fact.active and fact.text.startswith(STATUS)]
            written = self.adder.replace(entity, last[-1].id if last else "", told, timestamp=self._day(status.place))
            self.result.facts.append(written.reference)
            self.result.written.append(f"fact {written.reference}: {text}")

    def _list(self, key: str, item: Statement) -> None:
        """Decisions, lessons, preferences, questions and answers: lines in files of their own, each said once."""
        path, row, words, edit = self._target(key, item)
        before = self.work.read(path)
        head = f"# {words.name}\n" if words else ""
        after = edit(markdown.decode(before or head.encode()), item.text)
        if after is None:
            self.result.known.append(item.text)
        elif self._origin(item.place, item.text):
            getattr(self.waiting, key).append(item)
        else:
            self.work.write(path, markdown.encode(after))
            if words:
                self.words.setdefault(path, words)
            self.result.written.append(f"{path}: {row}")

    def _target(self, key: str, item: Statement) -> tuple[str, str, Words | None, lists.Edit]:
        """The file that a statement goes to, its line there, what the index says of the file, and the edit."""
        layout, day = self.store.ws.layout, self._day(item.place)
        if key == "preferences":
            return self.store.ws.config.index.path, item.text, None, lists.with_preference
        if key == "answered":
            return lists.QUESTIONS, item.text, None, lists.with_answer
        if key == "questions":
            row, words = f"[ ] {item.text} ({day})", Words("Open questions", ("open question", "follow-up"))
            return lists.QUESTIONS, row, words, partial(lists.with_row, row)
        row = f"{day}: {item.text}"
        if key == "lessons":
            path = f"{layout.folder_of('resources')}/lessons.md"
            return path, row, Words("Lessons", ("lesson", "lessons")), partial(lists.with_row, row)
        words = Words(f"Decisions of {day[:7]}", (f"decisions {day[:7]}",))
        return f"{layout.folder_of('decisions')}/{day[:7]}.md", row, words, partial(lists.with_row, row)

    def _wait(self) -> None:
        """Put what has to wait into the quarantine, unless it waits there or was settled before."""
        for found in quarantine.waiting(self.waiting, self.now.date().isoformat()):
            if self.quarantine.add(found):
                self.result.quarantined.append(found.id)
                self.result.written.append(f"quarantined {found.called} {found.id}: {found.text}")
            else:
                self.result.known.append(found.text)
        if self.waiting != Proposal():
            self.keep_quarantine()

    def keep_quarantine(self) -> None:
        """Put the quarantine, as it is now, into the plan."""
        self.work.write(quarantine.PATH, self.quarantine.dump())
