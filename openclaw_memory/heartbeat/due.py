"""Which tasks are due in a beat: joins the agenda with what is remembered. Pure but for `meet`, which reads hints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from openclaw_memory import fsio
from openclaw_memory.errors import GitError, WorkspaceError
from openclaw_memory.heartbeat.clock import Last, is_due
from openclaw_memory.heartbeat.model import Task
from openclaw_memory.heartbeat.schedule import Schedule
from openclaw_memory.heartbeat.state import Memory
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory.findings import Finding

GROUP = "rotate/"


class Known(Record):
    """What is known of tasks that were never seen before: a slot from the state file each (or None), and findings."""

    slots: dict[str, datetime | None]
    findings: tuple[Finding, ...] = ()


class Selection(Record):
    """The tasks due in one beat; `groups` are the keys of the rotations that were turned, with their schedules."""

    builtins: tuple[Task, ...]
    prompts: tuple[Task, ...]
    groups: Mapping[str, Schedule]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All of them."""
        return (*self.builtins, *self.prompts)


def keys_of(tasks: Iterable[Task]) -> dict[str, Schedule]:
    """Every key that is remembered for these tasks: their own, and one for each rotation."""
    found: dict[str, Schedule] = {}
    for task in tasks:
        found[task.key] = task.schedule
        if task.rotate[1]:
            found.setdefault(GROUP + task.rotate[0], task.schedule)
    return found


def select(tasks: Sequence[Task], memories: Mapping[str, Memory], beat: int, now: datetime) -> Selection:
    """The tasks that are due in beat number `beat` at `now`. A rotation gives those that waited longest."""
    groups: dict[str, Schedule] = {}
    chosen: set[str] = set()
    for name, pick, schedule in {(*task.rotate, task.schedule): None for task in tasks if task.rotate[1]}:
        if is_due(schedule, _last(memories, GROUP + name, beat, now), beat, now):
            groups[GROUP + name] = schedule
            members = [task for task in tasks if task.rotate == (name, pick) and not task.schedule.off]
            members.sort(key=lambda task: _waited(memories.get(task.key)))
            chosen.update(task.key for task in members[:pick])
    due = [
        task
        for task in tasks
        if (
            task.key in chosen
            if task.rotate[1]
            else is_due(task.schedule, _last(memories, task.key, beat, now), beat, now)
        )
    ]
    prompts = tuple(task for task in due if task.kind == "prompt")
    return Selection(tuple(task for task in due if task.kind != "prompt"), prompts, groups)


def _last(memories: Mapping[str, Memory], key: str, beat: int, now: datetime) -> Last:
    memory = memories.get(key)
    return memory.last if memory else Last(beat, now)


def _waited(memory: Memory | None) -> float:
    return memory.ran.timestamp() if memory and memory.ran else float("-inf")


def meet(ws: Workspace, tasks: Sequence[Task], memories: Mapping[str, Memory], now: datetime) -> Known:
    """The keys that are not remembered yet, with what the agent's own state file says of them."""
    new = {key: None for key in keys_of(tasks) if key not in memories}
    path = ws.config.heartbeat.state_file
    if not new or not (ws.root / path).is_file():
        return Known(dict(new))
    from openclaw_memory import markdown
    from openclaw_memory.heartbeat import hints as hint_files

    try:
        text = markdown.decode(fsio.read(ws.path(path)))
    except WorkspaceError:
        return Known(dict(new))
    found = hint_files.read_hints(text, path, now, _born(ws))
    slots: dict[str, datetime | None] = dict(new)
    for task in tasks:
        if task.key in new and task.kind == "prompt":
            slots[task.key] = hint_files.match(found, task.key, task.name)
    return Known(slots, found.findings)


def remembered(known: Known, memories: Mapping[str, Memory], beat: int, now: datetime) -> dict[str, Memory]:
    """The memories with those of the new tasks added, as the next beat would have them."""
    new = {key: Memory(Last(beat, now, slot=slot), slot) for key, slot in known.slots.items()}
    return {**new, **memories}


def _born(ws: Workspace) -> datetime | None:
    """When the workspace's first commit was made; None without one."""
    try:
        from openclaw_memory.git import Repo

        repo = Repo.find(ws.root)
        times = repo.run("log", "--max-parents=0", "--format=%ct", "HEAD").split()
        return datetime.fromtimestamp(min(map(int, times)), UTC)
    except (GitError, ValueError):
        return None
