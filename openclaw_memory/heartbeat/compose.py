"""Puts what a line says about time together into one schedule, and says where it contradicts itself. Pure."""

from __future__ import annotations

from typing import NamedTuple

from openclaw_memory.heartbeat.lexer import Token
from openclaw_memory.heartbeat.schedule import DAY, HOUR, OFF, WEEK, Schedule, clock, span, within

MONTH = 2592000
QUARTER = 7776000
LONGEST = 3650 * DAY
_DAY_TIMES = 1440


class Part(NamedTuple):
    """A phrase of the grammar: its kind, tokens and symbols, and its place in the line."""

    kind: str
    tokens: tuple[Token, ...]
    symbols: str
    span: tuple[int, int]


class Composed(NamedTuple):
    """The schedule of a line (None: none), what contradicts it, and what about it was not understood."""

    schedule: Schedule | None = None
    contradictions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class _Said:
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


def compose(parts: list[Part]) -> Composed:
    """One schedule from the parts of a line: clock times win over all, then beats, then an interval, then "daily"."""
    if not parts:
        return Composed()
    said = _Said()
    for part in sorted(parts, key=lambda part: part.span):
        _READERS[part.kind](said, part)
    schedule = OFF if said.off else _weigh(said)
    return Composed(schedule, tuple(said.notes), tuple(said.doubts))


def _weigh(said: _Said) -> Schedule | None:
    if said.nightly and not (said.times or said.window):
        said.times = [180]
    window = _window(said)
    filters = Schedule(
        weekdays=tuple(sorted(said.weekdays)), days=tuple(said.days), dates=tuple(said.dates), window=window
    )
    rhythm = _rhythm(said, filters)
    if rhythm is None:
        return None
    if rhythm.times and window:
        rhythm = _inside(said, rhythm, window)
    return rhythm


def _rhythm(said: _Said, filters: Schedule) -> Schedule | None:
    _one_of(said, said.beats, lambda beats: str(Schedule(beats=beats)))
    _one_of(said, said.seconds, lambda seconds: f"every {span(seconds)}")
    _one_of(said, said.periods, str)
    dated = bool(filters.weekdays or filters.days or filters.dates)
    if said.times and len(set(said.times)) == 1 and said.seconds and said.seconds[0] % DAY == 0 and not said.beats:
        return filters._replace(seconds=said.seconds[0], window=filters.window or (said.times[0], 1440))
    if said.times:
        _against_times(said)
        return _with_period(said, filters)._replace(times=tuple(sorted(set(said.times))), loose=False)
    if said.beats and said.seconds:
        said.notes.append(f"{Schedule(beats=said.beats[0])} and every {span(said.seconds[0])}: the beats are taken")
    if said.beats and not (said.since and said.beats[0] == 1):
        return filters._replace(beats=said.beats[0])
    if said.since or said.seconds:
        return _interval(said, filters)
    if said.spread > 1:
        return filters._replace(times=_spread(said.spread, filters.window))
    if said.periods or said.daypart or (dated and not said.window):
        period = _with_period(said, filters)
        return period._replace(loose=period.loose and not dated and not filters.window)
    return filters._replace(beats=1) if said.window or dated else None


def _one_of(said: _Said, values: list, show: object) -> None:  # type: ignore[type-arg]
    """Two different values of the same kind contradict each other; the first is taken."""
    different = [value for value in values if value != values[0]]
    if different:
        said.notes.append(f"{show(values[0])} and {show(different[0])}: the first is taken")  # type: ignore[operator]


def _against_times(said: _Said) -> None:
    times = ", ".join(clock(time) for time in sorted(set(said.times)))
    rival = ""
    if said.beats or said.seconds:
        rival = str(Schedule(beats=said.beats[0]) if said.beats else Schedule(seconds=said.seconds[0]))
    elif said.spread > 1 and said.spread != len(set(said.times)):
        rival = f"{said.spread} times a day"
    if rival:
        said.notes.append(f"{rival} and at {times}: the times are taken")


def _with_period(said: _Said, filters: Schedule) -> Schedule:
    """The days of "weekly", "monthly" where no other day is named."""
    if not said.periods:
        return filters
    period = said.periods[0]
    if filters.days or filters.dates or (filters.weekdays and not period.days):
        return filters._replace(months=period.months)
    if filters.weekdays:  # "monthly (Monday)": the first one
        return filters._replace(days=tuple(range(1, 8)), months=period.months)
    return period._replace(window=filters.window)


def _interval(said: _Said, filters: Schedule) -> Schedule:
    seconds = max([said.since, *said.seconds[:1]])
    if said.periods and not (said.periods[0] == DAILY and filters.window):
        said.notes.append(f"{said.periods[0]} and every {span(seconds)}: the interval is taken")
    return filters._replace(seconds=seconds)


def _window(said: _Said) -> tuple[int, int] | None:
    if said.window is None:
        return None if said.times else said.daypart
    start, end = said.window
    if start == end:
        said.notes.append(f"the hours {clock(start)}–{clock(end)} are empty: they are not taken")
        return None
    return None if (start, end) == (0, 1440) else (start, end)


