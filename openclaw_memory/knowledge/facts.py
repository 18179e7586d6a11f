"""Adding, superseding and redacting facts. A fact is never removed and its text never edited; see `redact`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from openclaw_memory.errors import UsageError
from openclaw_memory.facts.model import CATEGORIES, REDACTED, Fact
from openclaw_memory.facts.tiers import Clock
from openclaw_memory.knowledge import chain, folders
from openclaw_memory.knowledge.factsfile import FactsFile, Values, load, new_record
from openclaw_memory.knowledge.indexing import Plan, indexed
from openclaw_memory.knowledge.normal import normal
from openclaw_memory.knowledge.related import slug_of
from openclaw_memory.knowledge.store import Entity, Found, Store
from openclaw_memory.knowledge.synthesize import resummarize
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


class Told(Record):
    """What a writer is told about a new fact; empty category: `context`, or that of the fact it supersedes."""

    text: str
    category: str = ""
    source: str = ""
    related: tuple[str, ...] = ()


class Written(Record):
    """The reference of the fact written (`people/jane:jane-001`), and sentences the user should read."""

    reference: str
    notes: tuple[str, ...] = ()


class Flags(Record):
    """What every writing command may be told."""

    dry_run: bool = False
    commit: bool = False


def add(ws: Workspace, name: str, told: Told, now: datetime, flags: Flags = Flags()) -> tuple[Written, Outcome]:  # noqa: B008
    """A new active fact of the entity `name`. Raises UsageError for an unknown entity or category, for no text, and
    for a text that an active fact of the entity has in normal form (named by its id)."""

    def plan() -> tuple[Written, list[Change]]:
        store, work = Store(ws), Plan(ws)
        entity = store.entity(name)
        written = Adder(store, work, now).add(entity, told)
        return written, work_done(work, entity)

    return _run(ws, f"fact add {name}", plan, flags, f"Add a fact of {name}")


def supersede(
    ws: Workspace, reference: str, told: Told, now: datetime, flags: Flags = Flags()  # noqa: B008
) -> tuple[Written, Outcome]:  # fmt: skip
    """A new fact in place of `reference`, which stays, superseded by it. Raises UsageError where that is not active."""

    def plan() -> tuple[Written, list[Change]]:
        store, work = Store(ws), Plan(ws)
        found = store.find(reference)
        written = Adder(store, work, now).supersede(found, told)
        return written, work_done(work, found.entity)

    return _run(ws, f"fact supersede {reference}", plan, flags, f"Supersede {reference}")


def redact(
    ws: Workspace, reference: str, reason: str, now: datetime, flags: Flags = Flags()  # noqa: B008
) -> tuple[Written, Outcome]:  # fmt: skip
    """Take the text of a fact out, for good; a tombstone with its id, the day and the `reason` stays.

    The summary of its entity is written anew, so that it does not keep the text.
    """
    if not reason.strip():
        raise UsageError("a fact is not redacted without a reason", "give it with --reason")

    def plan() -> tuple[Written, list[Change]]:
        store, work = Store(ws), Plan(ws)
        found = store.find(reference)
        if found.fact.redacted:
            raise UsageError(f"{reference} is redacted already", str(found.fact.record.get("redacted")))
        stone = {"fact": REDACTED, "status": "superseded", "redacted": f"{now.date()}: {reason.strip()}"}
        work.write(found.file.path, found.file.rewrite({found.position: stone}))
        resummarize(work, found.entity, Clock.of(ws, now))
        note = "git's history and the snapshots of `undo` still hold the old text; rewrite or delete them to be sure"
        return Written(found.reference, (note,)), work_done(work, found.entity)

    return _run(ws, f"fact redact {reference}", plan, flags, f"Redact {reference}")


def work_done(work: Plan, entity: Entity) -> list[Change]:
    """The changes of `work` with the index's; a new main file is described as its entity is called."""
    return indexed(work, folders.words_of_new(work, entity), moves=folders.moves(work, entity))


def _run(
    ws: Workspace, command: str, plan: Callable[[], tuple[Written, list[Change]]], flags: Flags, message: str
) -> tuple[Written, Outcome]:
    from openclaw_memory.workspace import transact

    results: list[Written] = []

    def changes() -> list[Change]:
        written, found = plan()
        results.append(written)
        return found

    outcome = transact(ws, command, changes, dry_run=flags.dry_run, commit=flags.commit, message=message)
    return results[-1], outcome


