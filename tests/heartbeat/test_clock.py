"""When schedules are due: beats, intervals, calendars, windows, days without an hour, clocks that are set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from openclaw_memory.heartbeat.clock import Last, is_due, next_due, rebase, settle
from openclaw_memory.heartbeat.phrases import read
from openclaw_memory.heartbeat.schedule import Schedule

BERLIN = ZoneInfo("Europe/Berlin")


def schedule(text: str) -> Schedule:
    found = read(text).schedule
    assert found is not None
    return found


def at(text: str, zone: ZoneInfo | None = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def runs(text: str, start: str, hours: float, step: int = 30) -> list[str]:
    """The local times at which beats of `step` minutes would run the schedule."""
    wanted, now = schedule(text), at(start)
    last, found = Last(1, now), []
    moment, beat = now.astimezone(UTC), 0
    while moment < now.astimezone(UTC) + timedelta(hours=hours):
        beat += 1
        local = moment.astimezone(BERLIN)
        if is_due(wanted, last, beat, local):
            found.append(f"{local:%d %H:%M}")
            last = last._replace(beat=beat, slot=settle(wanted, last, local))
        moment += timedelta(minutes=step)
    return found


@pytest.mark.parametrize(
    ("text", "start", "hours", "expected"),
    [
        ("every 4 beats", "2026-03-02T00:00", 6, ["02 01:30", "02 03:30", "02 05:30"]),
        ("every 2 hours", "2026-03-02T00:00", 5, ["02 00:00", "02 02:00", "02 04:00"]),
        ("daily at 09:00", "2026-03-02T08:30", 26, ["02 09:00", "03 09:00"]),
        ("daily", "2026-03-02T08:30", 26, ["02 08:30", "03 00:00"]),
        ("Morning (7-9 AM)", "2026-03-02T08:00", 26, ["02 08:00", "03 07:00"]),
        ("weekly (Monday)", "2026-03-01T22:00", 30, ["02 00:00"]),
        ("hourly, 22:00-02:00", "2026-03-02T20:00", 8, ["02 22:00", "02 23:00", "03 00:00", "03 01:00"]),
        ("hourly, 22:00-24:00", "2026-03-02T20:00", 8, ["02 22:00", "02 23:00"]),
        ("weekdays at 8:30am", "2026-03-06T00:00", 96, ["06 08:30", "09 08:30"]),
        ("Friday 22:00-02:00, hourly", "2026-03-06T20:00", 30, ["06 22:00", "06 23:00", "07 00:00", "07 01:00"]),
        ("first Monday of the month", "2026-03-30T00:00", 24 * 8, ["06 00:00"]),
        ("last day of the month", "2026-03-30T12:00", 48, ["31 00:00"]),
        ("(paused)", "2026-03-02T00:00", 24, []),
    ],
)
def test_beats_of_half_an_hour_run_it_at(text: str, start: str, hours: float, expected: list[str]) -> None:
    assert runs(text, start, hours) == expected


def test_an_hour_that_does_not_exist_runs_once_after_it() -> None:
    assert runs("daily at 02:30", "2026-03-28T02:30", 48) == ["28 02:30", "29 03:30", "30 02:30"]


def test_an_hour_that_comes_twice_runs_once() -> None:
    assert runs("daily at 02:30", "2026-10-24T02:30", 50) == ["24 02:30", "25 02:30", "26 02:30"]


def test_days_are_days_of_the_calendar_over_a_change_of_clocks() -> None:
    assert runs("every 2 days", "2026-03-28T09:00", 24 * 5) == ["28 09:00", "30 09:00", "01 09:00"]


def test_a_task_counts_from_the_start_of_the_day_it_is_first_seen_on() -> None:
    assert runs("daily at 02:30", "2026-03-02T12:00", 20) == ["02 12:00", "03 02:30"]
    assert runs("weekly (Monday)", "2026-03-02T12:00", 20) == ["02 12:00"]
    assert runs("weekly (Monday)", "2026-03-03T12:00", 20) == []


def test_missed_moments_come_once() -> None:
    wanted = schedule("every 2 hours")
    last = Last(1, at("2026-03-02T00:00"), 1, at("2026-03-02T00:00"))
    late = at("2026-03-05T07:10")
    assert is_due(wanted, last, 2, late)
    after = last._replace(beat=2, slot=settle(wanted, last, late))
    assert not is_due(wanted, after, 3, late + timedelta(minutes=30))


def test_a_beat_that_comes_a_little_early_is_no_beat_lost() -> None:
    wanted, now = schedule("every 30 minutes"), at("2026-03-02T00:00:03")
    last = Last(1, now, 1, now)
    assert is_due(wanted, last, 2, at("2026-03-02T00:29:59"))
    assert not is_due(wanted, last, 2, at("2026-03-02T00:29:00"))


def test_an_interval_keeps_its_grid_when_it_ran_late() -> None:
    wanted = schedule("every 4 hours")
    last = Last(1, at("2026-03-02T00:00"), 1, at("2026-03-02T00:00"))
    assert settle(wanted, last, at("2026-03-02T05:00")) == at("2026-03-02T04:00")
    assert settle(wanted, last, at("2026-03-02T07:00")) == at("2026-03-02T07:00")


def test_a_clock_set_back_keeps_what_had_gone_by_of_an_interval() -> None:
    wanted = schedule("every 4 hours")
    slot = rebase(wanted, at("2026-03-02T10:00"), at("2026-03-02T13:00"), at("2026-03-02T06:00"))
    assert slot == at("2026-03-02T03:00")


def test_a_clock_set_back_brings_no_moment_twice_and_waits_for_none_for_ever() -> None:
    wanted = schedule("daily at 09:00")
    ran = at("2026-03-02T09:10")
    assert rebase(wanted, ran, ran, at("2026-03-02T08:00")) == ran
    wrong = at("2036-03-02T09:10")
    assert rebase(wanted, wrong, wrong, at("2026-03-02T08:00")) == at("2026-03-02T08:00")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("every 4 beats", "2026-03-02 11:00"),
        ("every 2 hours", "2026-03-02 11:00"),
        ("daily at 08:00", "2026-03-03 08:00"),
        ("hourly, 22:00-02:00", "2026-03-02 22:00"),
        ("Fridays 06:00", "2026-03-06 06:00"),
    ],
)
def test_the_next_time_is_told(text: str, expected: str) -> None:
    now = at("2026-03-02T09:00")
    found = next_due(schedule(text), Last(1, now, 8, now), 8, now, 1800)
    assert found is not None and f"{found:%Y-%m-%d %H:%M}" == expected


def test_a_billion_beats_are_counted_in_no_time() -> None:
    wanted, now = schedule("every 4 beats"), at("2026-03-02T09:00")
    assert is_due(wanted, Last(1, now, 10**9 - 4, now), 10**9, now)
    assert not is_due(wanted, Last(1, now, 10**9, now), 10**9 + 1, now)
