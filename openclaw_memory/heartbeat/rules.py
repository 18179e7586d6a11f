"""The rules OM4, of the heartbeat file: what was not understood, what contradicts itself, what a host makes of it.

Pure over a plan and its text; `judge` is what `check` calls. Runs nothing and reads no state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openclaw_memory import markdown, tokens
from openclaw_memory.config import PROFILES, Config, seconds
from openclaw_memory.findings import Finding, finding
from openclaw_memory.heartbeat import hosts
from openclaw_memory.heartbeat.grammar import parse
from openclaw_memory.heartbeat.keys import duplicates
from openclaw_memory.heartbeat.model import Plan, Task
from openclaw_memory.heartbeat.schedule import span
from openclaw_memory.subject import Subject

_EMPTY_IS_SILENT = "the host's own heartbeats cost nothing with an empty file: delete its text, or put your tasks in"
_DAY = 86400


def judge(subject: Subject) -> Iterable[Finding]:
    """The findings of the heartbeat file of one tree."""
    path = subject.config.heartbeat.file
    if path in subject.judged(lambda candidate: candidate == path):
        yield from judge_text(markdown.decode(subject.tree.read(path)), path, subject.config)


def judge_text(text: str, path: str, config: Config) -> Iterator[Finding]:
    """The findings of one heartbeat file, in the order of its lines."""
    plan = parse(text, path)
    found = [finding(*_placed(problem, path)) for problem in plan.problems]
    found += _too_short(plan, config)
    found += _twice(plan)
    found += _on_host(plan, text, config)
    yield from sorted(found, key=lambda item: item.line)


def _placed(problem: tuple[str, int, str, str], path: str) -> tuple[str, str, int, str, str]:
    code, line, message, fix = problem
    return code, path, line, message, fix


def _too_short(plan: Plan, config: Config) -> Iterator[Finding]:
    """An interval shorter than the beat cannot be kept: the task runs each beat."""
    beat = round(seconds(config.heartbeat.beat))
    for schedule, tasks in _by_schedule(plan).items():
        if 0 < schedule < beat:
            first = tasks[0]
            message = (
                f"“{first.phrase}” ({_names(tasks)}): every {span(schedule)} is shorter than the {span(beat)} beat,"
                " so it runs each beat"
            )
            yield finding(
                "OM403", plan.path, first.line, message, f"beat more often (heartbeat.beat), or say {span(beat)}"
            )


def _by_schedule(plan: Plan) -> dict[int, list[Task]]:
    grouped: dict[int, list[Task]] = {}
    for task in plan.tasks:
        if task.schedule.kind == "interval":
            grouped.setdefault(task.schedule.seconds, []).append(task)
    return grouped


def _names(tasks: list[Task]) -> str:
    shown = ", ".join(task.name for task in tasks[:3])
    return shown if len(tasks) <= 3 else f"{shown} and {len(tasks) - 3} more"


def _twice(plan: Plan) -> Iterator[Finding]:
    for first, second in duplicates(plan.tasks):
        message = f"“{second.name}” is also the name of the task in line {first.line}; they are kept apart by position"
        yield finding("OM406", plan.path, second.line, message, "give one of them another name")


def _on_host(plan: Plan, text: str, config: Config) -> Iterator[Finding]:
    """What the host would do with the file: skip tasks, or pay for nothing."""
    profile = PROFILES[config.profile]
    if not profile.name.startswith("openclaw") or plan.path != "HEARTBEAT.md":
        return
    rule, skips = hosts.early(text)
    if skips and plan.tasks:
        line = plan.tasks[0].line
        message = f"your tasks are headings: by {rule} the host skips this file"
        yield finding("OM404", plan.path, line, message, "write each task as a bullet below a heading")
    elif not plan.tasks and not skips:
        beats = _DAY / max(1.0, seconds(config.heartbeat.beat))
        cost = round(tokens.count(text) * beats)
        what = "a log" if any(note.kind == "log" for note in plan.notes) else "no task"
        message = (
            f"this file holds {what}, but by {rule} each beat costs a model call: {cost:,} tokens a day for its text"
        )
        yield finding("OM405", plan.path, 0, message, _EMPTY_IS_SILENT)
