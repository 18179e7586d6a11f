"""Keys under which tasks are remembered: their names, told apart where one comes twice. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from openclaw_memory.heartbeat.model import Task
from openclaw_memory.heartbeat.plain import slug


def keyed(tasks: Sequence[Task]) -> list[Task]:
    """The tasks with their keys: the name, with its section where the name comes twice, with a number where both do."""
    names = Counter(slug(task.name) for task in tasks)
    used: Counter[str] = Counter()
    found: list[Task] = []
    for task in tasks:
        key = slug(task.name)
        if names[key] > 1 and task.section:
            key = f"{slug(task.section)}/{key}"
        used[key] += 1
        found.append(task._replace(key=key if used[key] == 1 else f"{key}#{used[key]}"))
    return found


def duplicates(tasks: Sequence[Task]) -> Iterator[tuple[Task, Task]]:
    """Pairs (first, later) of tasks with the same name under the same heading."""
    seen: dict[tuple[str, str], Task] = {}
    for task in tasks:
        place = (task.section, slug(task.name))
        if place in seen:
            yield seen[place], task
        else:
            seen[place] = task
