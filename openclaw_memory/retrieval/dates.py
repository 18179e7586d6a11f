"""Dates: the day a file is about, that day in words, and the days a question names.

`2023-05-08` is never typed by who remembers "May 2023", so the day's words are indexed beside the file's name.
English, Portuguese and Spanish. Imports nothing of ours but `patterns`.
"""

from __future__ import annotations

import re
from datetime import date

from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record

_IN_NAME = pattern(r"(?<!\d)(\d{4})[-_. ]?(\d\d)[-_. ]?(\d\d)(?!\d)")
_EN = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_PT = (
    "janeiro", "fevereiro", "marco", "abril", "maio", "junho",
    "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
)  # fmt: skip
_ES = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)  # fmt: skip
_DAYS = (
    "monday segunda lunes", "tuesday terca martes", "wednesday quarta miercoles", "thursday quinta jueves",
    "friday sexta viernes", "saturday sabado", "sunday domingo",
)  # fmt: skip
MONTHS = {name: at for names in (_EN, _PT, _ES) for at, name in enumerate(names, 1)}
MONTHS |= {name[:3]: at for at, name in enumerate(_EN, 1) if name != "may"} | {"sept": 9}
TIME_WORDS = (
    *_EN, *_PT, *_ES, *" ".join(_DAYS).split(), "yesterday", "today", "tomorrow", "tonight", "last", "next", "week",
    "weekend", "month", "year", "ago", "ontem", "hoje", "amanha", "semana", "mes", "ano", "ayer", "hoy", "manana",
)  # fmt: skip
"""Folded words that tell when something was."""
_YEAR = pattern(r"(?:19|20)\d\d\Z")


def date_in(name: str) -> str:
    """The first real day in a file's name (or a front matter value) as `YYYY-MM-DD`; "" where there is none."""
    for match in _IN_NAME.finditer(name):
        if day := _real(*map(int, match.groups())):
            return day.isoformat()
    return ""


def words(iso: str) -> str:
    """The day in words: weekday, number, month in three languages, year. "" for ""."""
    day = _real(*map(int, iso.split("-"))) if iso else None
    if day is None:
        return ""
    month = day.month - 1
    names = dict.fromkeys((_EN[month], _PT[month], _ES[month]))
    return f"{_DAYS[day.weekday()]} {day.day} {' '.join(names)} {day.year}"


class Moment(Record):
    """What a question says about a day; 0 where it says nothing."""

    year: int = 0
    month: int = 0
    day: int = 0

    def agreement(self, iso: str) -> float:
        """How much of the moment the day `iso` agrees with: 0 (none, or it contradicts) to 1."""
        if not iso or not (self.year or self.month):
            return 0.0
        pairs = [(want, int(have)) for want, have in zip(self, iso.split("-"), strict=True) if want]
        return len(pairs) / 3 if all(want == have for want, have in pairs) else 0.0


def moment(folded_words: list[str]) -> Moment:
    """The day, month and year that the words of a question name."""
    year = month = day = 0
    for at, word in enumerate(folded_words):
        if word in MONTHS and not month:
            month = MONTHS[word]
            near = folded_words[max(0, at - 2) : at] + folded_words[at + 1 : at + 2]
            numbers = (re.sub(r"(?:st|nd|rd|th)\Z", "", other) for other in near)
            day = next((int(n) for n in numbers if n.isdigit() and 1 <= int(n) <= 31), 0)
        elif _YEAR.match(word) and not year:
            year = int(word)
    return Moment(year, month, day)


def _real(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
