"""What a schedule is: beats, an interval, or moments of a calendar, and when it may run. Pure data; imports nothing."""

from __future__ import annotations

from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

MINUTE, HOUR, DAY, WEEK = 60, 3600, 86400, 604800
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_SEASONS = {(1, 4, 7, 10): "quarterly", (1,): "yearly"}
_NTH = ("first", "second", "third", "fourth")

Kind: TypeAlias = "Literal['beats', 'interval', 'calendar', 'off']"


class Schedule(Record):
    """When a task is due.

    `beats`: on each beat whose number is a multiple of it (1: on every beat). `seconds`: so long after the last run.
    Neither: a calendar, once at each of `times` (minutes of the day, 0 to 1439) or, without times, once in each day
    that fits `weekdays` (0 is Monday), `days` (of the month; negative from its end), `months` and `dates` (ISO); empty
    means any. `loose`: "daily", "weekly", "monthly" with no day or time named, which a new task need not wait for.
    `window`: minutes of the day in which it may run, start included, end not; start > end goes over midnight.
    `quiet`: minutes of the day in which it is held back, until they end.
    `either`: a day fits when it fits `days` or `weekdays` (cron's rule when both are given).
    """

    beats: int = 0
    seconds: int = 0
    times: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    dates: tuple[str, ...] = ()
    window: tuple[int, int] | None = None
    loose: bool = False
    either: bool = False
    off: bool = False
    quiet: tuple[int, int] | None = None

    @property
    def kind(self) -> Kind:
        """Which of the three it is, or "off"."""
        if self.off:
            return "off"
        return "beats" if self.beats else "interval" if self.seconds else "calendar"

    def __str__(self) -> str:
        """The reading in plain English, as `explain` and `status` show it."""
        if self.off:
            return "off"
        parts = [self._rhythm(), self._when()]
        if self.window:
            start, end = self.window
            parts.append(f"{clock(start)}–{clock(end)}")
        if self.quiet:
            parts.append(f"held back {clock(self.quiet[0])}–{clock(self.quiet[1])}")
        return ", ".join(filter(None, parts))

    def to_json(self) -> dict[str, object]:
        """The reading as plain JSON types: `kind` and what that kind has; times as `HH:MM`."""
        told: dict[str, object] = {"kind": self.kind}
        told |= {"beats": self.beats} if self.beats else {}
        told |= {"seconds": self.seconds} if self.seconds else {}
        told |= {"times": [clock(time) for time in self.times]} if self.times else {}
        told |= {"weekdays": [WEEKDAYS[day] for day in self.weekdays]} if self.weekdays else {}
        told |= {"days": list(self.days)} if self.days else {}
        told |= {"months": list(self.months)} if self.months else {}
        told |= {"dates": list(self.dates)} if self.dates else {}
        told |= {"window": [clock(end) for end in self.window]} if self.window else {}
        return told | ({"quiet": [clock(end) for end in self.quiet]} if self.quiet else {})

    def _rhythm(self) -> str:
        if self.beats:
            return "each beat" if self.beats == 1 else f"every {self.beats} beats"
        if self.seconds:
            return f"every {span(self.seconds)}"
        if self.loose:
            return _SEASONS.get(self.months, "monthly") if self.days else "weekly" if self.weekdays else "daily"
        named = self.weekdays or self.days or self.dates or self.months
        return "" if named else "daily"

    def _when(self) -> str:
        days = [] if self.loose else [*self.dates]
        if self.weekdays and not self.loose:
            days.append(_weekday_text(self.weekdays))
        if self.days and not self.loose:
            days.append(_monthday_text(self.days))
        if self.months and not (self.loose and self.months in _SEASONS):
            days.append("in " + "/".join(MONTHS[month - 1] for month in self.months))
        text = (" or " if self.either else " ").join(days)
        if self.times:
            shown = self.times if len(self.times) <= 6 else (*self.times[:5],)
            text += " at " + ", ".join(map(clock, shown))
            text += f" and {len(self.times) - 5} more times" if len(self.times) > 6 else ""
        return text.strip()


EACH_BEAT = Schedule(beats=1)
OFF = Schedule(off=True)


def clock(minute: int) -> str:
    """A minute of the day as `HH:MM`; 1440 is `24:00`."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def within(minute: int, window: tuple[int, int]) -> bool:
    """Whether a minute of the day lies in a window, which may go over midnight."""
    start, end = window
    return start <= minute < end if start < end else minute >= start or minute < end


def span(seconds: int) -> str:
    """A length of time in its largest whole unit: `90 min`, `4 h`, `3 d`."""
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _weekday_text(weekdays: tuple[int, ...]) -> str:
    if weekdays == (0, 1, 2, 3, 4):
        return "Mon–Fri"
    return "/".join(WEEKDAYS[day] for day in weekdays)


def _monthday_text(days: tuple[int, ...]) -> str:
    if days == tuple(range(-7, 0)):
        return "the last of the month"
    if len(days) == 7 and days[0] % 7 == 1 and days[0] < 28:
        return f"the {_NTH[days[0] // 7]} of the month"
    if days == (-1,):
        return "the last day of the month"
    return "day " + "/".join(map(str, days)) + " of the month"
