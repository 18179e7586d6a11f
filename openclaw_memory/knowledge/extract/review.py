"""Reviewing facts of low trust: they wait in their files, marked, until a person accepts or rejects each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from openclaw_memory.errors import UsageError
from openclaw_memory.knowledge.facts import Flags
from openclaw_memory.knowledge.model import REDACTED
from openclaw_memory.knowledge.store import Found, Store
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


def pending(ws: Workspace) -> list[Found]:
    """Every fact that waits for review."""
    return [found for found in Store(ws).all() if found.fact.quarantined]


def settle(
    ws: Workspace, accept: Sequence[str], reject: Sequence[str], now: datetime, flags: Flags = Flags()  # noqa: B008
) -> Outcome:  # fmt: skip
    """Accept and reject facts by reference. An accepted one is a fact like any other; of a rejected one a tombstone
    stays. Raises UsageError for one that does not wait for review."""
    from openclaw_memory.workspace import transact

    def plan() -> list[Change]:
        store = Store(ws)
        changes: dict[str, dict[int, dict[str, object]]] = defaultdict(dict)
        for reference, accepted in [*((name, True) for name in accept), *((name, False) for name in reject)]:
            found = store.find(reference)
            if not found.fact.quarantined:
                raise UsageError(f"{reference} does not wait for review", "see `openclaw-memory extract --review`")
            changes[found.file.path][found.position] = _verdict(found, accepted, now)
        return [
            Change(
                path, store.file(path).parsed.text.encode("utf-8", "surrogateescape"), store.file(path).rewrite(rows)
            )
            for path, rows in changes.items()
        ]

    return transact(ws, "extract --review", plan, dry_run=flags.dry_run, commit=flags.commit, message="Review facts")


def _verdict(found: Found, accepted: bool, now: datetime) -> dict[str, object]:
    old = found.fact.record.get("provenance")
    kept = dict(old) if isinstance(old, Mapping) else {}
    if accepted:
        return {"provenance": {**kept, "review": "accepted", "reviewed": now.date().isoformat()}}
    stone = {"fact": REDACTED, "status": "superseded", "redacted": f"{now.date()}: rejected in review"}
    return {**stone, "provenance": {**kept, "review": "rejected"}}
