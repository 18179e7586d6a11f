"""Days out of whatever people and agents write as a date. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache

from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Kind: TypeAlias = "Literal['day', 'absent', 'unreadable', 'future']"

_MONTHS = (
    "jan january janeiro enero januar janvier jaan",
    "feb february fev fevereiro febrero februar février fevrier",
    "mar march março marco marzo märz maerz mars",
    "apr april abr abril avril",
    "may mai maio mayo maj",
    "jun june junho junio juni juin",
    "jul july julho julio juli juillet",
    "aug august ago agosto août aout augusti",
    "sep sept september set setembro septiembre septembre",
    "oct october out outubro octubre okt oktober octobre",
    "nov november novembro noviembre novembre",
    "dec december dez dezembro dic diciembre dezember décembre decembre",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}

_YEAR_FIRST = pattern(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_COMPACT = pattern(r"(\d{4})(\d{2})(\d{2})(?:T\d{4,6}Z?)?$")
_CJK = pattern(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일号號]?")
_YEAR_LAST = pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)")
_DAY_MONTH = pattern(r"(\d{1,2})(?:st|nd|rd|th|\.|º)?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+|del\s+)?(\d{4})")
_MONTH_DAY = pattern(r"([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
_EARLIEST, _LATEST = 631_152_000, 4_102_444_800  # 1990 and 2100 as Unix seconds: outside it is no date of a memory


class Reading(Record):
    """`day` in the workspace's zone; None where `kind` is absent or unreadable; today where it is future."""

    day: date | None
    kind: Kind


ABSENT = Reading(None, "absent")
UNREADABLE = Reading(None, "unreadable")


def read(value: object, zone: tzinfo, today: date) -> Reading:
    """The day that `value` means, at `zone`: ISO with or without time and zone, epochs in s or ms, month names.

    A day and a month that could be swapped (`02.03.2026`) are unreadable: a guess would be wrong half the time.
    """
    if value is None or value == "":
        return ABSENT
    day = _day(value, zone)
    if day is None:
        return UNREADABLE
    return Reading(today, "future") if day > today else Reading(day, "day")


def _day(value: object, zone: tzinfo) -> date | None:
    if isinstance(value, str):
        return _from_text(value.strip(), zone)
    if isinstance(value, datetime):
        return (value.astimezone(zone) if value.tzinfo else value).date()
    if isinstance(value, date):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(float(value), zone)
    return None


def _from_epoch(value: float, zone: tzinfo) -> date | None:
    seconds = value / 1000 if abs(value) > 1e11 else value
    if not _EARLIEST <= seconds < _LATEST:
        return None
    return datetime.fromtimestamp(seconds, UTC).astimezone(zone).date()


@lru_cache(maxsize=4096)
def _from_text(text: str, zone: tzinfo) -> date | None:
    if len(text) == 10:  # the common form, and the fast one
        return _iso_day(text) or _by_pattern(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _by_pattern(text)
    return (moment.astimezone(zone) if moment.tzinfo else moment).date()


def _iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _by_pattern(text: str) -> date | None:
    for form in (_YEAR_FIRST, _COMPACT, _CJK):
        if found := form.match(text):
            return _build(*found.groups())
    if found := _YEAR_LAST.match(text):
        first, _, second, year = found.groups()
        return _unswapped(int(first), int(second), year)
    if found := _DAY_MONTH.match(text):
        return _build(found[3], str(MONTHS.get(found[2].casefold(), 0)), found[1])
    if found := _MONTH_DAY.match(text):
        return _build(found[3], str(MONTHS.get(found[1].casefold(), 0)), found[2])
    return None


def _unswapped(first: int, second: int, year: str) -> date | None:
    if first > 12 or first == second:
        return _build(year, str(second), str(first))
    return _build(year, str(first), str(second)) if second > 12 else None


def _build(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
