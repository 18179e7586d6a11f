"""Makes the agenda of a workspace from the bytes of its files: reads the heartbeat file, finds and places built-ins.

Pure over its inputs; slow to import, for it brings the grammar, so `agenda.py` calls it only for what is not kept.
"""

from __future__ import annotations

import re

from openclaw_memory import markdown
from openclaw_memory.heartbeat import builtins
from openclaw_memory.heartbeat.agenda import Agenda
from openclaw_memory.heartbeat.builtins import Builtin
from openclaw_memory.heartbeat.grammar import parse
from openclaw_memory.heartbeat.kept import Inputs
from openclaw_memory.heartbeat.keys import keyed
from openclaw_memory.heartbeat.model import Plan, Problem, Task, TaskKind
from openclaw_memory.heartbeat.schedule import OFF

_MENTION = re.compile(r"\**`openclaw-memory\s+([a-z][^`]*)`")


def assemble(inputs: Inputs) -> Agenda:
    """The agenda that these files and settings make."""
    path = inputs.path
    text = markdown.decode(inputs.file)
    shipped = builtins.shipped()
    mine, problems = builtins.own(inputs.own)
    plan, differing = _with_state(parse(text, path), inputs.state_path, inputs.state)
    problems += differing
    listed, prompts, wrong = _resolve(plan, shipped)
    if plan.quiet:
        from openclaw_memory.heartbeat import rhythms

        prompts, clashing = rhythms.hold(prompts, plan.quiet, plan.quiet_line)
        wrong += clashing
    tasks, unlisted = _with_builtins(dict(inputs.switched), listed, shipped)
    tasks += [_own_task(task) for task in mine]
    tasks.sort(key=lambda task: task.schedule.off)
    found = (*problems, *((path, problem) for problem in wrong))
    return Agenda(plan, inputs.file, (*tasks, *keyed(prompts)), tuple(unlisted), found)


def _with_state(plan: Plan, name: str, state: bytes) -> tuple[Plan, list[tuple[str, Problem]]]:
    """The plan with the intervals and windows that the agent's state file gives, and where the two disagree."""
    if not state:
        return plan, []
    from openclaw_memory.heartbeat import rhythms

    text = markdown.decode(state)
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


def _with_builtins(
    switched: dict[str, bool], listed: dict[str, Task], shipped: list[Builtin]
) -> tuple[list[Task], list[str]]:
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
        builtin.key,
        budget=(listed.budget if listed else 0) or builtin.budget,
    )


def _own_task(mine: Builtin) -> Task:
    kind: TaskKind = "builtin" if mine.runs else "command" if mine.run else "prompt"
    text = mine.prompt if kind == "prompt" else mine.name
    return Task(
        mine.name, text, mine.schedule, mine.path, 1, 1, "own", mine.every, kind,
        key=mine.key, budget=mine.budget,
    )  # fmt: skip
