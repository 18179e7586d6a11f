from datetime import date, timedelta
from math import floor, log2

import pytest

from openclaw_memory.facts.heat import Limits, heat, warm_days

TODAY = date(2026, 6, 30)


@pytest.mark.parametrize(
    ("count", "days"),
    [(-1, 30), (0, 30), (1, 30), (3, 30), (4, 60), (15, 60), (16, 90), (63, 90), (64, 120), (255, 120), (256, 150),
     (1023, 150), (1024, 180), (10**9, 180)],
)  # fmt: skip
def test_warm_days_at_every_step(count: int, days: int) -> None:
    assert warm_days(count) == days


def test_warm_days_is_the_published_formula() -> None:
    for count in range(5000):
        assert warm_days(count) == min(180, 30 * (1 + floor(log2(max(1, count)) / 2)))


@pytest.mark.parametrize(
    ("age", "count", "expected"),
    [(-3, 1, "hot"), (0, 0, "hot"), (7, 1, "hot"), (8, 1, "warm"), (30, 1, "warm"), (31, 1, "cold"),
     (31, 4, "warm"), (60, 4, "warm"), (61, 4, "cold"), (90, 16, "warm"), (91, 16, "cold"), (120, 64, "warm"),
     (121, 64, "cold"), (180, 10**9, "warm"), (181, 10**9, "cold")],
)  # fmt: skip
def test_boundaries(age: int, count: int, expected: str) -> None:
    assert heat(TODAY - timedelta(days=age), count, TODAY) == expected


def test_without_a_day_it_is_unknown_never_cold() -> None:
    assert heat(None, 99, TODAY) == "unknown"


def test_limits_of_the_config() -> None:
    limits = Limits(hot_days=1, warm_days=2, max_warm_days=3)
    tiers = [heat(TODAY - timedelta(days=age), 64, TODAY, limits) for age in range(6)]
    assert tiers == ["hot", "hot", "warm", "warm", "cold", "cold"]
