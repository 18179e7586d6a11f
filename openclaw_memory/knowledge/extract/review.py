"""Reviewing what comes from low trust: it waits, marked or in the quarantine, until a person accepts or rejects it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from openclaw_memory.errors import UsageError
from openclaw_memory.facts.model import REDACTED
from openclaw_memory.knowledge.extract import proposal, quarantine
from openclaw_memory.knowledge.extract.apply import problems
from openclaw_memory.knowledge.extract.quarantine import Waiting
from openclaw_memory.knowledge.extract.writer import Applied, Writer
from openclaw_memory.knowledge.facts import Flags
from openclaw_memory.knowledge.indexing import Plan, indexed
from openclaw_memory.knowledge.store import Found, Store
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


def pending(ws: Workspace) -> tuple[list[Found], list[Waiting]]:
    """Everything that waits: facts in their files, and what is in the quarantine."""
    facts = [found for found in Store(ws).all() if found.fact.quarantined]
    return facts, list(quarantine.parse(Plan(ws).read(quarantine.PATH)).waiting.values())


def settle(
    ws: Workspace, accept: Sequence[str], reject: Sequence[str], now: datetime, flags: Flags = Flags()  # noqa: B008
) -> tuple[Applied, Outcome]:  # fmt: skip
    """Accept and reject what waits, by reference of the fact or by id. What is accepted is written like anything
    that was read from a source one trusts; of a rejected fact a tombstone stays, and what says the same as something
    rejected is not taken in again. Raises UsageError for what does not wait, FormatError for what breaks a rule now.
    """
    from openclaw_memory.workspace import transact

    results: list[Applied] = []

    def plan() -> list[Change]:
        store = Store(ws)
        held = quarantine.parse(Plan(ws).read(quarantine.PATH))
        chosen = [held.waiting[name] for name in accept if name in held.waiting]
        writer = Writer(store, _checked(store, chosen), frozenset(), now, trusted=True)
        for name, accepted in [*((name, True) for name in accept), *((name, False) for name in reject)]:
            _settle(writer, name, accepted)
        results.append(writer.run())
        return indexed(writer.work, writer.words, moves=writer.moves())

    outcome = transact(ws, "extract --review", plan, dry_run=flags.dry_run, commit=flags.commit, message="Review")
    return results[-1], outcome


def _checked(store: Store, chosen: Sequence[Waiting]) -> proposal.Proposal:
    """What was chosen as a proposal that may be applied. Raises FormatError with each rule it breaks."""
    notes = sorted({str(one.row["note"]) for one in chosen if "note" in one.row})
    found = proposal.parse(json.dumps(quarantine.plan_of(chosen)), notes, quarantine.PATH)
    told = problems(store, found, [])
    if told:
        raise proposal.refusal(told, "what was accepted")
    return found


def _settle(writer: Writer, name: str, accepted: bool) -> None:
    verdict, day = "accepted" if accepted else "rejected", writer.now.date().isoformat()
    if name in writer.quarantine.waiting:
        writer.quarantine.settle(name, verdict, day)
        writer.keep_quarantine()
        return
    found = None if name.startswith(quarantine.PREFIX) else writer.store.find(name)
    if found is None or not found.fact.quarantined:
        raise UsageError(f"{name} does not wait for review", "see `openclaw-memory extract --review`")
    if accepted:
        writer.adder.confirm(found.entity, found.fact.id)
        return
    writer.quarantine.settle(quarantine.id_of("facts", found.entity.name, found.fact.text), verdict, day)
    stone = {"fact": REDACTED, "status": "superseded", "redacted": f"{day}: rejected in review"}
    gone = {**stone, "provenance": {**found.fact.provenance, "review": verdict}}
    writer.work.write(found.file.path, writer.adder.facts_in(found.file.path).rewrite({found.position: gone}))
    writer.keep_quarantine()
