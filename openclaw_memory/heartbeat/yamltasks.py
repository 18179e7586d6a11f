"""What the keys of a `tasks:` block mean: entries to tasks, and a problem for each thing that cannot be taken as is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openclaw_memory.heartbeat.fields import duration, read_interval
from openclaw_memory.heartbeat.model import Problem, Task
from openclaw_memory.heartbeat.naming import task_name
from openclaw_memory.heartbeat.phrases import Reading, read
from openclaw_memory.heartbeat.schedule import EACH_BEAT, OFF, Schedule
from openclaw_memory.heartbeat.sections import plain_line
from openclaw_memory.heartbeat.yamlblock import Entry, read_block

_INTERVAL = ("interval", "every", "schedule", "frequency", "cron", "when", "repeat")
_BEATS = ("beats", "everybeats", "heartbeats", "everyheartbeats")
_TIMES = ("runat", "at", "time", "times", "hour")
_DAYS = ("days", "day", "weekdays", "weekday", "on")
_WINDOW = ("window", "activehours", "hours", "between", "timewindow", "during")
_TEXT = ("prompt", "text", "task", "do", "description", "instructions", "message", "title")
_NAME = ("name", "id", "title", "task", "key")
_OFF = {
    "enabled": ("false", "no", "off", "0"),
    "disabled": ("true", "yes", "on", "1"),
    "paused": ("true", "yes", "on", "1"),
}
_KNOWN = {*_INTERVAL, *_BEATS, *_TIMES, *_DAYS, *_WINDOW, *_TEXT, *_NAME, *_OFF, "builtin", "budget", "timeout", "run"}


def read_tasks(texts: Sequence[str], start: int, path: str) -> tuple[list[Task], list[Problem], int]:
    """The tasks of the block that starts at `texts[start]`, its problems, and the number of its last line."""
    entries, last = read_block(texts, start)
    tasks: list[Task] = []
    problems: list[Problem] = []
    for entry in entries:
        task, found = _task(entry, path)
        tasks.append(task)
        problems += found
    return tasks, problems, last


def _task(entry: Entry, path: str) -> tuple[Task, list[Problem]]:
    problems = [
        Problem("OM408", line, message, "correct the line; the task runs meanwhile") for line, message in entry.problems
    ]
    text = _first(entry, _TEXT)
    if entry.plain:
        task, found = _bullet(entry, text, path)
        return task, problems + found
    name = _first(entry, _NAME) or text.split("\n", 1)[0][:60] or f"task at line {entry.first}"
    if not text and "builtin" not in entry.fields:
        problems.append(
            Problem("OM409", entry.first, f"task “{name}” has no prompt; its name is taken", "add `prompt:`")
        )
    reading = _schedule(entry)
    schedule = OFF if _is_off(entry) else reading.schedule or EACH_BEAT
    problems += _reading_problems(reading, name, _line(entry, (*_INTERVAL, *_TIMES, *_BEATS)), schedule)
    problems += _unknown(entry, name)
    if not (reading.schedule or reading.doubts or schedule.off):
        problems += _asked(entry, name)
    task = Task(
        name,
        entry.fields.get("builtin") or text or name,
        schedule,
        path,
        entry.first,
        entry.last,
        origin="own" if reading.schedule else "default",
        phrase=", ".join(
            entry.fields[key] for key in (*_INTERVAL, *_BEATS, *_TIMES, *_DAYS, *_WINDOW) if key in entry.fields
        ),
        kind="builtin" if "builtin" in entry.fields else "prompt",
        section="tasks",
        budget=_budget(entry, problems),
    )
    return task, problems


def _bullet(entry: Entry, text: str, path: str) -> tuple[Task, list[Problem]]:
    """A bullet that only looks as if it belonged to the block: it is read like any other."""
    reading = read(plain_line(text))
    task = Task(task_name(text, reading), text, reading.schedule or EACH_BEAT, path, entry.first, entry.last)
    if reading.schedule:
        task = task._replace(origin="own", phrase=reading.phrase)
    doubts = (f"“{reading.unread[0]}” is not read as how often",) if reading.unread else reading.doubts
    return task, list(_reading_problems(reading._replace(doubts=doubts), task.name, entry.first, task.schedule))


def _schedule(entry: Entry) -> Reading:
    """The fields as one phrase, so that they are weighed like a line that says the same."""
    parts: list[str] = []
    interval = _first(entry, _INTERVAL)
    base = read_interval(interval) if interval else Reading("")
    beats = _first(entry, _BEATS)
    if beats:
        base = read(f"every {beats} beats")
    rest = {"at": _first(entry, _TIMES), "on": _first(entry, _DAYS)}
    parts += [f"{word} {value}" for word, value in rest.items() if value]
    window = _first(entry, _WINDOW)
    if window:
        parts.append(f"only {window}")
    if not parts:
        return base
    phrase = base.text if base.schedule and base.text.lower().startswith(("every", "at")) else interval
    found = read("; ".join(filter(None, [phrase, *parts])), heading=True)
    return found if found.schedule else Reading(found.text, doubts=(f"“{'; '.join(parts)}” is no schedule",))


def _reading_problems(reading: Reading, name: str, line: int, schedule: Schedule) -> Iterator[Problem]:
    for doubt in reading.doubts:
        message = f"task “{name}”: {doubt}; {'it is off' if schedule.off else f'it runs {schedule}'}"
        yield Problem("OM401", line, message, "write it like `interval: 30m`")
    for contradiction in reading.contradictions:
        yield Problem("OM402", line, f"task “{name}”: {contradiction}", "keep one of them")


def _asked(entry: Entry, name: str) -> Iterator[Problem]:
    """The text of a task without a schedule may name one, which does not count: the host takes it from the keys."""
    for key in ("name", "title", "prompt", "text", "task"):
        said = read(plain_line(entry.fields.get(key, "")))
        words = said.phrase if said.schedule else next(iter(said.unread), "")
        if words:
            message = f"task “{name}”: “{words}” in its {key} gives no schedule; it runs each beat"
            yield Problem("OM401", entry.lines[key], message, "write it like `interval: 30m`")
            return


def _unknown(entry: Entry, name: str) -> Iterator[Problem]:
    for key, line in entry.lines.items():
        if key == "run":
            message = f"task “{name}”: `run:` is not obeyed here, the agent can write this file"
            yield Problem("OM409", line, message, "put it into a file of its own in the tasks folder and `trust` that")
        elif key not in _KNOWN:
            yield Problem(
                "OM409", line, f"task “{name}”: the key `{key}` is kept and means nothing here", "leave it or delete it"
            )


def _is_off(entry: Entry) -> bool:
    return any(entry.fields.get(key, "").lower() in values for key, values in _OFF.items())


def _budget(entry: Entry, problems: list[Problem]) -> int:
    key = "budget" if "budget" in entry.fields else "timeout"
    text = entry.fields.get(key, "")
    try:
        seconds = (float(text) if text.isdigit() else duration(text)) if text else 0
    except ValueError:
        seconds = None
    if seconds is None:
        problems.append(
            Problem("OM409", entry.lines[key], f"`{key}: {text}` is no length of time", "write it like 60s")
        )
    return int(seconds or 0)


def _first(entry: Entry, keys: tuple[str, ...]) -> str:
    return next((entry.fields[key] for key in keys if entry.fields.get(key)), "")


def _line(entry: Entry, keys: tuple[str, ...]) -> int:
    return next((entry.lines[key] for key in keys if key in entry.lines), entry.first)
