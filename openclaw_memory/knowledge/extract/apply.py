"""Writing a proposal: entities, facts, logs of decisions and lessons, preferences, questions, index: one transaction.

A proposal that breaks a rule is refused whole, with every reason; what is known already is left out and told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from openclaw_memory import markdown, safety
from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.index import Words
from openclaw_memory.knowledge import access, entities, folders
from openclaw_memory.knowledge.extract import lists
from openclaw_memory.knowledge.extract.lines import Unread, marking
from openclaw_memory.knowledge.extract.proposal import FoundFact, FoundStatus, Place, Proposal, refusal
from openclaw_memory.knowledge.facts import Adder, Flags, Told, checked_category, repeated
from openclaw_memory.knowledge.indexing import Plan, indexed
from openclaw_memory.knowledge.normal import normal
from openclaw_memory.knowledge.store import Entity, Found, Store
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome

STATUS = "Status: "


@dataclass
class Applied:
    """What was written (sentences), what was left out because it is known, and the references of the new facts."""

    written: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)


def apply(
    ws: Workspace, proposal: Proposal, notes: Sequence[Unread], now: datetime, flags: Flags = Flags()  # noqa: B008
) -> tuple[Applied, Outcome]:  # fmt: skip
    """Write `proposal`, read from `notes`, and remember these as read. Raises FormatError with each rule it breaks."""
    from openclaw_memory.workspace import transact

    results: list[Applied] = []
    accesses: list[access.Key] = []

    def plan() -> list[Change]:
        store = Store(ws)
        told = problems(store, proposal, notes)
        if told:
            raise refusal(told)
        accesses[:] = [(found.file.path, found.fact.id) for found in map(store.find, proposal.referenced)]
        writer = _Writer(store, proposal, {note.path for note in notes if note.low_trust}, now)
        results.append(writer.run())
        marks = [marking(ws, [note for note in notes if note.mark])] if any(note.mark for note in notes) else []
        return indexed(writer.work, writer.words, moves=writer.moves()) + marks

    message = f"Extract from {', '.join(note.path for note in notes[:3]) or 'a plan'}"
    outcome = transact(ws, "extract", plan, dry_run=flags.dry_run, commit=flags.commit, message=message)
    if accesses and not flags.dry_run:
        access.record(ws, accesses, "extract", now)
    return results[-1], outcome


def problems(store: Store, proposal: Proposal, notes: Sequence[Unread]) -> list[str]:
    """Every rule that `proposal` breaks, as sentences; [] when it may be applied."""
    found: list[str] = []
    made = {entity.entity for entity in proposal.entities}
    low = {note.path for note in notes if note.low_trust}
    lengths = {note.path: note.text.count("\n") + 1 for note in notes}
    for at, entity in enumerate(proposal.entities):
        found += _raised(f"entities[{at}]", partial(_check_entity, store, entity.entity, entity.triggers))
    for at, fact in enumerate(proposal.facts):
        creatable = set() if fact.place.note in low else made
        found += _raised(f"facts[{at}]", partial(_check_fact, store, fact, creatable))
    for at, status in enumerate(proposal.statuses):
        found += _raised(f"statuses[{at}]", partial(_check_known, store, status.entity, made))
    for at, reference in enumerate(proposal.referenced):
        found += _raised(f"referenced[{at}]", partial(store.find, reference))
    for where, text, place in _texts(proposal):
        if place and not 1 <= place.line <= lengths.get(place.note, 1 << 60):
            found.append(f"{where}.line: {place.note} has no line {place.line}")
        if safety.secrets(text):
            found.append(f"{where}: it holds a secret ({safety.secrets(text)[0].kind}), which memory must not")
    return found


def _raised(where: str, check: Callable[[], object]) -> list[str]:
    try:
        check()
    except OpenClawMemoryError as error:
        return [f"{where}: {error.message}" + (f" ({error.hint})" if error.hint else "")]
    return []


def _check_entity(store: Store, name: str, triggers: Sequence[str]) -> None:
    from openclaw_memory.index import triggers as words

    entities.checked(store.ws, name)
    words.checked(triggers)


def _check_known(store: Store, name: str, made: set[str]) -> None:
    if name not in made and store.names.resolve(name) is None:
        raise UsageError(f"there is no entity {name}", "create it in `entities`, or name one that exists")


def _check_fact(store: Store, fact: FoundFact, made: set[str]) -> None:
    _check_known(store, fact.entity, made)
    checked_category(store.ws, fact.category)
    if fact.supersedes:
        found = store.find(f"{store.entity(fact.entity).name}:{fact.supersedes.rpartition(':')[2]}")
        if not found.fact.active:
            raise UsageError(f"{fact.supersedes} is superseded already", "name the newest fact of its chain")


def _texts(proposal: Proposal) -> list[tuple[str, str, Place]]:
    found = [(f"facts[{at}]", fact.text, fact.place) for at, fact in enumerate(proposal.facts)]
    found += [(f"statuses[{at}]", status.text, status.place) for at, status in enumerate(proposal.statuses)]
    found += [(f"entities[{at}]", entity.about, entity.place) for at, entity in enumerate(proposal.entities)]
    for key in ("decisions", "lessons", "preferences", "questions"):
        found += [(f"{key}[{at}]", item.text, item.place) for at, item in enumerate(getattr(proposal, key))]
    return found


class _Writer:
    """One proposal on its way into a plan."""

    def __init__(self, store: Store, proposal: Proposal, low_trust: set[str], now: datetime) -> None:
        self.store = store
        self.work = Plan(store.ws)
        self.proposal = proposal
        self.low_trust = low_trust
        self.now = now
        self.adder = Adder(store, self.work, now)
        self.words: dict[str, Words] = {}
        self.touched: dict[str, Entity] = {}
        self.result = Applied()

    def run(self) -> Applied:
        """Put everything into the plan."""
        for entity in self.proposal.entities:
            if entity.place.note not in self.low_trust:
                self._create(entity.entity, Words(entity.name, entity.triggers, entity.about))
        for fact in self.proposal.facts:
            self._fact(fact)
        for status in self.proposal.statuses:
            if status.place.note not in self.low_trust:
                self._status(status)
        self._lists()
        return self.result

    def moves(self) -> Mapping[str, str]:
        """The moves of single files that became folders."""
        return {old: new for entity in self.touched.values() for old, new in folders.moves(self.work, entity).items()}

    def _create(self, name: str, words: Words) -> None:
        if self.store.names.resolve(name) is not None:
            self.result.known.append(f"entity {name}")
            return
        entity = entities.create(self.store, self.work, name, words)
        self.touched[name] = entity
        self.words[entity.main] = entities.index_words(name, words)
        self.result.written.append(f"entity {name}")

    def _entity(self, name: str) -> Entity:
        known = self.store.names.resolve(name)
        if known is None:
            return self.touched[name]
        return self.touched.setdefault(known, self.store.entities[known])

    def _fact(self, fact: FoundFact) -> None:
        entity = self._entity(fact.entity)
        if self._is_known(entity, fact.text, fact.place.note):
            self.result.known.append(f"{entity.name}: {fact.text}")
            return
        told = Told(fact.text, fact.category, fact.source or fact.place.source, fact.related)
        more = self._provenance(fact)
        if fact.supersedes and not more:
            written = self.adder.supersede(self._found(entity, fact.supersedes), told, timestamp=self._day(fact.place))
        else:
            written = self.adder.add(entity, told, timestamp=self._day(fact.place), **more)
        (self.result.quarantined if more else self.result.facts).append(written.reference)
        self.result.written.append(f"{'quarantined ' if more else ''}fact {written.reference}: {fact.text}")

    def _day(self, place: Place) -> str:
        """The day that the note is of, which is when the fact became known."""
        day = self.store.ws.layout.is_daily(place.note)
        return (day or self.now.date()).isoformat()

    def _provenance(self, fact: FoundFact) -> dict[str, object]:
        """What marks a fact of low trust: from a transcript, from outside, or one that reads like an order."""
        origin = fact.source if safety.untrusted(fact.source) else ""
        if fact.place.note in self.low_trust:
            origin = fact.place.source
        elif not origin and safety.instructions(fact.text):
            origin = f"{fact.place.source}, which reads like an order"
        return {"provenance": {"origin": origin, "review": "pending"}} if origin else {}

    def _found(self, entity: Entity, fact_id: str) -> Found:
        return self.store.find(f"{entity.name}:{fact_id.rpartition(':')[2]}")

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
        if self._is_known(entity, text, status.place.note):
            self.result.known.append(f"{entity.name}: {text}")
            return
        told = Told(text, "status", status.place.source)
        last = [fact for fact in self.adder.all_facts(entity) if fact.active and fact.text.startswith(STATUS)]
        written = self.adder.replace(entity, last[-1].id if last else "", told, timestamp=self._day(status.place))
        self.result.facts.append(written.reference)
        self.result.written.append(f"fact {written.reference}: {text}")

    def _lists(self) -> None:
        """Decisions, lessons, preferences and questions: lines in files of their own, each said once."""
        trusted = {
            key: [item for item in getattr(self.proposal, key) if item.place.note not in self.low_trust]
            for key in ("decisions", "lessons", "preferences", "questions")
        }
        for item in trusted["decisions"]:
            day = self._day(item.place)
            path = f"{self.store.ws.layout.folder_of('decisions')}/{day[:7]}.md"
            self._log(
                path, Words(f"Decisions of {day[:7]}", (f"decisions {day[:7]}",)), f"{day}: {item.text}", item.text
            )
        for item in trusted["lessons"]:
            path = f"{self.store.ws.layout.folder_of('resources')}/lessons.md"
            self._log(path, Words("Lessons", ("lesson", "lessons")), f"{self._day(item.place)}: {item.text}", item.text)
        for item in trusted["questions"]:
            words = Words("Open questions", ("open question", "follow-up"))
            self._log(lists.QUESTIONS, words, f"[ ] {item.text} ({self._day(item.place)})", item.text)
        for item in trusted["preferences"]:
            self._change(self.store.ws.config.index.path, lists.with_preference, item.text)
        for text in self.proposal.answered:
            self._change(lists.QUESTIONS, lists.with_answer, text)

    def _log(self, path: str, words: Words, row: str, text: str) -> None:
        before = self.work.read(path)
        after = lists.with_row(markdown.decode(before or f"# {words.name}\n".encode()), row, text)
        if after is None:
            self.result.known.append(text)
            return
        self.work.write(path, markdown.encode(after))
        self.words.setdefault(path, words)
        self.result.written.append(f"{path}: {row}")

    def _change(self, path: str, edit: lists.Edit, text: str) -> None:
        after = edit(markdown.decode(self.work.read(path) or b""), text)
        if after is None:
            self.result.known.append(text)
            return
        self.work.write(path, markdown.encode(after))
        self.result.written.append(f"{path}: {text}")
