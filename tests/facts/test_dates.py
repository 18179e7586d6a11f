from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from openclaw_memory.facts import dates

TODAY = date(2026, 3, 25)
TOKYO = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-03-01", date(2026, 3, 1)),
        ("2026-03-01T10:00:00+08:00", date(2026, 3, 1)),
        ("2026-03-01T20:00:00Z", date(2026, 3, 2)),
        ("2026-03-01T20:00:00", date(2026, 3, 1)),
        ("2026-03-02 09:30 PT", date(2026, 3, 2)),
        ("2026/3/2", date(2026, 3, 2)),
        ("20260302", date(2026, 3, 2)),
        ("2026年3月2日", date(2026, 3, 2)),
        ("13.03.2026", date(2026, 3, 13)),
        ("03/13/2026", date(2026, 3, 13)),
        ("2 March 2026", date(2026, 3, 2)),
        ("Mar 2, 2026", date(2026, 3, 2)),
        ("2 de março de 2026", date(2026, 3, 2)),
        ("2. März 2026", date(2026, 3, 2)),
        (date(2026, 3, 2), date(2026, 3, 2)),
        (datetime(2026, 3, 1, 23, tzinfo=UTC), date(2026, 3, 2)),
        (1772409600, date(2026, 3, 2)),
        (1772409600500, date(2026, 3, 2)),
        (1772409600.5, date(2026, 3, 2)),
    ],
)
def test_reads_every_form(value: object, day: date) -> None:
    assert dates.read(value, TOKYO, TODAY) == dates.Reading(day, "day")


@pytest.mark.parametrize("value", ["yesterday", "02.03.2026", "2026-13-40", "soon", 12, -1, True, [], "3/13", 1e300])
def test_never_guesses(value: object) -> None:
    assert dates.read(value, TOKYO, TODAY) == dates.UNREADABLE


@pytest.mark.parametrize("value", [None, ""])
def test_absent(value: object) -> None:
    assert dates.read(value, TOKYO, TODAY) == dates.ABSENT


def test_a_future_day_counts_as_today() -> None:
    assert dates.read("2027-01-01", TOKYO, TODAY) == dates.Reading(TODAY, "future")
