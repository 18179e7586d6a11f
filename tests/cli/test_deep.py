"""A file nested deeper than Python reads is a broken file like another: told by name, never a bug of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEEP = "[" * 100_000
COMMANDS = (
    ("check",),
    ("check", "--staged"),
    ("context", "--message", "ana"),
    ("decay", "--dry-run"),
    ("extract", "--review"),
    ("fact", "list"),
    ("active", "rotate", "--dry-run"),
    ("heartbeat", "run", "--now", "2026-03-02T09:00"),
    ("index", "sync", "--dry-run"),
    ("search", "ana"),
    ("upgrade", "--dry-run"),
    ("log",),
    ("doctor",),
)  # fmt: skip
FILES = (
    "memory/decay.json",
    "memory/quarantine.json",
    "memory/people/ana/items.json",
    "memory/people/ana/items.yaml",
    "memory/heartbeat-state.json",
    ".openclaw-memory-baseline.json",
    "openclaw-memory.yaml",
)


@pytest.mark.parametrize("path", FILES)
def test_a_file_nested_without_end(tmp_path: Path, path: str) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "openclaw_memory", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    (tmp_path / "memory/people/ana").mkdir(parents=True)
    (tmp_path / "memory/people/ana/summary.md").write_text("# Ana\n")
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- [Ana](memory/people/ana/summary.md) <!-- trigger: ana -->\n")
    (tmp_path / path).write_text(f"a: {DEEP}" if path.endswith("openclaw-memory.yaml") else DEEP)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    for words in COMMANDS:
        done = run(*words)
        assert done.returncode in (0, 1, 2), (words, done.stderr)
        assert "a bug" not in done.stderr, (words, done.stderr)
    assert (tmp_path / path).read_text().endswith(DEEP)
