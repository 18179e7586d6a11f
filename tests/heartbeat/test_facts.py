"""What doctor hears of beats."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from openclaw_memory.config import trust
from openclaw_memory.heartbeat.facts import facts

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_beats_that_never_came_or_stopped_are_told(beats: Callable[..., Any]) -> None:
    one = beats("- mail\n")
    assert [fact.message for fact in facts(one.ws, NOW)] == ["there are heartbeat tasks, and no beat was ever counted"]
    one.run(NOW)
    assert facts(one.ws, NOW + timedelta(hours=1)) == []
    (late,) = facts(one.ws, NOW + timedelta(days=2))
    assert late.severity == "warning" and "no beat came since 2026-03-02 09:00" in late.message and "export" in late.fix


def test_a_workspace_without_tasks_has_no_facts(beats: Callable[..., Any]) -> None:
    assert facts(beats("").ws, NOW) == []


def test_a_command_that_lost_its_trust_is_told(beats: Callable[..., Any]) -> None:
    one = beats("")
    file = one.root / "heartbeat" / "mine.md"
    file.parent.mkdir()
    file.write_text("---\nrun: echo hi\n---\n")
    trust.allow(file, file.read_bytes())
    one.run(NOW)
    assert facts(one.ws, NOW) == []
    file.write_text("---\nrun: echo something else\n---\n")
    (lost,) = facts(one.ws, NOW)
    assert lost.severity == "warning" and "heartbeat/mine.md:1: `run:` of “mine” is not trusted" in lost.message
    assert lost.fix.endswith("openclaw-memory trust heartbeat/mine.md")
