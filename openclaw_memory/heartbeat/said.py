"""What each kind of phrase says about time, gathered before it is weighed in `compose.py`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from openclaw_memory.heartbeat.lexer import Token
from openclaw_memory.heartbeat.schedule import DAY, HOUR, WEEK, Schedule
from openclaw_memory.record import Record

MONTH = 2592000
QUARTER = 7776000
YEAR = 31536000
LONGEST = 3650 * DAY


class Part(Record):
    """A phrase of the grammar: its kind, tokens and symbols, and its place in the line."""

    kind: str
    tokens: tuple[Token, ...]
    symbols: str
    span: tuple[int, int]


class Said:
    """What the parts say, before they are weighed against each other."""

    def __init__(self) -> None:
        self.beats: list[int] = []
        self.seconds: list[int] = []
        self.periods: list[Schedule] = []
        self.spread = 0
        self.times: list[int] = []
        self.weekdays: set[int] = set()
        self.days: list[int] = []
        self.dates: list[str] = []
        self.window: tuple[int, int] | None = None
        self.daypart: tuple[int, int] | None = None
        self.since = 0
        self.off = False
        self.nightly = False
        self.notes: list[str] = []
        self.doubts: list[str] = []


def gather(parts: Iterable[Part]) -> Said:
    """What the parts of a line say, in the order they stand in."""
    said = Said()
    for part in sorted(parts, key=lambda part: part.span):
        _READERS[part.kind](said, part)
    return said


DAILY = Schedule(loose=True)
WEEKLY = Schedule(weekdays=(0,), loose=True)
MONTHLY = Schedule(days=(1,), loose=True)
_PERIODS = {DAY: DAILY, WEEK: WEEKLY, MONTH: MONTHLY}


def _amounts(part: Part, symbols: str = "nofHX") -> list[float]:
    return [min(float(token.value), 1e12) for token in part.tokens if token.symbol in symbols]


def _units(part: Part) -> list[int]:
    return [int(token.value) for token in part.tokens if token.symbol in "ud"]


def _read_beats(said: Said, part: Part) -> None:
    count = (_amounts(part, "nof") or [1])[0]
    if count < 1:
        said.doubts.append(f"{count:g} is no number of beats")
    said.beats.append(max(1, min(int(count), 10**9)))


def _read_interval(said: Said, part: Part) -> None:
    amounts, units = _amounts(part, "nofH"), _units(part)
    if not units:
        seconds = amounts[0] * HOUR
    elif len(units) > 1 and len(amounts) > 1 and "-" not in part.symbols:
        seconds = sum(amount * unit for amount, unit in zip(amounts, units, strict=False))
    else:
        amount = (amounts[0] if amounts else 1.0) + _left_out(part, units[0])
        if amount == 1 and units[0] in (QUARTER, YEAR):
            said.periods.append(MONTHLY._replace(months=(1, 4, 7, 10) if units[0] == QUARTER else (1,)))
            return
        if amount == 1 and units[0] in _PERIODS:
            said.periods.append(_PERIODS[units[0]])
            return
        seconds = amount * units[0]
    _add_seconds(said, seconds)


def _left_out(part: Part, unit: int) -> int:
    """The days that "1日おき" leaves out between two; of hours and minutes it means "every"."""
    return sum(int(token.value or 0) for token in part.tokens if token.symbol == "E") if unit >= DAY else 0


def _add_seconds(said: Said, seconds: float) -> None:
    if seconds < 1:
        said.doubts.append("an interval of 0 is no interval")
        said.beats.append(1)
    elif seconds > LONGEST:
        said.doubts.append("the interval is longer than ten years")
        said.seconds.append(LONGEST)
    else:
        said.seconds.append(round(seconds))


def _read_times(said: Said, part: Part) -> None:
    amounts, unit = _amounts(part, "nX"), (_units(part) or [DAY])[0]
    if part.symbols.startswith("nu"):  # "2日に1回": the first number counts the days
        unit, amounts = int(unit * amounts[0]), amounts[1:]
    count = int(amounts[0]) if amounts else 1
    if count < 1:
        said.doubts.append(f"{count} times is never")
        said.beats.append(1)
    elif count == 1 and unit in _PERIODS:
        said.periods.append(_PERIODS[unit])
    elif unit == DAY:
        said.spread = count
    else:
        _add_seconds(said, unit / count)


def _read_since(said: Said, part: Part) -> None:
    hours = _amounts(part, "H")
    said.since = round(hours[0] * HOUR if hours else _amounts(part, "n")[0] * _units(part)[0])


def _read_daypart(said: Said, part: Part) -> None:
    first = next(token.value for token in part.tokens if token.symbol == "p")
    start, end = (int(hour) * 60 for hour in first.split("-"))
    said.daypart = said.daypart or (start, end)


def _read_weekday(said: Said, part: Part) -> None:
    ordinals = _amounts(part, "o")
    if ordinals:
        said.seconds.append(int(ordinals[0]) * WEEK)
    last, through = -1, False
    for token in part.tokens:
        if token.symbol in "-a":
            through = last >= 0
        elif token.symbol in "kKg":
            days = [int(digit) for digit in token.value]
            if through:
                days = [(last + step) % 7 for step in range((days[0] - last) % 7 + 1)]
            said.weekdays.update(days)
            last, through = days[-1], False


def _read_adverb(said: Said, part: Part) -> None:
    seconds = int(part.tokens[0].value)
    if seconds in _PERIODS:
        said.periods.append(_PERIODS[seconds])
    elif seconds == 1:  # "nightly"
        said.periods.append(DAILY)
        said.nightly = True
    elif seconds >= 90 * DAY:
        months = (1, 4, 7, 10) if seconds < 365 * DAY else (1,)
        said.periods.append(MONTHLY._replace(months=months))
    else:
        said.seconds.append(seconds)


def _read_window(said: Said, part: Part) -> None:
    ends = [token for token in part.tokens if token.symbol in "tHn"]
    start, end = (_minute(token) for token in ends)
    first, second = ends
    if second.value.endswith("m") and first.symbol == "n":  # "7-9 pm", "11-1 pm"
        start = start % 720 + (720 if end >= 720 and start % 720 < end % 720 else 0)
    said.window = (start % 1440, end or 1440)


def _minute(token: Token) -> int:
    value = float(token.value.rstrip("m"))
    return round(value if token.symbol == "t" else value * 60)


def _read_clock(said: Said, part: Part) -> None:
    said.times += [_minute(token) % 1440 for token in part.tokens if token.symbol in "tHn" and _minute(token) <= 1440]


def _read_date(said: Said, part: Part) -> None:
    for token in part.tokens:
        if token.symbol == "D":
            said.dates.append(token.value[:10])
            if len(token.value) > 10:
                hour, minute = int(token.value[11:13]), int(token.value[14:16])
                said.times.append(hour * 60 + minute)


def _read_monthday(said: Said, part: Part) -> None:
    if part.symbols.startswith("s"):
        said.days.append(-1)
    else:
        said.days += [int(day) for day in _amounts(part, "no") if 1 <= day <= 31]
    if not said.days:
        said.doubts.append("there is no such day of the month")


def _read_nth(said: Said, part: Part) -> None:
    week = int(part.tokens[0].value or 0)
    said.days += range(-7, 0) if part.symbols == "s" else range(7 * week - 6, 7 * week + 1)


def _read_off(said: Said, part: Part) -> None:
    said.off = True


_READERS = {
    "beats": _read_beats,
    "interval": _read_interval,
    "times": _read_times,
    "since": _read_since,
    "daypart": _read_daypart,
    "weekday": _read_weekday,
    "adverb": _read_adverb,
    "window": _read_window,
    "clock": _read_clock,
    "date": _read_date,
    "monthday": _read_monthday,
    "nth": _read_nth,
    "off": _read_off,
}
