"""Writing a proposal: entities, facts, logs of decisions and lessons, preferences, questions, index: one transaction.

A proposal that breaks a rule is refused whole, with every reason; what is known already is left out and told; what
comes from a source of low trust is written where it waits for review.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from openclaw_memory import safety
from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.knowledge import access, entities
from openclaw_memory.knowledge.extract.lines import Unread, marking
from openclaw_memory.knowledge.extract.proposal import LISTS, NOWHERE, FoundFact, Place, Proposal, refusal
from openclaw_memory.knowledge.extract.writer import Applied, Writer
from openclaw_memory.knowledge.facts import Flags, checked_category
from openclaw_memory.knowledge.indexing import indexed
from openclaw_memory.knowledge.store import Store
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


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
        writer = Writer(store, proposal, _distrusted(notes), now)
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
    low = _distrusted(notes)
    named = {entity.entity for entity in proposal.entities}
    made = {entity.entity for entity in proposal.entities if entity.place.note not in low}
    lengths = {note.path: note.text.count("\n") + 1 for note in notes}
    for at, entity in enumerate(proposal.entities):
        found += _raised(f"entities[{at}]", partial(_check_entity, store, entity.entity, entity.triggers))
    for at, fact in enumerate(proposal.facts):
        found += _raised(f"facts[{at}]", partial(_check_fact, store, fact, named if fact.place.note in low else made))
    for at, status in enumerate(proposal.statuses):
        creatable = named if status.place.note in low else made
        found += _raised(f"statuses[{at}]", partial(_check_known, store, status.entity, creatable))
    for at, reference in enumerate(proposal.referenced):
        found += _raised(f"referenced[{at}]", partial(store.find, reference))
    for where, text, place in _texts(proposal):
        if place.note and not 1 <= place.line <= lengths.get(place.note, 1 << 60):
            found.append(f"{where}.line: {place.note} has no line {place.line}")
        if safety.secrets(text):
            found.append(f"{where}: it holds a secret ({safety.secrets(text)[0].kind}), which memory must not")
    return found


def _distrusted(notes: Sequence[Unread]) -> frozenset[str]:
    """The notes of low trust; with any of them, what says no place is not to be trusted either."""
    low = {note.path for note in notes if note.low_trust}
    return frozenset(low | {NOWHERE.note} if low else low)


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
    for key in LISTS:
        found += [(f"{key}[{at}]", item.text, item.place) for at, item in enumerate(getattr(proposal, key))]
    return found
