"""All tasks of a workspace: of its heartbeat file, the built-ins, and the user's own task files. Writes nothing."""

from __future__ import annotations

import re

from openclaw_memory import fsio, markdown
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.heartbeat import builtins
from openclaw_memory.heartbeat.builtins import Builtin
from openclaw_memory.heartbeat.grammar import parse
from openclaw_memory.heartbeat.keys import keyed
from openclaw_memory.heartbeat.model import Plan, Problem, Task, TaskKind, slug
from openclaw_memory.heartbeat.schedule import OFF
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory.findings import Finding

LIMIT = 8 << 20
_MENTION = re.compile(r"\**`openclaw-memory\s+([a-z][^`]*)`")


class Agenda(Record):
    """What there is to do. `text` is the heartbeat file ("" where there is none), `plan` its reading.

    `tasks` are in the order they run in: built-ins first, then prompts as they stand in the file. `builtins` are all
    that exist, by key; `unlisted` the names of those that do not run because nobody lists them.
    """

    plan: Plan
    text: str
    tasks: tuple[Task, ...]
    builtins: dict[str, Builtin]
    unlisted: tuple[str, ...] = ()
    problems: tuple[tuple[str, Problem], ...] = ()

    def by_key(self) -> dict[str, Task]:
        """The tasks by the key under which they are remembered."""
        return {task.key: task for task in self.tasks}

    def findings(self) -> tuple[Finding, ...]:
        """What is wrong beside the reading of the heartbeat file itself."""
        from openclaw_memory.findings import finding

        return tuple(finding(code, path, line, message, fix) for path, (code, line, message, fix) in self.problems)


def load(ws: Workspace) -> Agenda:
    """The agenda of a workspace. Raises WorkspaceError where the heartbeat file cannot be read (missing is fine)."""
    path = ws.config.heartbeat.file
    full = ws.path(path)
    text = markdown.decode(fsio.read(full, LIMIT)) if full.exists() else ""
    shipped = builtins.shipped()
    mine, problems = builtins.own(ws)
    plan, differing = _with_state(ws, parse(text, path))
    problems += differing
    listed, prompts, wrong = _resolve(plan, shipped)
    if plan.quiet:
        from openclaw_memory.heartbeat import rhythms

        prompts, clashing = rhythms.hold(prompts, plan.quiet, plan.quiet_line)
        wrong += clashing
    tasks, unlisted = _with_builtins(ws, listed, shipped)
    tasks += [_own_task(task) for task in mine]
    tasks.sort(key=lambda task: task.schedule.off)
    return Agenda(
        plan,
        text,
        (*tasks, *keyed(prompts)),
        {**{f"builtin/{task.name}": task for task in shipped}, **{_own_key(task): task for task in mine}},
        tuple(unlisted),
        (*problems, *((path, problem) for problem in wrong)),
    )


def _with_state(ws: Workspace, plan: Plan) -> tuple[Plan, list[tuple[str, Problem]]]:
    """The plan with the intervals and windows that the agent's state file gives, and where the two disagree."""
    name = ws.config.heartbeat.state_file
    if not (ws.root / name).is_file():
        return plan, []
    try:
        text = markdown.decode(fsio.read(ws.path(name), LIMIT))
    except WorkspaceError:
        return plan, []
    from openclaw_memory.heartbeat import rhythms

    found = rhythms.read_rhythms(text)
    tasks, problems = rhythms.apply(found, plan.tasks, text, name)
    return plan._replace(tasks=tuple(tasks)), [(name, problem) for problem in (*found.problems, *problems)]


def _resolve(plan: Plan, shipped: list[Builtin]) -> tuple[dict[str, Task], list[Task], list[Problem]]:
    """The plan's tasks, parted into built-ins (by name) and prompts."""
    listed: dict[str, Task] = {}
    prompts: list[Task] = []
    problems: list[Problem] = []
    for task in plan.tasks:
        mention = _MENTION.match(task.text)
        words = task.text if task.kind == "builtin" else mention[1].strip() if mention else ""
        found = builtins.find(shipped, words) if words else None
        if found:
            listed.setdefault(found.name, task)
        elif task.kind == "builtin":
            names = ", ".join(one.name for one in shipped)
            problems.append(Problem("OM409", task.line, f"there is no built-in “{task.text}”", f"one of: {names}"))
        else:
            prompts.append(task)
    return listed, prompts, problems


def _with_builtins(ws: Workspace, listed: dict[str, Task], shipped: list[Builtin]) -> tuple[list[Task], list[str]]:
    switched = ws.config.heartbeat.builtins
    tasks: list[Task] = []
    unlisted: list[str] = []
    for builtin in shipped:
        wanted = switched.get(builtin.name, builtin.name in listed or (not listed and builtin.on))
        if builtin.name in listed:
            task = _builtin_task(builtin, listed[builtin.name])
            tasks.append(task if wanted else task._replace(schedule=OFF))
        elif wanted:
            tasks.append(_builtin_task(builtin, None))
        else:
            unlisted.append(builtin.name)
    return tasks, unlisted


def _builtin_task(builtin: Builtin, listed: Task | None) -> Task:
    own = listed is not None and listed.origin != "default"
    return Task(
        builtin.name,
        builtin.name,
        listed.schedule if listed and own else builtin.schedule,
        listed.path if listed else "",
        listed.line if listed else 0,
        listed.last if listed else 0,
        listed.origin if listed and own else "builtin",
        listed.phrase if listed and own else builtin.every,
        "builtin",
        listed.section if listed else "",
        f"builtin/{builtin.name}",
        budget=(listed.budget if listed else 0) or builtin.budget,
    )


def _own_task(mine: Builtin) -> Task:
    kind: TaskKind = "builtin" if mine.runs else "command" if mine.run else "prompt"
    text = mine.prompt if kind == "prompt" else mine.name
    return Task(
        mine.name, text, mine.schedule, mine.path, 1, 1, "own", mine.every, kind,
        key=_own_key(mine), budget=mine.budget,
    )  # fmt: skip


def _own_key(mine: Builtin) -> str:
    """By the file's name, of which there is one, not the task's."""
    return f"own/{slug(mine.path.rsplit('/', 1)[-1].removesuffix('.md'))}"
