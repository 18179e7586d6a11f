"""One extraction from start to end: which notes, what is known, which reader. Writing is `apply`'s."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from openclaw_memory import fsio, markdown
from openclaw_memory.index import parse
from openclaw_memory.knowledge.extract import lists, reader
from openclaw_memory.knowledge.extract.apply import problems
from openclaw_memory.knowledge.extract.lines import MAX_BYTES, Line, Unread, unread
from openclaw_memory.knowledge.extract.names import Known
from openclaw_memory.knowledge.extract.proposal import PARTS, Candidate, FoundEntity, Proposal
from openclaw_memory.knowledge.store import Entity, Store
from openclaw_memory.workspace import Workspace

RECENT_DAYS = 30  # how far back unread notes are looked for, unless told otherwise
MENTION_DAYS = 90  # how far back mentions count


@dataclass
class Session:
    """The notes with something unread, and what the workspace knows."""

    ws: Workspace
    store: Store
    notes: list[Unread]
    now: datetime


def begin(
    ws: Workspace, now: datetime, paths: Sequence[str] = (), *, whole: bool = False, again: bool = False
) -> Session:
    """The unread notes: `paths`, else those of the last 30 days (with `whole` all), up to today."""
    chosen = [ws.rel(path) for path in paths] or _recent(ws, now, None if whole else RECENT_DAYS)
    return Session(ws, Store(ws), unread(ws, chosen, again=again), now)


def since(now: datetime) -> str:
    """The minute, in UTC, from which on a conversation is recent."""
    return (now - timedelta(days=RECENT_DAYS)).astimezone(UTC).isoformat()[:16]


def _recent(ws: Workspace, now: datetime, days: int | None) -> list[str]:
    first = now.date() - timedelta(days=days) if days is not None else None
    found = [(path, ws.layout.is_daily(path)) for path in ws.daily_notes()]
    return [path for path, day in found if day and day <= now.date() and (first is None or day >= first)]


def by_rules(session: Session, *, extra: Iterable[Unread] = ()) -> Proposal:
    """What the deterministic reader finds in the unread notes. What breaks a rule becomes a candidate, since nobody
    is there to correct it."""
    ws, store = session.ws, session.store
    known = known_names(ws, store)
    notes = [*session.notes, *extra]
    questions = lists.open_questions(_text(ws, lists.QUESTIONS))
    window = list(_window(session, notes))
    found = Proposal()
    for low_trust in (False, True):  # what such text mentions makes no entity of what is said elsewhere
        lines = [line for note in notes if note.low_trust == low_trust for line in note.lines()]
        counts = reader.count_mentions((line for line in window if low_trust or not line.low_trust), known)
        found.extend(reader.read(lines, known, counts, ws.config.facts.mentions, questions))
    return _sound(store, found, notes)


def _window(session: Session, notes: Sequence[Unread]) -> Iterable[Line]:
    """Every statement of the notes in which mentions count: the recent ones as a whole, and what else is read."""
    recent = unread(session.ws, _recent(session.ws, session.now, MENTION_DAYS), again=True)
    paths = {note.path for note in recent}
    for note in [*recent, *(note for note in notes if note.path not in paths)]:
        yield from note.lines()


def _sound(store: Store, found: Proposal, notes: Sequence[Unread]) -> Proposal:
    """`found` without what `apply` would refuse, each part judged by itself."""
    kept = Proposal(candidates=found.candidates)
    for key in PARTS:  # entities first: the others may be about them
        for item in getattr(found, key):
            reasons = problems(store, Proposal(**{"entities": kept.entities, key: [item]}), notes)
            if reasons:
                text = item.name or item.entity if isinstance(item, FoundEntity) else item.text
                kept.candidates.append(Candidate(text, item.place, reasons[0].partition(": ")[2]))
            else:
                getattr(kept, key).append(item)
    return kept


def known_names(ws: Workspace, store: Store) -> Known:
    """The names by which text may speak of each entity: its title, its slug in words, what the index calls it."""
    called: dict[str, set[str]] = {}
    path, base = ws.config.index.path, ws.config.index.link_base
    index = parse(_text(ws, path), frozenset(ws.detail_files()), index_path=path, link_base=base)
    spoken = {entry.path: {entry.name, *entry.aliases} for entry in index.entries}
    for entity in store.entities.values():
        if entity.kind in ("decisions",):
            continue
        names = {entity.slug.replace("-", " "), *spoken.get(entity.main, ())}
        title = _title(ws, entity)
        called[entity.name] = names | ({title} if title else set())
    live = {name: names for name, names in called.items() if not name.startswith("archives/")}
    gone = {name: names for name, names in called.items() if name.startswith("archives/")}
    taken = {spelled.casefold() for names in live.values() for spelled in names}
    for name, names in gone.items():
        live[name] = {spelled for spelled in names if spelled.casefold() not in taken}
    return Known(live, ws.config.facts.stop_words)


def _title(ws: Workspace, entity: Entity) -> str:
    if not entity.main:
        return ""
    try:
        with open(ws.path(entity.main), "rb") as file:
            head = markdown.decode(file.read(2048))
    except OSError:
        return ""  # its slug is a name too
    for line in head.splitlines():
        if line.startswith("# "):
            return line[2:].strip(" #*_`")
    return ""


def _text(ws: Workspace, path: str) -> str:
    full = ws.path(path)
    return markdown.decode(fsio.read(full, limit=MAX_BYTES, binary=True)) if full.exists() else ""
