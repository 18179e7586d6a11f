"""Rotating Active Context: the files that are hot and that the notes speak of, never more than the cap."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from openclaw_memory import markdown
from openclaw_memory.facts import tiers
from openclaw_memory.facts.tiers import Clock
from openclaw_memory.index import Draft, Index, parse
from openclaw_memory.index.operations import kept
from openclaw_memory.knowledge import access, decayfile, mentions
from openclaw_memory.knowledge.facts import Flags
from openclaw_memory.knowledge.store import Store
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome

MENTION_DAYS = 14
STAYING = 1  # what a file that is in Active Context already has ahead, so that it does not flicker


class Choice(Record):
    """A file with its score: days of mention in two weeks twice, one for being hot, one for being there already."""

    path: str
    score: int
    mentioned: int
    heat: str
    active: bool

    @property
    def why(self) -> str:
        """In words."""
        return f"{self.heat}, mentioned on {self.mentioned} of {MENTION_DAYS} days"


@dataclass
class Rotation:
    """What Active Context holds now, and what went in and out."""

    chosen: list[Choice] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def rotate(ws: Workspace, now: datetime, flags: Flags = Flags()) -> tuple[Rotation, Outcome]:  # noqa: B008
    """Fill Active Context with the best files up to `index.active_cap`. A file that nothing speaks for stays only
    while there is room, so that an empty week empties nothing."""
    from openclaw_memory.workspace import transact

    results: list[Rotation] = []

    def plan() -> list[Change]:
        index_path = ws.config.index.path
        full = ws.path(index_path)
        before = full.read_bytes() if full.exists() else b""
        files, base = frozenset(ws.detail_files()), ws.config.index.link_base

        def read(text: str) -> Index:
            return parse(text, files, index_path=index_path, link_base=base)

        index = read(markdown.decode(before))
        ranked = rank(Store(ws), Clock.of(ws, now), index.active)
        chosen = [choice for choice in ranked if choice.mentioned or choice.heat == "hot" or choice.active]
        chosen = chosen[: ws.config.index.active_cap]
        wanted = [choice.path for choice in chosen]
        rotation = Rotation(chosen)
        draft = Draft(index)
        for path in index.active:
            if path not in wanted:
                draft.deactivate(path)
                rotation.removed.append(path)
        for path in wanted:
            if path not in index.active:
                draft.activate(path)
                rotation.added.append(path)
        results.append(rotation)
        text = kept(ws, read, draft.text, rotation.removed)
        return [Change(index_path, before if full.exists() else None, markdown.encode(text))]

    message = "Rotate Active Context"
    outcome = transact(ws, "rotate", plan, dry_run=flags.dry_run, commit=flags.commit, message=message)
    return results[-1], outcome


def rank(store: Store, clock: Clock, active: list[str]) -> list[Choice]:
    """Every file that may be in Active Context, the best first. Files that were never read nor mentioned are not hot
    by being new; files of the archive, logs of decisions and open questions are not candidates."""
    layout = store.ws.layout
    seen = mentions.days(store, clock.today, MENTION_DAYS)
    rows = decayfile.read(store.ws)[1].files
    uses: dict[str, tiers.Use] = {}
    for (path, _), use in access.pending(store.ws).items():
        entity = layout.entity_of(path)
        main = store.entities[entity].main if entity in store.entities else path
        uses[main] = uses[main].plus(use) if main in uses else use
    found: list[Choice] = []
    for path in store.detail_files:
        entity = layout.entity_of(path)
        if layout.kind_of(path) in (None, "archives", "decisions") and path not in active:
            continue
        tier = tiers.of_file(rows.get(path, {}), clock, uses.get(path))
        heat = tier.heat if tier.times else "unread"
        days = len(seen.get(entity or "", ())) if entity and store.entities[entity].main == path else 0
        score = 2 * days + (heat == "hot") + STAYING * (path in active)
        found.append(Choice(path, score, days, heat, path in active))
    known = {choice.path for choice in found}
    others = [path for path in active if path not in known and (store.ws.root / path).is_file()]
    found += [Choice(path, STAYING, 0, "unread", True) for path in others]  # put there by hand: no detail file
    return sorted(found, key=lambda choice: (-choice.score, choice.heat != "hot", choice.path))
