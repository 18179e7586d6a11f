"""What a heartbeat file says, as values: tasks, notes (what is no task) and problems. Imports only `schedule`."""

from __future__ import annotations

from openclaw_memory.heartbeat.schedule import EACH_BEAT, Schedule
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Origin: TypeAlias = "Literal['own', 'heading', 'default', 'builtin', 'state']"
TaskKind: TypeAlias = "Literal['prompt', 'builtin', 'command']"
NoteKind: TypeAlias = (
    "Literal['context', 'policy', 'quiet hours', 'log', 'done', 'off', 'reference', 'code', 'comment', 'front matter']"
)


class Task(Record):
    """One thing to do. `text` is the prompt as it stands in the file, the built-in's name, or the command.

    `key` finds its state again (the name, and a number where a name comes twice). `origin` says who gave the schedule,
    `phrase` in which words. `rotate` is (group, how many of it each time). `budget` is in seconds (0: the default).
    """

    name: str
    text: str
    schedule: Schedule = EACH_BEAT
    path: str = ""
    line: int = 0
    last: int = 0
    origin: Origin = "default"
    phrase: str = ""
    kind: TaskKind = "prompt"
    section: str = ""
    key: str = ""
    rotate: tuple[str, int] = ("", 0)
    budget: int = 0
    only_heading: bool = False


class Note(Record):
    """Lines that are no task, and what they are taken for. `section` is the heading they stand under."""

    kind: NoteKind
    line: int
    last: int
    text: str = ""
    section: str = ""


class Problem(Record):
    """A finding that is not yet bound to a file: rule code, line, message, way out."""

    code: str
    line: int
    message: str
    fix: str = ""


NOT_TRUSTED = "OM410"
"""The code of a task file whose command does not run; it is told at each beat, other problems when they are new."""


class Plan(Record):
    """A heartbeat file, read.

    `headings`, with the items that only group others, are (line, title, schedule or None). `answer` is a token that the
    file asks for.
    `quiet` are the hours in which no prompt shall come (minutes of the day), as the file says plainly in `quiet_line`.
    `speaks` is False where the file forbids a token as an answer ("do not answer HEARTBEAT_OK").
    """

    path: str
    tasks: tuple[Task, ...] = ()
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()
    headings: tuple[tuple[int, str, Schedule | None], ...] = ()
    answer: str = ""
    speaks: bool = True
    size: int = 0
    quiet: tuple[int, int] | None = None
    quiet_line: int = 0
