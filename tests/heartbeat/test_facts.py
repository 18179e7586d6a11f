"""What doctor hears of beats."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

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
