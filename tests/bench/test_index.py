"""Reading Markdown and the index, and `index sync` in ten thousand files, as CPU time."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from openclaw_memory.index import parse
from openclaw_memory.markdown import scan

# CPU seconds: the limits hold on a machine that is busy with something else, too
pytestmark = [pytest.mark.bench, pytest.mark.benchmark(timer=time.process_time)]

EMPTY = 7.5  # ms, an assumption: where an empty interpreter takes longer, the limit in ms is not proven by this
COUNT = 10_000
FILES = [f"memory/projects/g{number % 50}/p{number}.md" for number in range(COUNT)]
INDEX = "# Memory\n\n## Projects\n\n" + "".join(
    f"- [P{number}]({path}): service {number} <!-- trigger: p{number} --> <!-- rev: 0a1b2c -->\n"
    for number, path in enumerate(FILES)
)
MIXED = (
    "# Title\n\nSome words\nover lines.\n\n- item\n  - nested `code`\n\n> quote\n\n```py\nx = 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two\n\n<!-- note -->\n\n    indented\n\n"
)


def test_scan_of_ten_thousand_mixed_lines(benchmark: BenchmarkFixture) -> None:
    text = MIXED * (COUNT // MIXED.count("\n"))
    assert len(benchmark(scan, text).lines) > COUNT * 0.9
    if benchmark.stats is not None:  # None where measuring is switched off
        assert benchmark.stats["median"] < 0.1


def test_parse_of_ten_thousand_entries(benchmark: BenchmarkFixture) -> None:
    files = frozenset(FILES)
    assert len(benchmark(parse, INDEX, files).entries) == COUNT
    if benchmark.stats is not None:  # None where measuring is switched off
        assert benchmark.stats["median"] < 0.2


def _workspace(root: Path) -> None:
    for number, path in enumerate(FILES):
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(f"# P{number}\n")
    (root / "MEMORY.md").write_text(INDEX)
    (root / "openclaw-memory.yaml").write_text("version: 1\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *words], cwd=root, check=True)


def _spent(command: list[str], root: Path) -> float:
    """Milliseconds of CPU time of a process and those it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=root, env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""}, capture_output=True)
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def test_sync_of_one_changed_file_among_ten_thousand(tmp_path: Path) -> None:
    _workspace(tmp_path)
    command = [sys.executable, "-m", "openclaw_memory", "index", "sync"]
    _spent(command, tmp_path)
    spent, empty = [], []
    for round_ in range(7):  # in turns with an empty interpreter, so that a busy machine counts for both
        (tmp_path / FILES[7]).write_text(f"# P7\nround {round_}\n")
        spent.append(_spent(command, tmp_path))
        empty.append(_spent([sys.executable, "-I", "-c", "pass"], tmp_path))
    scaled = min(spent) / min(empty) * EMPTY
    print(f"index sync, one of {COUNT} files changed: {min(spent):.0f} ms of CPU time, {scaled:.0f} ms on an idle core")
    assert scaled < 300
