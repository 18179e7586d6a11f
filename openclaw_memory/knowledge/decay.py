"""Folding accesses in and recomputing heat: one batch over every facts file and `memory/decay.json`.

A run that is killed at any point leaves either everything or nothing of it (see `access`); a second run of the same
day changes no byte.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from openclaw_memory.facts import dates, tiers
from openclaw_memory.facts.tiers import Clock, Tier, Use
from openclaw_memory.knowledge import access, decayfile
from openclaw_memory.knowledge.access import Key
from openclaw_memory.knowledge.decayfile import DecayFile, Row
from openclaw_memory.knowledge.factsfile import FactsFile, is_facts_file
from openclaw_memory.knowledge.store import Entity, Found, Store
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


_K = TypeVar("_K")


class Shift(Record):
    """A fact or file that changes tier: what names it, from (`new` before the first run), to, and the reason."""

    name: str
    before: str
    after: str
    why: str

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return self._asdict()


@dataclass
class Folded:
    """What a run changes, and what it found: shifts of tier, accesses folded in, those that fit nothing."""

    changes: list[Change] = field(default_factory=list)
    shifts: list[Shift] = field(default_factory=list)
    accesses: int = 0
    lost: list[str] = field(default_factory=list)
    tiers: dict[str, int] = field(default_factory=dict)


def decay(ws: Workspace, now: datetime, *, dry_run: bool = False, commit: bool = False) -> tuple[Folded, Outcome]:
    """Fold the accesses in, recompute every tier and write what changed, in one transaction (and commit).

    Raises FormatError for a facts file or `decay.json` that cannot be parsed; then nothing is folded.
    """
    from openclaw_memory.workspace import transact

    results: list[Folded] = []
    segments: list[Path] = []

    def plan() -> list[Change]:
        segments[:] = access.unfolded(ws, sealed=not dry_run)
        results.append(fold(ws, Clock.of(ws, now), access.tally(ws, segments)))
        marks = [access.folding(ws)] if segments and not dry_run else []
        return results[-1].changes + marks

    outcome = transact(ws, "decay", plan, dry_run=dry_run, commit=commit, message="Fold accesses in and recompute heat")
    if segments and not dry_run:
        access.forget(ws, segments)
    return results[-1], outcome


def fold(ws: Workspace, clock: Clock, uses: Mapping[Key, Use]) -> Folded:
    """What folding `uses` in at `clock` changes. Reads only."""
    store = Store(ws)
    before, record = decayfile.read(ws)
    earlier = dates.read(record.updated, clock.zone, clock.today).day
    run = _Run(store, clock, record, clock._replace(today=earlier) if earlier else None, *_sorted(store, uses))
    run.facts()
    run.files()
    after = record
    if run.result.changes or run.result.shifts or before is None or run.touched:
        after.updated = clock.today.isoformat()
        run.result.changes.append(Change(decayfile.PATH, before, after.dump()))
    return run.result


class _Home(Record):
    """Where accesses of one recorded path belong now: its entity's facts files, and its detail file."""

    facts: tuple[str, ...]
    main: str


def _home(store: Store, path: str, files: frozenset[str]) -> _Home:
    """The home of `path`; what moved since is looked up by its entity."""
    written = store.ws.layout.entity_of(path)
    name = store.names.resolve(written) if written else None
    entity = store.entities[name] if name else Entity("")
    facts = tuple(rel for rel in dict.fromkeys((path, entity.facts, *entity.others)) if rel in files)
    stands = not is_facts_file(path) and (store.ws.root / path).exists()
    return _Home(facts, path if stands or not entity.main else entity.main)


def _sorted(store: Store, uses: Mapping[Key, Use]) -> tuple[dict[Key, Use], dict[str, Use], list[str]]:
    """`uses` by fact (facts file, id) and by detail file, and the names of the facts that are gone."""
    by_fact: dict[Key, Use] = {}
    by_file: dict[str, Use] = {}
    lost: list[str] = []
    files = frozenset(rel for entity in store.entities.values() for rel in (entity.facts, *entity.others) if rel)
    homes = {path: _home(store, path, files) for path in {path for path, _ in uses}}
    for (path, fact_id), use in uses.items():
        home = homes[path]
        if fact_id is not None:
            bare = fact_id.rpartition(":")[2]
            rel = next((rel for rel in home.facts if bare in store.file(rel).by_id), "")
            if rel:
                _add(by_fact, (rel, bare), use)
            else:
                lost.append(f"{path}:{bare}")
        if store.ws.layout.is_detail(home.main):
            _add(by_file, home.main, use)
    return by_fact, by_file, lost


