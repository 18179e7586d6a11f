"""Heat: how long ago something was last used, against how often. Pure; the only place with the formula."""

from __future__ import annotations

from datetime import date
from typing import Literal

Heat = Literal["hot", "warm", "cold", "unknown"]
ORDER: tuple[Heat, ...] = ("hot", "warm", "unknown", "cold")

HOT_DAYS = 7
WARM_DAYS = 30
MOST_WARM_DAYS = 180


def warm_days(count: int) -> int:
    """Days of last access until which something stays warm: 30 x (1 + floor(log2(max(1, count)) / 2)), at most 180.

    1 access: 30; 4: 60; 16: 90; 64: 120. Exact for integers: floor(log2 n) is its bit length less one.
    """
    return min(MOST_WARM_DAYS, WARM_DAYS * (1 + (max(1, count).bit_length() - 1) // 2))


def heat(last: date | None, count: int, today: date) -> Heat:
    """`hot` to 7 days from `last`, `warm` to `warm_days(count)`, then `cold`; `unknown` without a day, never cold."""
    if last is None:
        return "unknown"
    age = (today - last).days
    if age <= HOT_DAYS:
        return "hot"
    return "warm" if age <= warm_days(count) else "cold"
