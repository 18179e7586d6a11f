"""What `doctor` should know of the beats of a workspace. Reads only."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from openclaw_memory.config import seconds
from openclaw_memory.heartbeat import agenda as agendas
from openclaw_memory.heartbeat.state import peek, read_log
from openclaw_memory.record import Record
from openclaw_memory.workspace import Workspace

MISSED = 4
"""Beats that may be missed before it is worth a word."""


class Fact(Record):
    """Something about the beats that is wrong or worth knowing, and what to do about it."""

    severity: Literal["error", "warning", "info"]
    message: str
    fix: str = ""


def facts(ws: Workspace, now: datetime) -> list[Fact]:
    """Whether beats come, and which tasks fail or cannot run. [] where there is nothing to say."""
    agenda = agendas.load(ws)
    listed = agenda.plan.tasks or any(task.path for task in agenda.tasks)
    found = [_silence(ws, now)] if listed else []
    _, memories = peek(ws, ws.zone.tz)
    for task in agenda.tasks:
        memory = memories.get(task.key)
        if memory and memory.status in ("failed", "ended", "unavailable"):
            severity: Literal["warning", "info"] = "info" if memory.status == "unavailable" else "warning"
            found.append(Fact(severity, f"heartbeat task {task.name}: {memory.status}: {memory.message}".strip(": ")))
    found += [Fact("warning", f"{path}:{one.line}: {one.message}", one.fix) for path, one in agenda.problems]
    return [fact for fact in found if fact]


def _silence(ws: Workspace, now: datetime) -> Fact | None:
    """That no beat came for a while, or ever."""
    fix = (
        "let something call it: openclaw-memory heartbeat export openclaw-cron --install (or claude, systemd, crontab)"
    )
    last = read_log(ws, ws.zone.tz, 1)
    if not last:
        return Fact("info", "there are heartbeat tasks, and no beat was ever counted", fix)
    gone = now - last[0].began
    if gone <= MISSED * timedelta(seconds=seconds(ws.config.heartbeat.beat)):
        return None
    return Fact("warning", f"no beat came since {last[0].began:%Y-%m-%d %H:%M}", fix)
