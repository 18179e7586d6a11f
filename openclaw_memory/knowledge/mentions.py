"""How often and when entities are mentioned in daily notes. Reads notes and names; writes nothing."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta

from openclaw_memory.knowledge.extract.lines import unread
from openclaw_memory.knowledge.extract.session import known_names
from openclaw_memory.knowledge.store import Store


def days(store: Store, today: date, within: int) -> dict[str, list[date]]:
    """For each entity the days of the last `within` on which a note mentions it, oldest first."""
    ws = store.ws
    dated = [(path, ws.layout.is_daily(path)) for path in ws.daily_notes()]
    recent = {path: day for path, day in dated if day and today - timedelta(days=within) <= day <= today}
    known = known_names(ws, store)
    found: dict[str, set[date]] = defaultdict(set)
    for note in unread(ws, recent, again=True):
        for line in note.lines():
            for mention in known.mentions(line.text):
                found[mention.entity].add(recent[note.path])
    return {entity: sorted(seen) for entity, seen in found.items()}
