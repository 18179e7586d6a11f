"""Built-in tasks and the user's own: Markdown files with front matter (name, every, what it runs, budget).

`runs:` names a verb of this program, which then does the work in a process of its own. `run:` is a shell command, taken
only from a file of the user's that is trusted. With neither, the text below the front matter is a prompt for the agent.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from openclaw_memory import data, markdown
from openclaw_memory.heartbeat.fields import duration, read_interval
from openclaw_memory.heartbeat.model import NOT_TRUSTED, Problem
from openclaw_memory.heartbeat.plain import slug
from openclaw_memory.heartbeat.schedule import EACH_BEAT, Schedule
from openclaw_memory.heartbeat.yamlblock import read_mapping
from openclaw_memory.record import Record

BUDGET = 60
_YES = ("on", "true", "yes")


class Builtin(Record):
    """One task file. `runs` is the verb with its arguments, `runs_with_model` that where the config names a model.

    `then` tells the agent what to do with a prompt that the verb made. `again`: what it found is told each
    time, not only when it changed. `on`: it runs where nobody lists built-ins.
    `budget` is in seconds. `order` sorts the tasks of a beat. `about` is one line for people.
    """

    name: str
    every: str = "each beat"
    runs: tuple[str, ...] = ()
    runs_with_model: tuple[str, ...] = ()
    run: str = ""
    prompt: str = ""
    then: str = ""
    again: bool = False
    about: str = ""
    budget: int = BUDGET
    on: bool = False
    order: int = 50
    path: str = ""

    @property
    def key(self) -> str:
        """What it is remembered by: the name for ours, the file's name for the user's (there is one of each)."""
        if "/" not in self.path:
            return f"builtin/{self.name}"
        return f"own/{slug(self.path.rsplit('/', 1)[-1].removesuffix('.md'))}"

    @property
    def schedule(self) -> Schedule:
        """What `every` means; each beat where it means nothing."""
        return read_interval(self.every).schedule or EACH_BEAT

    @property
    def line(self) -> str:
        """How the task is listed in a heartbeat file."""
        words = [word for word in self.runs if word not in ("--prompt", "--json", "--now", "{now}")]
        return f"- `openclaw-memory {' '.join(words)}` ({self.every}): {self.about}"


def shipped() -> list[Builtin]:
    """The built-in tasks, in the order they run in."""
    found = [_read(path.read_bytes(), path.name)[0] for path in data.folder("heartbeat").glob("*.md")]
    return sorted(found, key=lambda task: (task.order, task.name))


def own(files: Iterable[tuple[str, bytes, bool]]) -> tuple[list[Builtin], list[tuple[str, Problem]]]:
    """The tasks in the user's files (path, bytes, whether a command may run), and (path, problem) for what is wrong.

    A command that may not run is a problem, not a task.
    """
    found: list[Builtin] = []
    problems: list[tuple[str, Problem]] = []
    for rel, raw, trusted in files:
        task, wrong = _read(raw, rel)
        doubts = [
            Problem("OM401", 1, f"{doubt}; it runs each beat", "write it like `every: every 4 heartbeats`")
            for doubt in read_interval(task.every).doubts
        ]
        problems += [(rel, problem) for problem in (*doubts, *wrong)]
        if task.run and not trusted:
            fix = f"read it, then: openclaw-memory trust {rel}"
            message = f"`run:` of “{task.name}” is not trusted, so it does not run"
            problems.append((rel, Problem(NOT_TRUSTED, 1, message, fix)))
        elif task.runs or task.run or task.prompt:
            found.append(task)
    return found, problems


def by_key(files: Iterable[tuple[str, bytes, bool]]) -> dict[str, Builtin]:
    """Every task that is in a file of its own, by the key it is remembered under."""
    return {task.key: task for task in (*shipped(), *own(files)[0])}


def find(builtins: Iterable[Builtin], words: str) -> Builtin | None:
    """The built-in that is named by `words`: its name, or the verb it runs."""
    wanted = words.split()
    return next((b for b in builtins if wanted and (wanted == [b.name] or list(b.runs[: len(wanted)]) == wanted)), None)


@lru_cache(maxsize=64)
def _read(raw: bytes, path: str) -> tuple[Builtin, list[Problem]]:
    lines = markdown.decode(raw).removeprefix("\ufeff").splitlines()
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0) if lines[:1] == ["---"] else 0
    entry = read_mapping(lines, 2, end)
    fields = entry.fields
    problems = [Problem("OM408", line, message, "correct the line") for line, message in entry.problems]
    body = "\n".join(lines[end + 1 if end else 0 :]).strip()
    return (
        Builtin(
            fields.get("name") or path.rsplit("/", 1)[-1].removesuffix(".md"),
            fields.get("every", "each beat"),
            tuple(fields.get("runs", "").split()),
            tuple(fields.get("runswithmodel", "").split()),
            fields.get("run", ""),
            body,
            fields.get("then", ""),
            fields.get("again", "") in _YES,
            fields.get("about") or body.split("\n\n", 1)[0].replace("\n", " "),
            _seconds(fields.get("budget", "")),
            fields.get("default", "") in _YES,
            int(fields["order"]) if fields.get("order", "").isdigit() else 50,
            path,
        ),
        problems,
    )


def _seconds(text: str) -> int:
    try:
        return int(duration(text) or BUDGET) if text else BUDGET
    except ValueError:
        return BUDGET
