"""When tasks may run, where it does not stand at the task: in the agent's state file, or as quiet hours. Pure.

`checkIntervals` and `timeWindows` of a `heartbeat-state.json` give a schedule to tasks that have none. Where the
heartbeat file says something else it is taken, and both are named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from openclaw_memory.heartbeat.fields import read_interval
from openclaw_memory.heartbeat.model import Problem, Task
from openclaw_memory.heartbeat.phrases import read
from openclaw_memory.heartbeat.plain import slug
from openclaw_memory.heartbeat.schedule import Schedule, span, within
from openclaw_memory.record import Record

INTERVALS, WINDOWS = "checkIntervals", "timeWindows"
_LONGEST = 366 * 86400
_ENDS = (("start", "end"), ("from", "to"), ("startHour", "endHour"), ("begin", "end"), ("after", "before"))

Window = tuple[int, int]


class Rhythms(Record):
    """Seconds and windows (minutes of the day) by key as they stand in a state file, with what was not understood."""

    intervals: Mapping[str, int]
    windows: Mapping[str, Window]
    problems: tuple[Problem, ...] = ()


def read_rhythms(text: str) -> Rhythms:
    """The rhythms of a state file's text. A text that is no JSON object has none; `hints` reports it."""
    try:
        loaded = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        loaded = None
    found = loaded if isinstance(loaded, dict) else {}
    problems: list[Problem] = []
    intervals = {key: s for key, value in _members(found, INTERVALS) if (s := _seconds(value))}
    windows = {key: w for key, value in _members(found, WINDOWS) if (w := _window(value))}
    for part, understood in ((INTERVALS, intervals), (WINDOWS, windows)):
        for key, value in _members(found, part):
            if key not in understood and value is not None:
                message = f"{part}.{key}: {value!r} is not understood"
                problems.append(
                    Problem("OM401", line_of(text, part, key), message, 'write 1800, "30m" or "08:00-21:00"')
                )
    return Rhythms(intervals, windows, tuple(problems))


def line_of(text: str, *keys: str) -> int:
    """The line of the last key, each looked for behind the one before; 1 where there is none."""
    place = 0
    for key in keys:
        place = max(place, text.find(json.dumps(key, ensure_ascii=False), place))
    return text.count("\n", 0, place) + 1


def apply(rhythms: Rhythms, tasks: Sequence[Task], text: str, path: str) -> tuple[list[Task], list[Problem]]:
    """The tasks with what the state file `path` adds to them, and where it says something else than they do."""
    done: list[Task] = []
    problems: list[Problem] = []
    for task in tasks:
        for key in (key for key in rhythms.intervals if _names(key, task)):
            seconds = rhythms.intervals[key]
            if task.origin == "default":
                schedule = Schedule(seconds=seconds, window=task.schedule.window)
                task = task._replace(schedule=schedule, origin="state", phrase=f"{INTERVALS}.{key}")
            elif task.schedule.kind in ("interval", "beats") and task.schedule.seconds != seconds:
                problems.append(_differs(task, INTERVALS, key, f"every {span(seconds)} ({seconds} s)", text, path))
        for key in (key for key in rhythms.windows if _names(key, task)):
            window = rhythms.windows[key]
            if task.schedule.window is None and not task.schedule.times:
                task = task._replace(schedule=task.schedule._replace(window=window))
            elif task.schedule.window != window:
                said = str(Schedule(beats=1, window=window)).partition(", ")[2]
                problems.append(_differs(task, WINDOWS, key, said, text, path))
        done.append(task)
    return done, problems


def hold(tasks: Sequence[Task], quiet: Window, line: int) -> tuple[list[Task], list[Problem]]:
    """The tasks held back in the quiet hours, but for those whose own words put them there, which are named."""
    held: list[Task] = []
    problems: list[Problem] = []
    for task in tasks:
        if _wants(task.schedule, quiet):
            message = f"“{task.name}” ({task.schedule}) is in the quiet hours of line {line}; its own words are taken"
            problems.append(Problem("OM402", task.line, message, "keep one of them"))
            held.append(task)
        else:
            held.append(task._replace(schedule=task.schedule._replace(quiet=quiet)))
    return held, problems


def _wants(schedule: Schedule, quiet: Window) -> bool:
    """Whether each moment that the schedule names lies in the quiet hours."""
    if schedule.times:
        return all(within(minute, quiet) for minute in schedule.times)
    return schedule.window is not None and all(within(minute % 1440, quiet) for minute in _minutes(schedule.window))


def _minutes(window: Window) -> range:
    start, end = window
    return range(start, end if start < end else end + 1440, 15)


def _differs(task: Task, part: str, key: str, said: str, text: str, path: str) -> Problem:
    message = f"{part}.{key}: {path} says {said}, line {task.line} of {task.path} says {task.schedule}"
    return Problem("OM402", line_of(text, part, key), message, "keep one; the heartbeat file is taken")


def _names(key: str, task: Task) -> bool:
    return slug(key) in (slug(task.name), *slug(task.name).split("-"))


def _members(loaded: dict[str, object], part: str) -> Iterator[tuple[str, object]]:
    value = loaded.get(part)
    if isinstance(value, dict):
        yield from value.items()


def _seconds(value: object) -> int:
    """Seconds of a number of them, or of a text such as `30m` or `hourly`; 0 for anything else."""
    if isinstance(value, str):
        found = read_interval(value).schedule
        return found.seconds if found else 0
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
    return int(number) if 1 <= number <= _LONGEST else 0


def _window(value: object) -> Window | None:
    """The window of `08:00-21:00`, `[8, 21]` or `{"start": "08:00", "end": "21:00"}`; None for anything else."""
    if isinstance(value, dict):
        value = next(([value[a], value[b]] for a, b in _ENDS if a in value and b in value), None)
    if isinstance(value, list):
        value = "-".join(f"{end}:00" if isinstance(end, int) else str(end) for end in value) if len(value) == 2 else ""
    found = read(f"only {value}", heading=True).schedule if isinstance(value, str) else None
    return found.window if found else None
