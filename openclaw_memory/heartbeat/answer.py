"""What a beat says to the agent: the due prompts as one block, or the token that means "nothing to do". Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from openclaw_memory.config.profiles import Profile
from openclaw_memory.heartbeat.model import Plan, Task

TOKENS = ("HEARTBEAT_OK", "NO_REPLY")
NOTHING = "Nothing is due."


def quiet_answer(plan: Plan, profile: Profile) -> str:
    """The answer when nothing is due: the file's token, else the host's; a sentence where the file forbids one."""
    if not plan.speaks:
        return NOTHING
    return plan.answer or profile.quiet


def block(prompts: Sequence[Task], plan: Plan, beat: int, now: datetime, zone: str, quiet: str) -> str:
    """The due prompts, each with its text as it stands in the file, below what the file says around them."""
    head = f"Beat {beat}, {now:%Y-%m-%d %H:%M} {zone}. Due now:" if beat else f"{now:%Y-%m-%d %H:%M} {zone}. Due now:"
    parts = [head]
    sections = {task.section for task in prompts}
    around = [
        note.text for note in plan.notes if note.kind == "context" and (note.section in sections or not note.section)
    ]
    parts += [text for text in around if text.strip(" -*+[]>")]
    parts += [f"{number}. {entry(task)}" for number, task in enumerate(prompts, 1)]
    rules = [note.text for note in plan.notes if note.kind == "policy"]
    parts += rules
    if quiet and plan.speaks and not any(token in rule for rule in rules for token in TOKENS):
        parts.append(f"Answer {quiet} when nothing of it needs attention.")
    return "\n\n".join(parts)


def entry(task: Task) -> str:
    """Name, schedule and place, and the prompt below it where it says more than the name."""
    place = f"{task.path}:{task.line}" if task.path else ""
    head = f"{task.name} ({', '.join(filter(None, [str(task.schedule), place]))})"
    said = task.text.strip().rstrip(".")
    return head if said == task.name else f"{head}\n{task.text}"
