"""How long a commit waits: the whole `hook pre-commit` process with the git processes it starts.

CPU time of a fresh interpreter with warm caches, as a ratio to `python -I -c pass` taken in turns with it, so that
a busy machine counts for both; `git diff --cached` is told beside it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.cpu import cost, environment, judge, spent
from tests.bench.peak import megabytes

pytestmark = pytest.mark.bench

CASES = {
    "1,000 files": (50, 950, "", 60),
    "10,000 files with 50 details": (50, 9950, "", 80),
    "10,000 details below a folder's entry": (10_000, 0, "memory/projects/", 150),
    "10,000 details with an entry each": (10_000, 0, "each", 150),
}
LARGE = "version: 1\nprofile: none\nindex:\n  max_tokens: 1000000\n  target_tokens: 1000000\n"


def make(root: Path, details: int, others: int, entries: str) -> Path:
    """A repository with one detail file and its entry changed and staged."""
    (root / "memory/projects").mkdir(parents=True)
    (root / "src").mkdir()
    paths = [f"memory/projects/p{at:05}.md" for at in range(details)]
    for at, path in enumerate(paths):
        (root / path).write_text(f"# Project {at}\n\nwhat is known of it\n")
    for at in range(others):
        (root / f"src/f{at:05}.txt").write_text(f"{at}\n")
    lines = [f"- [Project {at}]({path}): about it <!-- trigger: project{at} -->" for at, path in enumerate(paths)]
    listed = [f"- [Projects]({entries}): all of them <!-- trigger: projects -->"] if entries.endswith("/") else lines
    (root / "MEMORY.md").write_text("\n".join(["# Memory", "", "## Projects", "", *listed]) + "\n")
    (root / "openclaw-memory.yaml").write_text(LARGE if entries == "each" else "version: 1\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    with (root / paths[1]).open("a") as file:
        file.write("more\n")
    text = (root / "MEMORY.md").read_text()
    (root / "MEMORY.md").write_text(
        text.replace("(memory/projects/p00001.md): about", "(memory/projects/p00001.md): all about")
    )
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    return root


@pytest.mark.parametrize("name", CASES)
def test_pre_commit(benchmark: Any, tmp_path: Path, pytestconfig: pytest.Config, name: str) -> None:
    details, others, entries, limit = CASES[name]
    root = make(tmp_path / "ws", details, others, entries)
    found = cost(["hook", "pre-commit"], root, tmp_path / "cache")
    diff = min(spent(["git", "diff", "--cached"], root) for _ in range(15))
    hook = [sys.executable, "-P", "-m", "openclaw_memory", "hook", "pre-commit"]
    env = environment(tmp_path / "cache")
    benchmark.pedantic(lambda: subprocess.run(hook, cwd=root, env=env, check=True), rounds=5)
    benchmark.extra_info.update(
        cpu_ms=round(found.ours, 1),
        to_python=round(found.ours / found.empty, 2),
        to_git_diff=round(found.ours / diff, 1),
    )
    judge(pytestconfig, f"hook pre-commit, {name}", found, limit)


@pytest.mark.parametrize("words", [("hook", "pre-commit"), ("check",)])
def test_peak_memory(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Under 60 MB with ten thousand entries."""
    root = make(tmp_path / "ws", 10_000, 0, "each")
    assert megabytes(root, *words) < 60
