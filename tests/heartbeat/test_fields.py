"""Schedules in fields: durations, bare minutes, cron expressions."""

from __future__ import annotations

import pytest

from openclaw_memory.heartbeat.cron import parse_cron
from openclaw_memory.heartbeat.fields import duration, read_cell, read_interval


@pytest.mark.parametrize(
    ("text", "seconds"), [("30m", 1800), ("90", 5400), ("1h30m", 5400), ("PT30M", 1800), ("2 h", 7200), ("soon", None)]
)
def test_a_duration_is_counted_in_seconds(text: str, seconds: int | None) -> None:
    assert duration(text) == seconds


def test_a_negative_interval_is_named_and_runs_each_beat() -> None:
    reading = read_interval("-5m")
    assert reading.schedule is None and reading.doubts == ("-5m is negative",)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("*/30 * * * *", 48),
        ("0 9,17 * * 1-5", 2),
        ("@daily", 1),
    ],
)
def test_a_cron_expression_is_a_calendar(text: str, meaning: int) -> None:
    schedule = parse_cron(text)
    assert schedule is not None and len(schedule.times) == meaning


def test_cron_counts_sunday_as_0_and_as_7() -> None:
    for text in ("0 8 * * 0", "0 8 * * 7", "0 8 * * sun"):
        schedule = parse_cron(text)
        assert schedule is not None and schedule.weekdays == (6,)


def test_cron_takes_either_day_when_both_are_given() -> None:
    schedule = parse_cron("0 0 1 * mon")
    assert schedule is not None and schedule.either and schedule.days == (1,) and schedule.weekdays == (0,)


@pytest.mark.parametrize("text", ["61 * * * *", "* 25 * * *", "*/0 * * * *"])
def test_cron_out_of_range_is_a_doubt(text: str) -> None:
    assert read_cell(text).doubts and read_cell(text).schedule is None


def test_what_is_no_cron_expression_is_none() -> None:
    assert parse_cron("mon tue wed thu fri") is None and parse_cron("every day") is None
