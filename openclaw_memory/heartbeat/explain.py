"""How each line of the heartbeat file is read, in words, with what was not understood. Reads only."""

from __future__ import annotations

from openclaw_memory.config import PROFILES
from openclaw_memory.findings import Finding
from openclaw_memory.heartbeat import agenda as agendas
from openclaw_memory.heartbeat import builtins, hosts
from openclaw_memory.heartbeat.agenda import Agenda
from openclaw_memory.heartbeat.model import Note, NoteKind, Task
from openclaw_memory.heartbeat.rules import judge_text
from openclaw_memory.heartbeat.schedule import Schedule
from openclaw_memory.record import Record
from openclaw_memory.workspace import Workspace

_NOTES: dict[NoteKind, str] = {
    "context": "text; goes with the tasks around it",
    "policy": "when to speak and what to answer; handed on as it stands",
    "quiet hours": "prompts that are due wait until they end",
    "log": "a record, no task",
    "done": "ticked off, no task",
    "off": "struck out, no task",
    "reference": "a link, no task",
    "code": "code; never read as tasks, never run",
    "comment": "a comment",
    "front matter": "front matter",
}
_ORIGINS = {
    "own": "its own words",
    "heading": "the heading's words",
    "default": "no schedule given",
    "builtin": "the built-in's own schedule",
    "state": "the state file",
}


class Reading(Record):
    """Lines `first` to `last`: `kind` is task, heading or a note's; `meaning` says how they are read."""

    first: int
    last: int
    kind: str
    text: str
    meaning: str
    schedule: Schedule | None = None

    def to_json(self) -> dict[str, object]:
        """As plain JSON types; `when` is the schedule."""
        when = self.schedule.to_json() if self.schedule else None
        return {**self._asdict(), "schedule": str(self.schedule or ""), "when": when}


class Explanation(Record):
    """The file's readings in order, the findings, and what hosts would do with the file."""

    path: str
    exists: bool
    zone: str
    readings: tuple[Reading, ...]
    findings: tuple[Finding, ...]
    hosts: tuple[tuple[str, str], ...]
    elsewhere: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            "path": self.path,
            "exists": self.exists,
            "zone": self.zone,
            "lines": [reading.to_json() for reading in self.readings],
            "findings": [finding.to_json() for finding in self.findings],
            "hosts": [{"rule": rule, "does": does} for rule, does in self.hosts],
            "elsewhere": list(self.elsewhere),
        }


def explain(ws: Workspace) -> Explanation:
    """The reading of the workspace's heartbeat file, and the tasks that stand elsewhere."""
    agenda = agendas.load(ws)
    path = ws.config.heartbeat.file
    by_line = {task.line: task for task in agenda.tasks if task.path == path}
    readings = [_task(by_line.get(task.line, task)) for task in agenda.plan.tasks]
    readings += [
        Reading(note.line, note.last, note.kind, note.text.split("\n", 1)[0], _meaning(note))
        for note in agenda.plan.notes
    ]
    readings += [
        Reading(line, line, "heading", title, f"gives {schedule}" if schedule else "gives no schedule", schedule)
        for line, title, schedule in agenda.plan.headings
        if not any(task.only_heading and task.line == line for task in agenda.plan.tasks)
    ]
    zone = f"{ws.zone.name} (from {ws.zone.source})"
    judged = judge_text(agenda.text, path, ws.config) if agenda.text else ()
    findings = (*agenda.findings(), *judged)
    ordered = tuple(sorted(readings, key=lambda reading: (reading.first, reading.last)))
    return Explanation(path, bool(agenda.text), zone, ordered, findings, _hosts(ws, agenda), _elsewhere(agenda, path))


def _meaning(note: Note) -> str:
    return _NOTES[note.kind] if note.text.strip(" -*+[]>\t") else "an empty item, no task"


def _task(task: Task) -> Reading:
    if task.kind == "builtin":
        return _builtin(task)
    words = f"“{task.phrase}”, " if task.phrase and task.origin in ("own", "heading", "state") else ""
    turn = f", {task.rotate[1]} of its list each time" if task.rotate[1] else ""
    meaning = f"{task.name}: {task.schedule}{turn} ({words}{_ORIGINS[task.origin]})"
    return Reading(task.line, task.last, "task", task.text.split("\n", 1)[0], meaning, task.schedule)


def _builtin(task: Task) -> Reading:
    meaning = f"{task.name}: {task.schedule} ({_ORIGINS[task.origin]})"
    return Reading(task.line, task.last, "built-in", task.name, meaning, task.schedule)


def _hosts(ws: Workspace, agenda: Agenda) -> tuple[tuple[str, str], ...]:
    """What each rule of a host makes of the file."""
    named = ws.config.heartbeat.file == "HEARTBEAT.md"
    if not (agenda.text and named and ws.config.profile.startswith("openclaw")):
        return ()
    early, later = hosts.early(agenda.text), hosts.scratch(agenda.text)
    reads = PROFILES[ws.config.profile].reads_heartbeat
    mine = " (this workspace's profile)" if reads else ""
    return (
        (early.rule + mine, "skips the beat" if early.skips else "makes a model call each beat"),
        (
            later.rule,
            "never reads the file; as a monitor scratch it " + ("skips" if later.skips else "makes a model call"),
        ),
    )


def _elsewhere(agenda: Agenda, path: str) -> tuple[str, ...]:
    lines = [f"{task.path or 'built-in'}: {task.name}: {task.schedule}" for task in agenda.tasks if task.path != path]
    lines += [
        f"built-in {builtin.name}: off; to run it, add: {builtin.line}"
        for builtin in builtins.shipped()
        if builtin.name in agenda.unlisted
    ]
    return tuple(lines)
