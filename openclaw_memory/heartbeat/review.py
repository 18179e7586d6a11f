"""The nightly review: silent unless something is urgent. Reads only."""

from __future__ import annotations

from collections.abc import Sequence

from openclaw_memory.check.run import Request, check
from openclaw_memory.heartbeat.state import peek
from openclaw_memory.subject import Family
from openclaw_memory.workspace import Workspace

SHOWN = 10


def review(ws: Workspace, families: Sequence[Family] = ()) -> list[str]:
    """One line for each urgent thing: a finding of severity error, a task that failed when it ran last."""
    errors = [
        f"{found.path}:{found.line}: {found.code} {found.message}"
        for report in check(Request(ws), families)
        for found in report.findings
        if found.severity == "error"
    ]
    more = [f"and {len(errors) - SHOWN} more (openclaw-memory check)"] if len(errors) > SHOWN else []
    _, memories = peek(ws, ws.zone.tz)
    failing = [
        f"task {key}: {memory.status}: {memory.message}"
        for key, memory in sorted(memories.items())
        if memory.status in ("failed", "ended") and key != "builtin/review"
    ]
    return [*errors[:SHOWN], *more, *failing]
