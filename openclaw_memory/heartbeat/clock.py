"""When a schedule is due: pure functions of a schedule, the last run, the beat and the time. No state here.

`slot` is the moment a run counts for: the one it was due at, or the run itself when it came too late for that. All
moments are aware datetimes; days, times and windows are those of the zone of `now`. Moments are compared and counted in
UTC: within one zone Python compares and subtracts the hands of the clock, which is wrong when they are moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from openclaw_memory.heartbeat.schedule import DAY, Schedule, within
from openclaw_memory.record import Record

SLACK = 45
"""Seconds that an interval may be short of, so that a beat which comes a little early is not a beat lost."""
FAR = 400
"""Days that are looked through for one that fits a calendar: a year and then some."""


class Last(Record):
    """What is remembered of a task: the beat of its last run (0: none yet), and the slot of it (None: never)."""

    first_beat: int = 1
    first_seen: datetime | None = None
    beat: int = 0
    slot: datetime | None = None


def is_due(schedule: Schedule, last: Last, beat: int, now: datetime) -> bool:
    """Whether the task is due in beat number `beat` at `now`.

    Missed moments count once: a task is due or it is not, however many beats or hours were lost.
    """
    if schedule.off or not _allowed(schedule, now):
        return False
    if schedule.beats:
        done = max(last.beat, last.first_beat - 1)
        return beat // schedule.beats > done // schedule.beats
    if schedule.seconds:
        return last.slot is None or now.astimezone(UTC) >= _after(last.slot, schedule.seconds, now) - _slack(schedule)
    if schedule.loose and last.slot is None:
        return True
    moment = _latest(schedule, now, _since(schedule, last, now))
    return moment is not None


def settle(schedule: Schedule, last: Last, now: datetime) -> datetime:
    """The slot of a run at `now`: an interval keeps its grid unless the run came more than half of it late."""
    moment = now.astimezone(UTC)
    if not schedule.seconds or last.slot is None:
        return moment
    step = timedelta(seconds=schedule.seconds)
    count = (moment + _slack(schedule) - last.slot.astimezone(UTC)) // step
    slot = _after(last.slot, schedule.seconds * count, now) if count > 0 else moment
    return moment if abs(moment - slot) > step / 2 else slot


def rebase(schedule: Schedule, slot: datetime, before: datetime, now: datetime) -> datetime:
    """The slot to go on with after the clock was set back from `before` to `now`.

    What had gone by of an interval still counts. A calendar keeps its slot, so that no moment comes twice, unless it
    lies more than a day ahead: then the clock was wrong before, and waiting for it would be for ever.
    """
    slot, back = slot.astimezone(UTC), before.astimezone(UTC) - now.astimezone(UTC)
    if schedule.seconds:
        return slot - back
    return slot if slot - now.astimezone(UTC) <= timedelta(days=1) else now


def next_due(schedule: Schedule, last: Last, beat: int, now: datetime, every: int) -> datetime | None:
    """When it will be due next, with a beat each `every` seconds; None when never (off, or dates gone by)."""
    found = _next(schedule._replace(quiet=None), last, beat, now.astimezone(UTC), now, every)
    return _awake(schedule.quiet, found.astimezone(now.tzinfo), now) if found else None


def _next(schedule: Schedule, last: Last, beat: int, moment: datetime, now: datetime, every: int) -> datetime | None:
    if schedule.off:
        return None
    if is_due(schedule, last, beat + 1, now):
        return now
    if schedule.beats:
        number = (max(last.beat, last.first_beat - 1, beat) // schedule.beats + 1) * schedule.beats
        return _opening(schedule, moment + timedelta(seconds=every * (number - beat)), now)
    if schedule.seconds:
        after = _after(last.slot, schedule.seconds, now) if last.slot else moment
        return _opening(schedule, max(after, moment), now)
    return next((one for one in _moments(schedule, now.date(), now, 1) if one > moment), None)


def _awake(quiet: tuple[int, int] | None, moment: datetime, now: datetime) -> datetime:
    """The moment, or the end of the quiet hours that it lies in."""
    minute = moment.hour * 60 + moment.minute
    if not quiet or not within(minute, quiet):
        return moment
    ends = moment.date() + timedelta(days=minute >= quiet[1])
    return _at(ends, quiet[1], now).astimezone(now.tzinfo)


def _slack(schedule: Schedule) -> timedelta:
    return timedelta(seconds=min(SLACK, schedule.seconds // 20))


def _after(slot: datetime, seconds: int, now: datetime) -> datetime:
    """So many seconds after `slot`; whole days are days of the calendar, so no change of the clocks shifts them."""
    if seconds % DAY:
        return slot.astimezone(UTC) + timedelta(seconds=seconds)
    local = slot.astimezone(now.tzinfo)
    return _aware(local.replace(tzinfo=None) + timedelta(seconds=seconds), now)


def _aware(naive: datetime, now: datetime) -> datetime:
    """A local time as a moment: one that the clocks skip comes after the gap, one that comes twice is the first."""
    return naive.replace(tzinfo=now.tzinfo, fold=0).astimezone(UTC)


def _since(schedule: Schedule, last: Last, now: datetime) -> datetime:
    """The moment from which calendar moments count: the slot, or for a new task the start of the day it was seen on."""
    if last.slot is not None:
        return last.slot
    seen = (last.first_seen or now).astimezone(now.tzinfo)
    day = _day_of(schedule, seen)
    return _at(day, 0, now) - timedelta(seconds=1)


def _day_of(schedule: Schedule, now: datetime) -> date:
    """The day that `now` belongs to: in a window over midnight, the one it began on."""
    window = schedule.window
    minute = now.hour * 60 + now.minute
    if window and window[0] > window[1] and minute < window[1]:
        return now.date() - timedelta(days=1)
    return now.date()


def _allowed(schedule: Schedule, now: datetime) -> bool:
    """Whether the hours, and for beats and intervals the days, let the task run at `now`."""
    minute = now.hour * 60 + now.minute
    if schedule.window and not within(minute, schedule.window):
        return False
    if schedule.quiet and within(minute, schedule.quiet):
        return False
    return schedule.kind == "calendar" or fits(schedule, _day_of(schedule, now))


def fits(schedule: Schedule, day: date) -> bool:
    """Whether the schedule names this day (negative days count from the end of the month)."""
    if schedule.dates and day.isoformat() not in schedule.dates:
        return False
    if schedule.months and day.month not in schedule.months:
        return False
    weekday = not schedule.weekdays or day.weekday() in schedule.weekdays
    monthday = not schedule.days or day.day in schedule.days or _from_end(day) in schedule.days
    return (weekday or monthday) if schedule.either else (weekday and monthday)


def _from_end(day: date) -> int:
    first = date(day.year + day.month // 12, day.month % 12 + 1, 1) if day.year < 9999 else date.max
    return day.day - ((first - timedelta(days=1)).day + 1)


def _latest(schedule: Schedule, now: datetime, since: datetime) -> datetime | None:
    """The latest moment of the calendar in (since, now]; with a window, only one of the window that is open now."""
    today = _day_of(schedule, now)
    back = max(since.astimezone(now.tzinfo).date(), today - timedelta(days=FAR))
    limit = today if schedule.window else back
    for moment in _moments(schedule, today, now, -1, limit):
        if moment <= since:
            return None
        if moment <= now:
            return moment
    return None


def _moments(schedule: Schedule, day: date, now: datetime, step: int, limit: date | None = None) -> Iterator[datetime]:
    """The moments of the calendar from `day` on, forwards (1) or backwards (-1)."""
    default = (schedule.window[0] if schedule.window else 0,)
    times = (schedule.times or default)[::step]
    for _ in range(FAR * 4 if schedule.dates or schedule.months else FAR):
        if limit and day < limit:
            return
        if fits(schedule, day):
            for minute in times:
                yield _at(day, _shifted(schedule, minute), now)
        day += timedelta(days=step)


def _at(day: date, minute: int, now: datetime) -> datetime:
    return _aware(datetime(day.year, day.month, day.day) + timedelta(minutes=minute), now)


def _shifted(schedule: Schedule, minute: int) -> int:
    """In a window over midnight the times after midnight belong to the day it began on."""
    window = schedule.window
    return minute + 1440 if window and window[0] > window[1] and minute < window[1] else minute


def _opening(schedule: Schedule, moment: datetime, now: datetime) -> datetime | None:
    """The first moment from `moment` on at which the hours and days let it run, in the zone of `now`."""
    local = moment.astimezone(now.tzinfo)
    if _allowed(schedule, local):
        return moment
    start = schedule.window[0] if schedule.window else 0
    for ahead in range(-1, FAR):
        day = local.date() + timedelta(days=ahead)
        opens = _at(day, start, now)
        if opens >= moment and fits(schedule, day):
            return opens
    return None
