"""CPU time of a whole process, beside that of an empty interpreter, and how a limit in milliseconds is judged by it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

EMPTY = 7.5  # ms: what `python -I -c pass` takes at the least, where limits are not measured but only guarded


class Cost(NamedTuple):
    """The least of several rounds, in ms: of the command with all it starts, and of an empty interpreter."""

    ours: float
    empty: float

    def __str__(self) -> str:
        return f"{self.ours:.1f} ms CPU, {self.ours / self.empty:.1f} times an empty interpreter ({self.empty:.1f} ms)"


def spent(command: Sequence[str], root: Path, env: dict[str, str] | None = None, ok: Sequence[int] = (0,)) -> float:
    """User and system time of a process and of those it starts, in ms. It must end with a code in `ok`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=root, env=env, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in ok, done.stderr
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def empty(root: Path) -> float:
    """What an empty interpreter takes, in ms: the least of five."""
    return min(spent([sys.executable, "-I", "-c", "pass"], root) for _ in range(5))


def environment(cache: Path) -> dict[str, str]:
    """The environment with compiled modules kept in `cache`, so that they are warm and nobody else's."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(cache)}


def cost(
    words: Sequence[str], root: Path, cache: Path, *, rounds: int = 15, before: Callable[[int], object] | None = None
) -> Cost:
    """What `openclaw-memory WORDS` costs in `root`; `before(round)` runs before each, its time not counted.

    Taken in turns with an empty interpreter, so that a busy machine counts for both.
    """
    command, env = [sys.executable, "-P", "-m", "openclaw_memory", *words], environment(cache)
    bare = [sys.executable, "-I", "-c", "pass"]
    spent(command, root, env)
    found = []
    for number in range(rounds):
        if before is not None:
            before(number)
        found.append((spent(command, root, env), spent(bare, root, env)))
    return Cost(*(min(times) for times in zip(*found, strict=True)))


def judge(config: pytest.Config, name: str, found: Cost, limit: float) -> None:
    """Fails over `limit` ms. Only with `--benchmark-enable` (a quiet machine) is that the plain figure.

    Else it is scaled by how much slower than `EMPTY` an empty interpreter is here: a guard against a slow change.
    """
    print(f"\n{name}: {found} (limit {limit:.0f} ms)")
    slower = 1.0 if config.getoption("benchmark_enable") else max(1.0, found.empty / EMPTY)
    assert found.ours <= limit * slower, f"{name}: {found}, the limit is {limit * slower:.0f} ms"
