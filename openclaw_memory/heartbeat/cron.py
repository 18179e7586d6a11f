"""Cron expressions (five fields, names, steps, `@daily`) as schedules. Pure; raises ValueError for what is none."""

from __future__ import annotations

import re

from openclaw_memory.heartbeat.schedule import MONTHS, WEEKDAYS, Schedule

_FIELD = r"(?:[\d*/,\-?]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+"
EXPRESSION = re.compile(rf"\s*({_FIELD})\s+({_FIELD})\s+({_FIELD})\s+({_FIELD})\s+({_FIELD})\s*", re.IGNORECASE)
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_MONTH_NAMES = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_DAY_NAMES = {name.lower(): (number + 1) % 7 for number, name in enumerate(WEEKDAYS)}


def parse_cron(text: str) -> Schedule | None:
    """The schedule of a cron expression, or None when `text` does not look like one.

    Days follow cron(8): with both a day of the month and a weekday given, either will do.
    Raises ValueError, with the field, when it looks like one and a number is out of range.
    """
    match = EXPRESSION.fullmatch(_NICKNAMES.get(text.strip().lower(), text))
    if not match or match[1][0] not in "*0123456789":
        return None
    minute, hour, day, month, weekday = (part.lower().replace("?", "*") for part in match.groups())
    minutes, hours = _values(minute, 0, 59, {}), _values(hour, 0, 23, {})
    weekdays = tuple(sorted({(value - 1) % 7 for value in _values(weekday, 0, 7, _DAY_NAMES)}))
    days = _values(day, 1, 31, {})
    return Schedule(
        times=tuple(60 * one + other for one in hours for other in minutes),
        weekdays=() if len(weekdays) == 7 else weekdays,
        days=() if len(days) == 31 else days,
        months=() if month == "*" else _values(month, 1, 12, _MONTH_NAMES),
        either=len(weekdays) < 7 and len(days) < 31,
    )


def _values(field: str, low: int, high: int, names: dict[str, int]) -> tuple[int, ...]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        start = low if first == "*" else _number(first, low, high, names)
        end = _number(last, low, high, names) if last else high if first == "*" or step else start
        if end < start or (step and not (step.isdigit() and int(step))):
            raise ValueError(f"{part!r} is no range of {low} to {high}")
        found.update(range(start, end + 1, int(step or 1)))
    return tuple(sorted(found))


def _number(word: str, low: int, high: int, names: dict[str, int]) -> int:
    value = names.get(word, int(word) if word.isdigit() else -1)
    if not low <= value <= high:
        raise ValueError(f"{word!r} is not between {low} and {high}")
    return value
