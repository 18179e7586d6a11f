"""Intervals and windows of a state file, and quiet hours: taken where a task has none, named where it has others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from openclaw_memory.heartbeat.clock import Last, is_due, next_due
from openclaw_memory.heartbeat.grammar import parse
from openclaw_memory.heartbeat.model import Task
from openclaw_memory.heartbeat.rhythms import apply, hold, read_rhythms
from openclaw_memory.heartbeat.schedule import Schedule

NIGHT = (23 * 60, 8 * 60)


def applied(state: str, beat: str) -> tuple[dict[str, str], list[str]]:
    tasks, problems = apply(read_rhythms(state), parse(beat).tasks, state, "s.json")
    return {task.name: str(task.schedule) for task in tasks}, [f"{p.line} {p.message}" for p in problems]


def test_a_task_without_a_schedule_takes_the_interval_and_the_window_of_the_state_file() -> None:
    windows = '"timeWindows": {"mail": {"start": "08:00", "end": "21:00"}}'
    state = '{"checkIntervals": {"mail": 1800, "site": "2h"},\n ' + windows + "}"
    found, problems = applied(state, "- Mail\n- site\n- other\n")
    assert found == {"Mail": "every 30 min, 08:00–21:00", "site": "every 2 h", "other": "each beat"} and not problems


def test_where_file_and_state_differ_the_file_is_taken_and_both_are_named() -> None:
    state = (
        '{"lastChecks": {"api": 1},\n "checkIntervals": {"api": 420, "mail": 3600},\n "timeWindows": {"api": "9-17"}}'
    )
    found, problems = applied(state, "- API (every 5 minutes, 8:00-20:00)\n- mail (hourly)\n")
    assert found == {"API": "every 5 min, 08:00–20:00", "mail": "every 1 h"}
    assert problems == [
        "2 checkIntervals.api: s.json says every 7 min (420 s), line 1 of HEARTBEAT.md says every 5 min, 08:00–20:00",
        "3 timeWindows.api: s.json says 09:00–17:00, line 1 of HEARTBEAT.md says every 5 min, 08:00–20:00",
    ]


@pytest.mark.parametrize("window", ['"08:00-21:00"', "[8, 21]", '["08:00", "21:00"]', '{"from": 8, "to": 21}'])
def test_a_window_is_read_however_it_is_written(window: str) -> None:
    assert read_rhythms(f'{{"timeWindows": {{"x": {window}}}}}').windows == {"x": (480, 1260)}


@pytest.mark.parametrize("value", ["true", "-5", "1e300", '"soon"', "[]", "{}"])
def test_what_is_not_understood_is_named_with_its_line(value: str) -> None:
    for part in ("checkIntervals", "timeWindows"):
        found = read_rhythms(f'{{"lastChecks": {{"x": 1}},\n"{part}": {{"x": {value}}}}}')
        (problem,) = found.problems
        assert (problem.code, problem.line) == ("OM401", 2) and f"{part}.x" in problem.message


@pytest.mark.parametrize("text", ["", "[]", "{broken", '{"checkIntervals": 5}', '{"a":' * 100_000])
def test_a_file_without_rhythms_has_none(text: str) -> None:
    assert read_rhythms(text) == ({}, {}, ())


@pytest.mark.parametrize(
    "said",
    [
        "- Quiet hours: 23:00-08:00",
        "Quiet hours: 11pm – 8am",
        "- **Respect quiet time** (23:00-08:00)",
        "## Quiet hours (23:00-08:00)\n- do not message",
        "## Quiet hours\n- 23:00-08:00",
        "- During quiet hours (23:00-08:00) stay silent",
        "- No checks between 23:00 and 08:00",
        "- Ruhezeit: 23:00-08:00",
        "- Тихие часы: 23:00-08:00",
        "- 静音时间：23:00-08:00",
    ],
)
def test_hours_that_are_plainly_quiet_are_no_task_and_hold_prompts_back(said: str) -> None:
    plan = parse(f"{said}\n\n## Each beat\n- mail\n")
    assert [task.name for task in plan.tasks] == ["mail"] and plan.quiet == NIGHT


@pytest.mark.parametrize("said", ["- Quiet hours: 23:00-08:00 unless urgent", "- Quiet hours as agreed"])
def test_quiet_hours_with_exceptions_are_for_the_agent_to_weigh(said: str) -> None:
    plan = parse(f"{said}\n- mail\n")
    assert [task.name for task in plan.tasks] == ["mail"] and plan.quiet is None
    assert [note.kind for note in plan.notes] == ["policy"]


def test_a_held_task_runs_when_the_quiet_hours_end() -> None:
    schedule = Schedule(seconds=3600, quiet=NIGHT)
    last = Last(1, None, 1, datetime(2026, 3, 2, 22, 30, tzinfo=UTC))
    night, morning = datetime(2026, 3, 2, 23, 30, tzinfo=UTC), datetime(2026, 3, 3, 8, tzinfo=UTC)
    assert not is_due(schedule, last, 2, night) and is_due(schedule, last, 2, morning)
    assert next_due(schedule, last, 1, night, 1800) == morning
    assert str(schedule) == "every 1 h, held back 23:00–08:00"


def test_a_task_whose_own_words_name_the_quiet_hours_is_not_held_and_is_named() -> None:
    tasks = [Task("backup", "", Schedule(times=(120,)), line=4), Task("mail", "", Schedule(beats=1), line=5)]
    held, (problem,) = hold(tasks, NIGHT, 1)
    assert [task.schedule.quiet for task in held] == [None, NIGHT]
    assert problem.code == "OM402" and problem.line == 4 and "line 1" in problem.message
