"""Puts what a line says about time together into one schedule, and says where it contradicts itself. Pure."""

from __future__ import annotations

from openclaw_memory.heartbeat.said import DAILY, Part, Said, gather
from openclaw_memory.heartbeat.schedule import DAY, OFF, Schedule, clock, span, within
from openclaw_memory.record import Record

_DAY_TIMES = 1440
_ANY_TIME = Schedule()


class Composed(Record):
    """The schedule of a line (None: none), what contradicts it, and what about it was not understood."""

    schedule: Schedule | None = None
    contradictions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def compose(parts: list[Part]) -> Composed:
    """One schedule from the parts of a line: clock times win over all, then beats, then an interval, then "daily"."""
    if not parts:
        return Composed()
    said = gather(parts)
    schedule = OFF if said.off else _weigh(said)
    return Composed(schedule, tuple(said.notes), tuple(said.doubts))


def _weigh(said: Said) -> Schedule | None:
    if said.nightly and not (said.times or said.window):
        said.times = [180]
    window = _window(said)
    filters = _ANY_TIME
    if said.weekdays or said.days or said.dates or window:
        days = tuple(sorted(said.weekdays)), tuple(said.days)
        filters = Schedule(weekdays=days[0], days=days[1], dates=tuple(said.dates), window=window)
    rhythm = _rhythm(said, filters)
    if rhythm is None:
        return None
    if rhythm.times and window:
        rhythm = _inside(said, rhythm, window)
    return rhythm


def _rhythm(said: Said, filters: Schedule) -> Schedule | None:
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
        return Schedule(beats=said.beats[0]) if filters is _ANY_TIME else filters._replace(beats=said.beats[0])
    if said.since or said.seconds:
        return _interval(said, filters)
    if said.spread > 1:
        return filters._replace(times=_spread(said.spread, filters.window))
    if said.periods or said.daypart or filters.days or (dated and not said.window):
        period = _with_period(said, filters)
        return period._replace(loose=period.loose and not dated and not filters.window)
    return filters._replace(beats=1) if said.window or dated else None


def _one_of(said: Said, values: list, show: object) -> None:  # type: ignore[type-arg]
    """Two different values of the same kind contradict each other; the first is taken."""
    different = [value for value in values if value != values[0]]
    if different:
        said.notes.append(f"{show(values[0])} and {show(different[0])}: the first is taken")  # type: ignore[operator]


def _against_times(said: Said) -> None:
    times = ", ".join(clock(time) for time in sorted(set(said.times)))
    rival = ""
    if said.beats or said.seconds:
        rival = str(Schedule(beats=said.beats[0]) if said.beats else Schedule(seconds=said.seconds[0]))
    elif said.spread > 1 and said.spread != len(set(said.times)):
        rival = f"{said.spread} times a day"
    if rival:
        said.notes.append(f"{rival} and at {times}: the times are taken")


def _with_period(said: Said, filters: Schedule) -> Schedule:
    """The days of "weekly", "monthly" where no other day is named."""
    if not said.periods:
        return filters
    period = said.periods[0]
    if filters.days or filters.dates or (filters.weekdays and not period.days):
        return filters._replace(months=period.months)
    if filters.weekdays:  # "monthly (Monday)": the first one
        return filters._replace(days=tuple(range(1, 8)), months=period.months)
    return period._replace(window=filters.window)


def _interval(said: Said, filters: Schedule) -> Schedule:
    seconds = max([said.since, *said.seconds[:1]])
    if said.periods and not (said.periods[0] == DAILY and filters.window):
        said.notes.append(f"{said.periods[0]} and every {span(seconds)}: the interval is taken")
    return Schedule(seconds=seconds) if filters is _ANY_TIME else filters._replace(seconds=seconds)


def _window(said: Said) -> tuple[int, int] | None:
    if said.window is None:
        return None if said.times else said.daypart
    start, end = said.window
    if start == end:
        said.notes.append(f"the hours {clock(start)}–{clock(end)} are empty: they are not taken")
        return None
    return None if (start, end) == (0, 1440) else (start, end)


def _inside(said: Said, schedule: Schedule, window: tuple[int, int]) -> Schedule:
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
