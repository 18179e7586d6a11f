"""A beat with nothing due, and reading a thousand tasks. Times are processor time, the best of several runs.

`pytest tests/bench/test_heartbeat.py -s` prints the figures.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.heartbeat import phrases
from openclaw_memory.heartbeat.grammar import parse

pytestmark = pytest.mark.bench
BEAT, PARSE = 0.080, 0.100  # seconds


def best(work: Callable[[], Any], clock: Callable[[], float], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = clock()
        work()
        times.append(clock() - began)
    return min(times)


def of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_beat_with_nothing_due(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "openclaw-memory.yaml").write_text("version: 1\n")
    upkeep = "- `openclaw-memory decay` (monthly on the 1st): fold accesses in\n"
    (tmp_path / "HEARTBEAT.md").write_text(f"## Weekly (Sunday)\n- review the week\n## Upkeep\n{upkeep}")
    words = [sys.executable, "-m", "openclaw_memory", "heartbeat", "run", "--now"]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}

    def beat(now: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*words, now], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)

    beat("2026-03-03T09:00")
    assert beat("2026-03-03T09:30").stdout == "NO_REPLY\n"
    used = best(lambda: beat("2026-03-03T10:00"), of_children, 10)
    bare = best(lambda: subprocess.run([sys.executable, "-c", ""], env=env, check=True), of_children, 10)
    print(f"\na beat with nothing due: {used * 1000:.0f} ms of processor time (Python itself: {bare * 1000:.0f})")
    assert used < max(BEAT, 8 * bare), "on a slower machine Python itself takes more than 10 ms"


@pytest.mark.parametrize("form", ["bullets", "yaml", "table"])
def test_a_thousand_tasks_are_read(form: str) -> None:
    text = FORMS[form]()
    assert len(parse(text).tasks) == 1000

    def again() -> None:
        phrases.read.cache_clear()
        parse.__wrapped__(text)

    used = best(again, time.process_time, 7)
    print(f"\n1,000 tasks as {form}: {used * 1000:.0f} ms")
    assert used < PARSE


def _bullets() -> str:
    lines = []
    for number in range(1000):
        if number % 20 == 0:
            lines.append(f"## Section {number} (every {number % 7 + 1} hours)")
        own = f" (every {number % 9 + 2} heartbeats)" if number % 3 == 0 else ""
        lines.append(f"- **Task {number}**: look at item {number} and say what changed{own}")
    return "\n".join(lines) + "\n"


def _yaml() -> str:
    entry = '  - name: task {0}\n    interval: {1}m\n    prompt: "do number {0} every day"\n'
    return "# Tasks\ntasks:\n" + "".join(entry.format(number, number % 50 + 1) for number in range(1000))


def _table() -> str:
    rows = "".join(f"| {number % 24}:{number % 60:02d} | job {number} |\n" for number in range(1000))
    return "| When | What |\n|---|---|\n" + rows


FORMS: dict[str, Callable[[], str]] = {"bullets": _bullets, "yaml": _yaml, "table": _table}
