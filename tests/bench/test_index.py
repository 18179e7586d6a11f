"""Reading Markdown and the index, and `index sync` in ten thousand files, as CPU time."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from openclaw_memory.index import parse
from openclaw_memory.markdown import scan
from tests.bench.cpu import cost, judge

# CPU seconds: the limits hold on a machine that is busy with something else, too
pytestmark = [pytest.mark.bench, pytest.mark.benchmark(timer=time.process_time)]

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


def test_sync_of_one_changed_file_among_ten_thousand(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    root = tmp_path / "ws"
    _workspace(root)

    def change(number: int) -> None:
        (root / FILES[7]).write_text(f"# P7\nround {number}\n")

    found = cost(["index", "sync"], root, tmp_path / "cache", rounds=7, before=change)
    judge(pytestconfig, f"index sync, one of {COUNT} files changed", found, 300)