def _add(where: dict[_K, Use], key: _K, use: Use) -> None:
    where[key] = where[key].plus(use) if key in where else use


@dataclass
class _Run:
    """One fold in the making."""

    store: Store
    clock: Clock
    record: DecayFile
    earlier: Clock | None
    by_fact: dict[Key, Use]
    by_file: dict[str, Use]
    lost: list[str]
    touched: bool = False

    def __post_init__(self) -> None:
        self.result = Folded(lost=self.lost)
        self.result.accesses = sum(use.times for use in self.by_fact.values())
        self.uses_of: dict[str, dict[str, Use]] = defaultdict(dict)
        for (rel, fact_id), use in self.by_fact.items():
            self.uses_of[rel][str(fact_id)] = use

    def facts(self) -> None:
        """Every facts file: new counts and days, shifts of tier, first-seen days of facts without a date."""
        seen: dict[str, str] = {}
        for entity in self.store.entities.values():
            for file in self.store.files_of(entity):
                self._count_in(file)
                for position, fact in enumerate(file.facts):
                    if fact.active:
                        self._shift(Found(entity, file, position), seen)
        if seen != self.record.first_seen:
            self.touched, self.record.first_seen = True, seen

    def _count_in(self, file: FactsFile) -> None:
        changes = {}
        for fact_id, use in self.uses_of.get(file.path, {}).items():
            fact = file.facts[file.by_id[fact_id]]
            last = dates.read(fact.last_accessed, self.clock.zone, self.clock.today).day
            day = min(max(last, use.last) if last else use.last, self.clock.today)
            changes[file.by_id[fact_id]] = {
                "lastAccessed": day.isoformat(),
                "accessCount": fact.access_count + use.times,
            }
        if changes:
            before = file.parsed.text.encode("utf-8", "surrogateescape")
            self.result.changes.append(Change(file.path, before, file.rewrite(changes)))

    def _shift(self, found: Found, seen: dict[str, str]) -> None:
        fact, name = found.fact, found.reference
        first = self.record.first_seen.get(name)
        if _undated(fact.last_accessed) and _undated(fact.timestamp):
            seen[name] = first or self.clock.today.isoformat()
        use = self.uses_of.get(found.file.path, {}).get(fact.id)
        now = tiers.of_fact(fact, self.clock, seen.get(name), use)
        was = tiers.of_fact(fact, self.earlier, first).heat if self.earlier else "new"
        self._tell(name, was, now)

    def files(self) -> None:
        """Every detail file: its row, with accesses counted in and its tier; rows of files that are gone go."""
        rows: dict[str, Row] = {}
        for path in self.store.detail_files:
            old = self.record.files.get(path)
            use = self.by_file.get(path)
            rows[path] = row = self._row(dict(old or {}), use)
            now = tiers.of_file(row, self.clock)
            self._tell(path, str((old or {}).get("temperature", "new")), now)
            row["temperature"] = now.heat
        if rows != self.record.files:
            self.touched, self.record.files = True, rows

    def _row(self, row: Row, use: Use | None) -> Row:
        count = row.get("access_count")
        stored = count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0
        last = dates.read(row.get("last_accessed"), self.clock.zone, self.clock.today).day
        if use:
            last = min(max(last, use.last) if last else use.last, self.clock.today)
        fresh: Row = {
            "last_accessed": last.isoformat() if last else None,
            "access_count": stored + (use.times if use else 0),
            "temperature": row.get("temperature"),
            "first_seen": row.get("first_seen") or self.clock.today.isoformat(),
        }
        return fresh | {key: value for key, value in row.items() if key not in fresh}

    def _tell(self, name: str, was: str, now: Tier) -> None:
        self.result.tiers[now.heat] = self.result.tiers.get(now.heat, 0) + 1
        if was != now.heat:
            self.result.shifts.append(Shift(name, was, now.heat, f"{now.why}, {_times(now.times)}"))


def _undated(value: object) -> bool:
    return value is None or value == ""


def _times(count: int) -> str:
    return f"{count} access" if count == 1 else f"{count} accesses"


def temperatures(ws: Workspace) -> dict[str, str]:
    """The temperature of each detail file as last folded."""
    return {path: str(row.get("temperature", "")) for path, row in decayfile.read(ws)[1].files.items()}
