"""A beat with nothing due, and reading a thousand tasks. Times are processor time, the best of several runs.

`pytest tests/bench/test_heartbeat.py -s` prints the figures.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.heartbeat import phrases
from openclaw_memory.heartbeat.grammar import parse
from tests.bench.cpu import Cost, cost, empty, judge

SENTENCES = {
    "en": ("look at item {} and say what changed", "every {} heartbeats", "Section {} (every {} hours)"),
    "pt": ("olhe o item {} e diga o que mudou", "a cada {} batimentos", "Seção {} (a cada {} horas)"),
    "de": ("sieh dir Eintrag {} an und sag, was neu ist", "alle {} Herzschläge", "Abschnitt {} (alle {} Stunden)"),
    "ru": ("посмотри запись {} и скажи что изменилось", "каждые {} удара", "Раздел {} (каждые {} часа)"),
    "zh": ("查看第{}条记录并说明有什么变化", "每{}次心跳", "第{}部分（每{}小时）"),
    "ja": ("項目{}を見て何が変わったかを書く", "{}回の心拍ごと", "セクション{}（{}時間ごと）"),
}
"""What to do, how often, and a heading with a schedule, in each language."""


def _bullets(job: str, own: str, heading: str) -> str:
    """A third of the tasks have a schedule of their own, the others that of their heading."""
    lines = []
    for number in range(1000):
        if number % 20 == 0:
            lines.append("## " + heading.format(number, number % 7 + 2))
        lines.append(f"- **{number}**: {job.format(number)}" + f" ({own.format(number % 9 + 2)})" * (number % 3 == 0))
    return "\n".join(lines) + "\n"


def _labels(job: str, own: str, heading: str) -> str:
    return "".join(f"- {own.format(number % 9 + 2)}: {job.format(number)}\n" for number in range(1000))


def _yaml(job: str, own: str, heading: str) -> str:
    entry = '  - name: task {0}\n    every: "{1}"\n    prompt: "{2}"\n'
    entries = (entry.format(number, own.format(number % 50 + 2), job.format(number)) for number in range(1000))
    return "# Tasks\ntasks:\n" + "".join(entries)


def _table(job: str, own: str, heading: str) -> str:
    rows = "".join(f"| {own.format(number % 50 + 2)} | {job.format(number)} |\n" for number in range(1000))
    return "| When | What |\n|---|---|\n" + rows


def _clocks(job: str, own: str, heading: str) -> str:
    rows = "".join(f"| {number % 24}:{number % 60:02d} | {job.format(number)} |\n" for number in range(1000))
    return "| When | What |\n|---|---|\n" + rows


FORMS: dict[str, Callable[[str, str, str], str]] = {
    "bullets": _bullets, "labels": _labels, "yaml": _yaml, "table": _table, "clocks": _clocks,
}  # fmt: skip

pytestmark = pytest.mark.bench


def best(work: Callable[[], Any], clock: Callable[[], float], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = clock()
        work()
        times.append(clock() - began)
    return min(times)


def test_a_beat_with_nothing_due(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "openclaw-memory.yaml").write_text("version: 1\n")
    upkeep = "- `openclaw-memory decay` (monthly on the 1st): fold accesses in\n"
    (root / "HEARTBEAT.md").write_text(f"## Weekly (Sunday)\n- review the week\n## Upkeep\n{upkeep}")

    def beat(now: str) -> list[str]:
        return ["heartbeat", "run", "--now", now]

    first = [sys.executable, "-m", "openclaw_memory"]
    for now, said in (("2026-03-03T09:00", None), ("2026-03-03T09:30", "NO_REPLY\n")):
        done = subprocess.run([*first, *beat(now)], cwd=root, capture_output=True, text=True, check=True)
        assert said in (None, done.stdout)
    judge(pytestconfig, "a beat with nothing due", cost(beat("2026-03-03T10:00"), root, tmp_path / "cache"), 65)


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("form", FORMS)
def test_a_thousand_tasks_are_read(tmp_path: Path, pytestconfig: pytest.Config, form: str, language: str) -> None:
    text = FORMS[form](*SENTENCES[language])
    assert len(parse(text).tasks) == 1000

    def again() -> None:
        phrases.read.cache_clear()
        parse.__wrapped__(text)

    used = best(again, time.process_time, 7)
    judge(pytestconfig, f"1,000 tasks, {form}, {language}", Cost(used * 1000, empty(tmp_path)), 100)