def _inside(said: _Said, schedule: Schedule, window: tuple[int, int]) -> Schedule:
    """Clock times outside the hours they may run in can never come: they are named, and the hours are let go."""
    outside = [time for time in schedule.times if not within(time, window)]
    if outside:
        hours = f"{clock(window[0])}–{clock(window[1])}"
        said.notes.append(f"{', '.join(map(clock, outside))} is outside {hours}: the times are taken")
        return schedule._replace(window=None)
    return schedule


def _spread(count: int, window: tuple[int, int] | None) -> tuple[int, ...]:
    start, end = window or (0, _DAY_TIMES)
    length = (end - start) % _DAY_TIMES or _DAY_TIMES
    return tuple(sorted((start + step * length // count) % _DAY_TIMES for step in range(min(count, _DAY_TIMES))))


# The readers: one for each kind of phrase.

DAILY = Schedule(loose=True)
WEEKLY = Schedule(weekdays=(0,), loose=True)
MONTHLY = Schedule(days=(1,), loose=True)
_PERIODS = {DAY: DAILY, WEEK: WEEKLY, MONTH: MONTHLY}


def _amounts(part: Part, symbols: str = "nofHX") -> list[float]:
    return [float(token.value) for token in part.tokens if token.symbol in symbols]


def _units(part: Part) -> list[int]:
    return [int(token.value) for token in part.tokens if token.symbol in "ud"]


def _read_beats(said: _Said, part: Part) -> None:
    count = (_amounts(part, "nof") or [1])[0]
    if count < 1:
        said.doubts.append(f"{count:g} is no number of beats")
    said.beats.append(max(1, min(int(count), 10**9)))


def _read_interval(said: _Said, part: Part) -> None:
    amounts, units = _amounts(part, "nofH"), _units(part)
    if not units:
        seconds = amounts[0] * HOUR
    elif len(units) > 1 and len(amounts) > 1:
        seconds = sum(amount * unit for amount, unit in zip(amounts, units, strict=False))
    else:
        amount = amounts[0] if amounts else 1.0
        if amount == 1 and units[0] == QUARTER:
            said.periods.append(MONTHLY._replace(months=(1, 4, 7, 10)))
            return
        if amount == 1 and units[0] in _PERIODS:
            said.periods.append(_PERIODS[units[0]])
            return
        seconds = amount * units[0]
    _add_seconds(said, seconds)


def _add_seconds(said: _Said, seconds: float) -> None:
    if seconds < 1:
        said.doubts.append("an interval of 0 is no interval")
        said.beats.append(1)
    elif seconds > LONGEST:
        said.doubts.append("the interval is longer than ten years")
        said.seconds.append(LONGEST)
    else:
        said.seconds.append(round(seconds))


def _read_times(said: _Said, part: Part) -> None:
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


def _read_since(said: _Said, part: Part) -> None:
    hours = _amounts(part, "H")
    said.since = round(hours[0] * HOUR if hours else _amounts(part, "n")[0] * _units(part)[0])


def _read_daypart(said: _Said, part: Part) -> None:
    first = next(token.value for token in part.tokens if token.symbol == "p")
    start, end = (int(hour) * 60 for hour in first.split("-"))
    said.daypart = said.daypart or (start, end)


def _read_weekday(said: _Said, part: Part) -> None:
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


def _read_adverb(said: _Said, part: Part) -> None:
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


def _read_window(said: _Said, part: Part) -> None:
    ends = [token for token in part.tokens if token.symbol in "tHn"]
    start, end = (_minute(token) for token in ends)
    first, second = ends
    if second.value.endswith("m") and first.symbol == "n":  # "7-9 pm", "11-1 pm"
        start = start % 720 + (720 if end >= 720 and start % 720 < end % 720 else 0)
    said.window = (start % 1440, end or 1440)


def _minute(token: Token) -> int:
    value = float(token.value.rstrip("m"))
    return round(value if token.symbol == "t" else value * 60)


def _read_clock(said: _Said, part: Part) -> None:
    said.times += [_minute(token) % 1440 for token in part.tokens if token.symbol in "tHn" and _minute(token) <= 1440]


def _read_date(said: _Said, part: Part) -> None:
    for token in part.tokens:
        if token.symbol == "D":
            said.dates.append(token.value[:10])
            if len(token.value) > 10:
                hour, minute = int(token.value[11:13]), int(token.value[14:16])
                said.times.append(hour * 60 + minute)


def _read_monthday(said: _Said, part: Part) -> None:
    if part.symbols.startswith("s"):
        said.days.append(-1)
    else:
        said.days += [int(day) for day in _amounts(part, "no") if 1 <= day <= 31]
    if not said.days:
        said.doubts.append("there is no such day of the month")


def _read_nth(said: _Said, part: Part) -> None:
    week = int(part.tokens[0].value or 0)
    said.days += range(-7, 0) if part.symbols == "s" else range(7 * week - 6, 7 * week + 1)


def _read_off(said: _Said, part: Part) -> None:
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
