"""The archive: old decisions go there by year; projects that nobody touches leave Active Context and are proposed.

Nothing is deleted: files move, links follow, and the index keeps one entry for each year's folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from openclaw_memory import markdown
from openclaw_memory.errors import GitError
from openclaw_memory.facts import dates
from openclaw_memory.facts.tiers import Clock
from openclaw_memory.index import Draft, Words, parse
from openclaw_memory.knowledge import access, decayfile, mentions
from openclaw_memory.knowledge.facts import Flags
from openclaw_memory.knowledge.indexing import Plan, indexed
from openclaw_memory.knowledge.store import Entity, Store
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome

_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_MONTH = re.compile(r"(?<!\d)(\d{4})-(\d{2})(?!\d)")


class Sunset(Record):
    """A project that nobody mentioned, read or changed for long: since when, and the command that archives it."""

    entity: str
    last: date | None
    fix: str

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {"entity": self.entity, "last": self.last.isoformat() if self.last else None, "fix": self.fix}


@dataclass
class Archived:
    """What a run does: files moved (old, new), projects proposed, those that left Active Context, what was kept."""

    moved: list[tuple[str, str]] = field(default_factory=list)
    sunsets: list[Sunset] = field(default_factory=list)
    deactivated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def archive(ws: Workspace, now: datetime, flags: Flags = Flags()) -> tuple[Archived, Outcome]:  # noqa: B008
    """Move decisions older than `archive.decisions_after_days` to the archive of their year, and take projects that
    were not mentioned, accessed or changed for `archive.projects_after_days` out of Active Context."""
    from openclaw_memory.workspace import transact

    results: list[Archived] = []

    def plan() -> list[Change]:
        store, work, result = Store(ws), Plan(ws), Archived()
        results.append(result)
        result.sunsets = sunsets(store, Clock.of(ws, now))
        active = _active(work)
        moves = _old_decisions(store, work, now.date(), active, result)
        gone = [store.entities[sunset.entity].main for sunset in result.sunsets]
        result.deactivated = [path for path in gone if path in active]
        _edit_index(work, moves, result.deactivated)
        decayfile.follow(work, moves)
        return indexed(work, moves=moves)

    message = "Archive old decisions"
    outcome = transact(ws, "archive", plan, dry_run=flags.dry_run, commit=flags.commit, message=message)
    return results[-1], outcome


def _active(work: Plan) -> list[str]:
    config = work.ws.config.index
    text = markdown.decode(work.read(config.path) or b"")
    files = frozenset(work.ws.detail_files())
    return parse(text, files, index_path=config.path, link_base=config.link_base).active


def _old_decisions(store: Store, work: Plan, today: date, active: list[str], result: Archived) -> Mapping[str, str]:
    ws = store.ws
    folder, top = ws.layout.folder_of("decisions"), ws.layout.folder_of("archives")
    moves: dict[str, str] = {}
    for path in ws.detail_files():
        if not path.startswith(f"{folder}/"):
            continue
        day = decided(path, markdown.decode(work.read(path) or b""))
        if day is None or (today - day).days <= ws.config.archive.decisions_after_days:
            continue
        if path in active:
            result.kept.append(f"{path} is from {day}, and in Active Context")
            continue
        new = f"{top}/{day.year}/decisions/{path.removeprefix(folder + '/')}"
        if work.read(new) is not None:
            result.kept.append(f"{path}: {new} exists already")
            continue
        moves[path] = new
        work.move(path, new)
        result.moved.append((path, new))
    return moves


def decided(path: str, text: str) -> date | None:
    """The day of the last decision in a file: the newest day its name, its front matter or its lines state; a month
    in the name counts to its end. None where nothing says."""
    name = path.rpartition("/")[2]
    if name in ("summary.md", "README.md"):
        name = path.split("/")[-2]
    found = [day for groups in _DAY.findall(name) if (day := _date(*groups))]
    if not found:
        found = [day for year, month in _MONTH.findall(name) if (day := _month_end(int(year), int(month)))]
    matter = markdown.scan(text).front_matter
    stated = [matter.get(key) for key in ("date", "created", "updated", "decided")]
    readings = (dates.read(value, UTC, date.max) for value in stated if value is not None)
    found += [reading.day for reading in readings if reading.day]
    if not found:
        found = [day for groups in _DAY.findall(text) if (day := _date(*groups))]
    return max(found, default=None)


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _month_end(year: int, month: int) -> date | None:
    if not (1 <= month <= 12 and 1 <= year < 9999):
        return None
    following = date(year + month // 12, month % 12 + 1, 1)
    return date.fromordinal(following.toordinal() - 1)


def _edit_index(work: Plan, moves: Mapping[str, str], deactivated: list[str]) -> None:
    """In the index: no entry for what moves, one entry for each year it moves to, and out of Active Context."""
    index_path = work.ws.config.index.path
    data = work.read(index_path)
    if data is None or not (moves or deactivated):
        return
    files = frozenset([*work.ws.detail_files(), *moves.values()])
    base = work.ws.config.index.link_base
    index = parse(markdown.decode(data), files, index_path=index_path, link_base=base)
    draft = Draft(index)
    for path in moves:
        if index.entry(path) is not None:
            draft.remove(path)
    for path in deactivated:
        draft.deactivate(path)
    for year in sorted({new.rpartition("/decisions/")[0] + "/" for new in moves.values()}):
        if index.entry(year) is None:
            number = year.rstrip("/").rpartition("/")[2]
            draft.add(
                year, Words(f"Archive {number}", (f"archive {number}", f"decisions {number}"), f"decisions of {number}")
            )
    work.write(index_path, markdown.encode(draft.text))


def sunsets(store: Store, clock: Clock) -> list[Sunset]:
    """The projects that were not mentioned, accessed or changed within `archive.projects_after_days`."""
    limit = store.ws.config.archive.projects_after_days
    projects = [e for e in store.entities.values() if e.kind == "projects" and not e.archived and e.main]
    mentioned = mentions.days(store, clock.today, limit) if projects else {}
    uses = access.pending(store.ws)
    rows = decayfile.read(store.ws)[1].files
    used = {path: use.last for (path, _), use in uses.items()}
    found = []
    for entity in projects:
        if entity.name in mentioned:
            continue
        known = [day for day in _days(store, entity, clock, rows.get(entity.main, {}), used) if day <= clock.today]
        last = max(known, default=None)
        if last is not None and (clock.today - last).days <= limit:
            continue
        changed = _changed(store.ws, entity)
        if changed and changed <= clock.today and (clock.today - changed).days <= limit:
            continue
        latest = max([day for day in (last, changed) if day and day <= clock.today], default=None)
        found.append(Sunset(entity.name, latest, f"openclaw-memory entity archive {entity.name}"))
    return found


def _days(
    store: Store, entity: Entity, clock: Clock, row: Mapping[str, object], used: Mapping[str, date]
) -> list[date]:
    """The days on which the entity was accessed, or a fact of it became known."""
    values: list[object] = [row.get("last_accessed"), used.get(entity.main), used.get(entity.facts)]
    for found in store.facts_of(entity):
        values += [found.fact.timestamp, found.fact.last_accessed]
    readings = (dates.read(value, clock.zone, clock.today) for value in values)
    return [reading.day for reading in readings if reading.day is not None]


def _changed(ws: Workspace, entity: Entity) -> date | None:
    """The day of the last commit of its files; without git the day its file was written."""
    from openclaw_memory.git import Repo

    folder = entity.main if entity.single else entity.main.rpartition("/")[0]
    try:
        repo = Repo.find(ws.root)
        told = repo.run("log", "-1", "--format=%cI", "--", repo.prefix(ws.root) + folder).decode().strip()
    except GitError:
        told = ""
    if told:
        return datetime.fromisoformat(told).astimezone(ws.zone.tz).date()
    return datetime.fromtimestamp((ws.root / entity.main).stat().st_mtime, ws.zone.tz).date()