class Adder:
    """Writes facts into a plan; several for one entity see each other."""

    def __init__(self, store: Store, work: Plan, now: datetime) -> None:
        self.store = store
        self.work = work
        self.now = now

    def add(self, entity: Entity, told: Told, **more: object) -> Written:
        """A new fact; `more` are further canonical values (`provenance`, `timestamp`)."""
        file = self.facts_file(entity)
        self._refuse_repeated(entity, file, told.text)
        record, notes = self._record(entity, file, told, more)
        self.work.write(file.path, file.rewrite({}, [record]))
        return Written(f"{entity.name}:{record['id']}", notes)

    def supersede(self, found: Found, told: Told, **more: object) -> Written:
        """A new fact in the file of `found`, which points at it."""
        entity, old = found.entity, found.fact
        file = self.facts_in(found.file.path)
        position = file.by_id[old.id]
        _refuse_superseded(file.facts[position], found)
        if normal(told.text) == normal(old.text):
            raise UsageError(f"this is what {old.id} says already: {old.text}", "nothing was changed")
        self._refuse_repeated(entity, file, told.text, but=old.id)
        told = told._replace(category=told.category or old.category, related=told.related or old.related)
        record, notes = self._record(entity, file, told, more)
        pointers, backwards = _pointers(file, position, str(record["id"]))
        self.work.write(file.path, file.rewrite({position: pointers}, [{**record, **backwards(old.id)}]))
        return Written(f"{entity.name}:{record['id']}", notes)

    def replace(self, entity: Entity, old: str, told: Told, **more: object) -> Written:
        """A new fact in place of the one with the id `old`, or beside the others where that is "". `old` may be one
        that this plan has added."""
        if not old:
            return self.add(entity, told, **more)
        file = next(one for one in self._files(entity) if old in one.by_id)
        return self.supersede(Found(entity, file, file.by_id[old]), told, **more)

    def confirm(self, entity: Entity, fact_id: str) -> None:
        """A fact that waited for review is one like any other; what it was found to supersede is superseded by it."""
        file = next(one for one in self._files(entity) if fact_id in one.by_id)
        position = file.by_id[fact_id]
        told = file.facts[position].provenance
        reviewed = {**told, "review": "accepted", "reviewed": self.now.date().isoformat()}
        changes: dict[int, dict[str, object]] = {position: {"provenance": reviewed}}
        old = file.by_id.get(str(told.get("supersedes", "")).rpartition(":")[2])
        if old is not None and file.facts[old].active:
            pointers, backwards = _pointers(file, old, fact_id)
            changes[old] = dict(pointers)
            changes[position] |= backwards(file.facts[old].id)
        self.work.write(file.path, file.rewrite(changes))

    def all_facts(self, entity: Entity) -> list[Fact]:
        """Its facts as the plan has them by now."""
        return [fact for file in self._files(entity) for fact in file.facts]

    def _files(self, entity: Entity) -> list[FactsFile]:
        paths = [folders.facts_path(self.work, entity), *entity.others]
        return [self.facts_in(path) for path in dict.fromkeys(paths)]

    def facts_file(self, entity: Entity) -> FactsFile:
        """The facts file of `entity` as the plan has it by now; a `.md` entity becomes a folder on the way."""
        return self.facts_in(folders.facts_path(self.work, entity))

    def facts_in(self, path: str) -> FactsFile:
        """The facts file at `path` as the plan has it by now."""
        if path not in self.work.changes:
            data = self.work.read(path)
            return self.store.file(path) if data is not None else load(b"", path)
        return load(self.work.read(path) or b"", path)

    def _refuse_repeated(self, entity: Entity, file: FactsFile, text: str, but: str = "") -> None:
        if not text.strip():
            raise UsageError("a fact needs a text", "say it in one sentence")
        same = repeated(self._facts(entity, file), text, but)
        if same:
            name = f"{entity.name}:{same.id}"
            changed = f"if it has changed: openclaw-memory fact supersede {name} TEXT"
            waits = f"it waits for review: openclaw-memory extract --review --accept {name}"
            raise UsageError(
                f"{entity.name} knows this already: {same.id} says {same.text!r}",
                f"nothing was changed; {waits if same.quarantined else changed}",
            )

    def _facts(self, entity: Entity, file: FactsFile) -> list[Fact]:
        others = [one for one in self._files(entity) if one.path != file.path]
        return [fact for one in (file, *others) for fact in one.facts]

    def _record(
        self, entity: Entity, file: FactsFile, told: Told, more: dict[str, object]
    ) -> tuple[dict[str, object], tuple[str, ...]]:
        related, notes = self._related(told.related)
        category = told.category or ("context" if file.writes("category") else "")
        record = new_record(
            chain.next_ids(self._facts(entity, file), slug_of(entity.slug) or "fact")[0],
            " ".join(told.text.split()),
            category=checked_category(self.store.ws, category),
            timestamp=self.now.date().isoformat(),
            source=told.source or self.now.date().isoformat(),
            related=related,
        )
        return record | more, notes

    def _related(self, written: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
        found = [(name, self.store.names.resolve(name)) for name in written]
        dead = tuple(f"{name} is no entity yet; the fact keeps the name" for name, known in found if known is None)
        return list(dict.fromkeys(known or name for name, known in found)), dead


def repeated(facts: Sequence[Fact], text: str, but: str = "") -> Fact | None:
    """The active fact that says `text` in normal form, leaving out the one with the id `but`."""
    wanted = normal(text)
    return next((f for f in facts if f.active and f.id != but and not f.redacted and normal(f.text) == wanted), None)


def checked_category(ws: Workspace, category: str) -> str:
    """`category`, if it is one. Raises UsageError naming those that are."""
    known = (*CATEGORIES, *ws.config.facts.categories)
    if category and category not in known:
        raise UsageError(
            f"{category!r} is no category", f"one of {', '.join(known)}; more: `facts.categories` in the config"
        )
    return category


def _refuse_superseded(fact: Fact, found: Found) -> None:
    if fact.redacted:
        raise UsageError(f"{found.reference} is redacted", "add a new fact instead")
    if not fact.active:
        newest = chain.history(found.file.facts, fact.id)[-1]
        raise UsageError(
            f"{found.reference} is superseded already", f"the newest of its chain is {newest.id}: {newest.text}"
        )


def _pointers(file: FactsFile, position: int, new: str) -> tuple[Values, Callable[[str], Values]]:
    """What the old and the new record get: the forward pointer, or the back pointer in files that use that one."""
    backward = any("supersedes" in fact.record or fact.supersedes for fact in file.facts)
    forward = any(fact.record.get(key) for fact in file.facts for key in ("supersededBy", "superseded_by"))
    if backward and not forward:
        old = {"status": "superseded"} if "status" in file.facts[position].record else {}
        return old, lambda old_id: {"supersedes": old_id}
    return {"status": "superseded", "supersededBy": new}, lambda old_id: {}
