"""Schedules from fields (YAML keys, table cells), whose whole text is one: durations, bare numbers, cron, phrases."""

from __future__ import annotations

import re

from openclaw_memory.heartbeat.cron import parse_cron
from openclaw_memory.heartbeat.phrases import Reading, read

_UNIT = {"ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|sec|min|s|m|h|d|w)", re.IGNORECASE)
_DURATION = re.compile(rf"(?:{_PART.pattern}\s*)+", re.IGNORECASE)
_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.IGNORECASE)
_AMOUNT = re.compile(r"[~≈]?\s*(?:\d|few\b|couple\b)")


def duration(text: str) -> float | None:
    """Seconds of `30m`, `1h30m`, `PT30M`, or a bare number of minutes (the host's rule); None for anything else.

    Raises ValueError for a negative one.
    """
    text = text.strip()
    if re.match(r"[-−]\s*\d", text):
        raise ValueError(f"{text} is negative")
    if re.fullmatch(r"\d+(?:\.\d+)?", text):
        return float(text) * 60
    iso = _ISO.fullmatch(text)
    if iso and any(iso.groups()):
        days, hours, minutes, seconds = (int(part or 0) for part in iso.groups())
        return days * 86400 + hours * 3600 + minutes * 60 + seconds
    if _DURATION.fullmatch(text):
        return sum(float(number) * _UNIT[unit.lower()] for number, unit in _PART.findall(text))
    return None


def read_interval(text: str) -> Reading:
    """The schedule of an `interval:` or `every:` field. A doubt says what is wrong with one that cannot be read."""
    try:
        cron = parse_cron(text)
        seconds = duration(text)
    except ValueError as error:
        return Reading(text, doubts=(str(error),))
    if cron:
        return Reading(text, cron, ((0, len(text)),), whole=True)
    if seconds is not None:
        days = seconds / 86400
        return read(f"every {days:.15g} days" if days >= 1 and days.is_integer() else f"every {seconds:.15g} seconds")
    found = read(text, heading=True)
    if not (found.schedule and found.whole) and _AMOUNT.match(text):
        found = read(f"every {text}", heading=True)
    if found.schedule is None and not found.doubts:
        found = read(f"every {text}", heading=True)
    return found if found.schedule or found.doubts else Reading(text, doubts=(f"“{text}” is no schedule",))


def read_cell(text: str) -> Reading:
    """The schedule of a table's cell, where nothing else stands in it; `whole` is False for any other cell."""
    bare = text.strip().strip("`").strip()
    try:
        cron = parse_cron(bare)
    except ValueError as error:
        return Reading(bare, doubts=(f"cron: {error}",), whole=True)
    if cron:
        return Reading(bare, cron, ((0, len(bare)),), whole=True)
    found = read(bare, heading=True)
    if not found.whole and (found.schedule or not found.unread) and _AMOUNT.match(bare):
        every = read(f"every {bare}", heading=True)
        found = every if every.whole else found
    return found
