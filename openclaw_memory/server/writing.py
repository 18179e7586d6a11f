"""The writing tools: note and fact. They go the way the commands go: under the lock, with undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_memory.errors import UsageError
from openclaw_memory.server.engine import Engine


def note(engine: Engine, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`{"path", "line", "new"}`: where the text stands; not new means that it was there already."""
    from openclaw_memory.knowledge import notes

    ws = engine.workspace
    at = ws.now(arguments["at"]) if "at" in arguments else None
    place, _ = notes.note(ws, arguments["text"], ws.now(), at)
    return {"path": place.path, "line": place.line, "new": place.new}


def fact(engine: Engine, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`{"fact", "notes"}`: the reference of the fact written. Text from an agent's tools is the agent's word."""
    from openclaw_memory.knowledge import facts

    ws = engine.workspace
    told = facts.Told(arguments["text"], arguments.get("category", ""), arguments.get("source", ""))
    if old := arguments.get("supersedes"):
        written, _ = facts.supersede(ws, old, told, ws.now())
    elif entity := arguments.get("entity"):
        written, _ = facts.add(ws, entity, told, ws.now())
    else:
        raise UsageError("memory_fact needs an entity, or the fact it supersedes", "entity: people/jane")
    return {"fact": written.reference, "notes": list(written.notes)}
