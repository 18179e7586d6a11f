"""Dates with the day or the month first: which of the two, and how we know. Pure."""

from __future__ import annotations

import re
from datetime import date

from openclaw_memory.markdown import Document
from openclaw_memory.record import Record

_DATE = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?![\d/-]|\.\d)")
_DAY_FIRST = frozenset({"de", "pt", "es", "fr", "it", "nl", "sv", "ru"})


class Reading(Record):
    """A date in line `line`: `day` is None where it is ambiguous, `why` says what decided."""

    line: int
    text: str
    day: date | None
    why: str


def read(document: Document, language: str = "") -> list[Reading]:
    """Every date written as D.M.YYYY or M/D/YYYY.

    A number over 12 decides for its own date, and for all others with the same separator; else the language does.
    """
    found = [(line.number, match) for line in document.lines for match in _DATE.finditer(line.text)]
    proofs: dict[str, dict[str, int]] = {}
    for number, match in found:
        if (order := _own_order(match)) in ("day", "month"):
            proofs.setdefault(match[2], {}).setdefault(order, number)
    return [_reading(number, match, proofs.get(match[2], {}), language) for number, match in found]


def _own_order(match: re.Match[str]) -> str:
    """What the numbers say: `day` or `month` comes first, `either` for 03.03., nothing where both may."""
    first, second = int(match[1]), int(match[3])
    if first == second:
        return "either"
    if first > 12 >= second:
        return "day"
    return "month" if second > 12 >= first else ""


def _reading(number: int, match: re.Match[str], proofs: dict[str, int], language: str) -> Reading:
    """`proofs` holds, for this separator, the first line that proves an order."""
    if own := _own_order(match):
        return Reading(number, match[0], _day(match, own), "only one reading is a date")
    if len(proofs) == 1:
        [(order, line)] = proofs.items()
        return Reading(number, match[0], _day(match, order), f"the {order} comes first in line {line}")
    if not proofs and language in _DAY_FIRST:
        return Reading(number, match[0], _day(match, "day"), f"the language is {language}")
    return Reading(number, match[0], None, "ambiguous: the day or the month may come first")


def _day(match: re.Match[str], order: str) -> date | None:
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    day, month = (second, first) if order == "month" else (first, second)
    try:
        return date(year, month, day)
    except ValueError:
        return None
