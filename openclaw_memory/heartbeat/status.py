"""What stands when: next and last times of every task, and what beats cost in tokens a day. Reads only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from openclaw_memory import markdown, tokens
from openclaw_memory.config import PROFILES, Profile, seconds
from openclaw_memory.findings import Finding
from openclaw_memory.heartbeat import agenda as agendas
from openclaw_memory.heartbeat import answer, due, hosts
from openclaw_memory.heartbeat.agenda import Agenda
from openclaw_memory.heartbeat.clock import next_due
from openclaw_memory.heartbeat.model import Task
from openclaw_memory.heartbeat.schedule import DAY, Schedule
from openclaw_memory.heartbeat.state import Memory, peek
from openclaw_memory.record import Record
from openclaw_memory.workspace import Workspace


class TaskStatus(Record):
    """One task. `due` says whether a beat at this moment would run it, `next` when it comes next (None: never).

    `tokens` is what its prompt costs each time, `daily` in a day.
    """

    task: Task
    due: bool
    next: datetime | None
    memory: Memory | None
    tokens: int
    daily: float

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        memory = self.memory
        return {
            "key": self.task.key,
            "name": self.task.name,
            "kind": self.task.kind,
            "path": self.task.path,
            "line": self.task.line,
            "schedule": str(self.task.schedule),
            "when": self.task.schedule.to_json(),
            "origin": self.task.origin,
            "due": self.due,
            "next": self.next.isoformat(timespec="seconds") if self.next else None,
            "lastRun": memory.ran.isoformat(timespec="seconds") if memory and memory.ran else None,
            "lastStatus": memory.status if memory else "",
            "message": memory.message if memory else "",
            "runs": memory.runs if memory else 0,
            "tokens": self.tokens,
            "tokensPerDay": round(self.daily),
        }


class Cost(Record):
    """Tokens a day: of the prompts we hand over, and of the host's own beats when nothing is done about them.

    `idle` is one beat of the host that finds nothing to do: the files it loads for it. It is 0 where the host skips.
    """

    prompts: int
    beats: float
    idle: int
    skips: bool
    rule: str

    @property
    def host(self) -> int:
        """What the host's beats cost a day."""
        return 0 if self.skips else round(self.idle * self.beats)


class Status(Record):
    """Everything about the beats of a workspace at `now`."""

    beat: int
    now: datetime
    zone: str
    zone_source: str
    file: str
    tasks: tuple[TaskStatus, ...]
    unlisted: tuple[str, ...]
    cost: Cost
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            "beat": self.beat,
            "now": self.now.isoformat(timespec="seconds"),
            "zone": self.zone,
            "zoneSource": self.zone_source,
            "file": self.file,
            "tasks": [task.to_json() for task in self.tasks],
            "unlisted": list(self.unlisted),
            "cost": {
                "promptTokensPerDay": self.cost.prompts,
                "hostBeatsPerDay": self.cost.beats,
                "hostIdleBeatTokens": self.cost.idle,
                "hostSkips": self.cost.skips,
                "hostRule": self.cost.rule,
                "hostTokensPerDay": self.cost.host,
            },
            "findings": [finding.to_json() for finding in self.findings],
        }


def status(ws: Workspace, now: datetime) -> Status:
    """The status of every task at `now`."""
    agenda = agendas.load(ws)
    number, memories = peek(ws, ws.zone.tz)
    known = due.meet(ws, agenda.tasks, memories, now)
    known_memories = due.remembered(known, memories, number + 1, now)
    chosen = {task.key for task in due.select(agenda.tasks, known_memories, number + 1, now).tasks}
    beat = round(seconds(ws.config.heartbeat.beat))
    tasks = []
    for task in agenda.tasks:
        memory = known_memories[task.key]
        turn = known_memories.get(due.GROUP + task.rotate[0], memory) if task.rotate[1] else memory
        after = next_due(task.schedule, turn.last, number, now, beat)
        size = tokens.count(answer.entry(task)) if task.kind == "prompt" else 0
        daily = size * runs_a_day(task.schedule, beat) / _share(task, agenda)
        tasks.append(TaskStatus(task, task.key in chosen, after, memories.get(task.key), size, daily))
    cost = _cost(ws, round(sum(one.daily for one in tasks)), beat)
    return Status(
        number, now, ws.zone.name, ws.zone.source, ws.config.heartbeat.file, tuple(tasks), agenda.unlisted, cost,
        (*known.findings, *agenda.findings()),
    )  # fmt: skip


def runs_a_day(schedule: Schedule, beat: int) -> float:
    """How often a task runs in a day on average, with a beat each `beat` seconds."""
    start, end = schedule.window or (0, 1440)
    open_part = ((end - start) % 1440 or 1440) / 1440
    if schedule.quiet:
        open_part = max(0.0, open_part - ((schedule.quiet[1] - schedule.quiet[0]) % 1440) / 1440)
    days = len(schedule.weekdays) / 7 if schedule.weekdays else 1.0
    days *= min(1.0, len(schedule.days) / 30) if schedule.days else 1.0
    days *= len(schedule.months) / 12 if schedule.months else 1.0
    if schedule.kind == "off" or schedule.dates:
        return 0.0
    if schedule.kind == "calendar":
        return days * min(len(schedule.times) or 1, DAY / max(beat, 1))
    length = beat * schedule.beats if schedule.beats else max(schedule.seconds, beat)
    return days * open_part * DAY / max(length, 1)


def _share(task: Task, agenda: Agenda) -> float:
    """Over how many runs of its rotation a task comes once."""
    if not task.rotate[1]:
        return 1.0
    members = sum(other.rotate == task.rotate for other in agenda.tasks)
    return max(1.0, members / task.rotate[1])


def _cost(ws: Workspace, prompts: int, beat: int) -> Cost:
    """What the prompts cost, and what the host's own beats cost beside it (by its rule for a file without tasks)."""
    profile = PROFILES[ws.config.profile]
    file = ws.root / "HEARTBEAT.md"
    rule, skips = hosts.SCRATCH, False  # without a scratch it asks the model all the same
    if not profile.name.startswith("openclaw"):
        rule, skips = f"{profile.name} has no heartbeats of its own", True
    elif profile.reads_heartbeat:
        text = markdown.decode(file.read_bytes()) if file.is_file() else ""
        rule, skips = hosts.early(text)
        skips = skips and file.is_file()
    return Cost(prompts, DAY / max(beat, 1), sum(_loaded(ws, profile)), skips, rule)


def _loaded(ws: Workspace, profile: Profile) -> Iterator[int]:
    """Tokens of each file that the host loads for a beat, cut where it cuts them."""
    for name in profile.files:
        path = ws.root / name
        if path.is_file():
            text = markdown.decode(path.read_bytes())
            yield tokens.count(text[: profile.file_chars] if profile.file_chars else text)
