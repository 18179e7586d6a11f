"""The two ways in, from the first command to a commit that holds, as a user lives them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.scaffold import wild


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH where `openclaw-memory` is a command, so that what is printed can be pasted."""
    command = tmp_path / "bin" / "openclaw-memory"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m openclaw_memory "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    return command


def sh(root: Path, command: str, code: int = 0) -> str:
    done = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, text=True)
    assert done.returncode == code, (command, done.stdout, done.stderr)
    return done.stdout + done.stderr


def fixes(text: str) -> list[str]:
    """The commands of the `fix:` lines, each once."""
    return list(dict.fromkeys(re.findall(r"^ *fix: (.*)$", text, flags=re.MULTILINE)))


@pytest.mark.parametrize("layout", ["hierarchical", "para", "knowledge"])
def test_from_an_empty_folder(tmp_path: Path, shell: Path, layout: str) -> None:
    root = tmp_path / "agent"
    sh(tmp_path, f"openclaw-memory init agent --layout {layout}")
    assert sh(root, "openclaw-memory check") == "no findings\n"
    people = next(path for path in root.rglob("people") if path.is_dir())
    (people / "ana.md").write_text("# Ana\n\n- runs the bakery\n")
    sh(root, "git add -A")
    refused = sh(root, "git commit -m Ana", 1)
    assert "OM101" in refused
    for fix in fixes(refused):
        sh(root, fix)
    sh(root, "git commit -qm Ana")

    (people / "ana.md").write_text("# Ana\n\n- sold the bakery\n")
    refused = sh(root, "git commit -qam sold", 1)
    assert "OM102" in refused or "OM101" in refused
    for fix in fixes(refused):
        sh(root, fix)
    sh(root, "git commit -qam sold")
    assert sh(root, "openclaw-memory check") == "no findings\n"
    assert sh(root, "git status --porcelain") == ""
    assert "sold the bakery" in sh(root, "openclaw-memory context --message 'what does Ana do?'")


def test_from_a_workspace_that_has_grown_wild(tmp_path: Path, shell: Path, cli: Run) -> None:
    root = tmp_path / "wild"
    before = wild.grow(root, wild.PORTUGUESE)
    sh(root, "git init -q && git add -A && git commit -qm 'as it was'")
    sh(root, "openclaw-memory init --adopt")
    assert sh(root, "git show --stat --format= HEAD").count("|") == 2

    (root / "memory/pessoas/ana.md").write_bytes(b"# Ana\r\n\r\n- mudou para o Porto\r\n")
    refused = sh(root, "git commit -qam Ana", 1)
    for fix in fixes(refused):
        sh(root, fix)
    sh(root, "git add -A && git commit -qm Ana")
    sh(root, "openclaw-memory index sync --commit")
    index = (root / "MEMORY.md").read_bytes()
    assert index.startswith("\ufeff# 🧠 Memória\r\n".encode())
    assert index.count(b"\n") == index.count(b"\r\n")
    old, new = before["MEMORY.md"].decode().splitlines(), index.decode().splitlines()
    assert [line for line in old if line not in new and "memory/" not in line] == []
    added = [line for line in new if line not in old]
    assert all("memory/" in line or line == "## Recursos" for line in added), added
    assert any("órfão" in line for line in added)
    assert sh(root, "openclaw-memory check").startswith("no findings")
    assert sh(root, "git status --porcelain") == ""


def test_a_fresh_machine_whose_git_knows_nobody(cli, tmp_path: Path):
    """The first command of the README ends with a commit there, too, and says what to set."""
    home = tmp_path / "fresh"
    home.mkdir()
    nobody = {
        "HOME": str(home),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.useConfigOnly",
        "GIT_CONFIG_VALUE_0": "true",
    }
    done = cli("init", str(tmp_path / "agent"), **nobody)
    assert done.returncode == 0
    assert "git config --global user.name" in done.stdout + done.stderr
    log = subprocess.run(
        ["git", "log", "--format=%an %s"], cwd=tmp_path / "agent", capture_output=True, text=True, check=True
    )
    assert log.stdout == "openclaw-memory Set up the memory workspace\n"
    assert cli("index", "sync", cwd=tmp_path / "agent", **nobody).returncode == 0
