"""Heat: how long ago something was last used, against how often. Pure; the only place with the formula."""

from __future__ import annotations

from datetime import date

from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Heat: TypeAlias = "Literal['hot', 'warm', 'cold', 'unknown']"
ORDER: tuple[Heat, ...] = ("hot", "warm", "unknown", "cold")


class Limits(Record):
    """The days of `decay:` in the config."""

    hot_days: int = 7
    warm_days: int = 30
    max_warm_days: int = 180


DEFAULT = Limits()


def warm_days(count: int, limits: Limits = DEFAULT) -> int:
    """Days of last access until which something stays warm: 30 x (1 + floor(log2(max(1, count)) / 2)), at most 180.

    1 access: 30; 4: 60; 16: 90; 64: 120. Exact for integers: floor(log2 n) is its bit length less one.
    """
    return min(limits.max_warm_days, limits.warm_days * (1 + (max(1, count).bit_length() - 1) // 2))


def heat(last: date | None, count: int, today: date, limits: Limits = DEFAULT) -> Heat:
    """`hot` to 7 days from `last`, `warm` to `warm_days(count)`, then `cold`; `unknown` without a day, never cold."""
    if last is None:
        return "unknown"
    age = (today - last).days
    if age <= limits.hot_days:
        return "hot"
    return "warm" if age <= warm_days(count, limits) else "cold"
