"""What `hooks status` says: installed, missing, bypassed, broken."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory import hooks
from openclaw_memory.hooks import attributes

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    (tmp_path / "r/MEMORY.md").write_text("# Memory\n")
    return tmp_path / "r"


def states(repo: Path) -> dict[str, tuple[str, str]]:
    return {state.name: (state.state, state.detail) for state in hooks.git_status(repo)}


def test_before_and_after(repo: Path) -> None:
    assert {state for state, _ in states(repo).values()} == {"missing"}
    hooks.install_git(repo)
    assert states(repo)["pre-commit"][0] == states(repo)["pre-merge-commit"][0] == "installed"
    assert states(repo)["merge-driver"][0] == "bypassed"
    (repo / ".gitattributes").write_text("MEMORY.md merge=openclaw-memory\n")  # as set up before facts were merged
    assert "memory/**/items.json* and 5 more" in states(repo)["merge-driver"][1]
    (repo / ".gitattributes").write_text(attributes.added("", attributes.patterns()))
    assert states(repo)["merge-driver"][0] == "installed"


def test_another_script_in_our_place(repo: Path) -> None:
    (repo / ".git/hooks").mkdir(exist_ok=True)
    path = repo / ".git/hooks/pre-commit"
    path.write_text("#!/bin/sh\n")
    hooks.install_git(repo)
    assert "after pre-commit.before-openclaw-memory" in states(repo)["pre-commit"][1]
    path.write_text("#!/bin/sh\n")
    assert states(repo)["pre-commit"] == ("bypassed", f"{path} was replaced after the install")


def test_a_hooks_path_that_came_later(repo: Path, tmp_path: Path) -> None:
    hooks.install_git(repo)
    subprocess.run(["git", "-C", str(repo), "config", "core.hooksPath", ".husky"], check=True)
    assert states(repo)["pre-commit"][0] == "bypassed"
    hooks.install_git(repo)
    assert states(repo)["pre-commit"][0] == "installed"
    subprocess.run(["git", "-C", str(repo), "config", "core.hooksPath", str(tmp_path)], check=True)
    assert states(repo)["pre-commit"][0] == "bypassed"
    assert "not of this repository" in states(repo)["pre-commit"][1]


def test_not_executable_and_python_gone(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.install_git(repo)
    (repo / ".git/hooks/pre-commit").chmod(0o644)
    assert states(repo)["pre-commit"][0] == "broken"
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    hooks.install_git(repo)
    assert states(repo)["pre-commit"][0] == states(repo)["merge-driver"][0] == "broken"
    assert "/nowhere/python" in states(repo)["pre-commit"][1]


def test_no_repository(tmp_path: Path) -> None:
    (only,) = hooks.git_status(tmp_path)
    assert (only.name, only.state) == ("repository", "missing")
    assert only.fix


def test_the_command_line(repo: Path, cli: Run) -> None:
    env = {"PATH": "/usr/bin:/bin", "OPENCLAW_STATE_DIR": str(repo / "no state")}
    done = cli("hooks", "status", "--json", cwd=repo, **env)
    assert done.returncode == 1
    shown = json.loads(done.stdout)
    assert shown["version"] == 1
    assert {hook["host"] for hook in shown["hooks"]} == {"git", "claude", "openclaw"}
    done = cli("hooks", "install", "git", "--dry-run", cwd=repo, **env)
    assert "would write" in done.stdout and "would edit .gitattributes" in done.stdout
    assert not (repo / ".gitattributes").exists()
    assert cli("hooks", "install", "git", cwd=repo, **env).returncode == 0
    assert (repo / ".gitattributes").read_text() == attributes.added("", attributes.patterns())
    assert cli("hooks", "install", "git", cwd=repo, **env).stdout == "nothing to change\n"
    assert cli("hooks", "status", "git", cwd=repo, **env).returncode == 0
    assert cli("hooks", "status", cwd=repo, **env).returncode == 0
    assert cli("hooks", "status", "claude", cwd=repo, **env).returncode == 1
    assert cli("hooks", "uninstall", "git", cwd=repo, **env).returncode == 0
    assert not (repo / ".gitattributes").exists()
    for words in (("install",), ("install", "svn"), ("install", "git", "--user"), ("frobnicate",)):
        done = cli("hooks", *words, cwd=repo, **env)
        assert done.returncode == 2
        assert done.stderr


def test_project_settings_need_a_workspace(tmp_path: Path, cli: Run) -> None:
    done = cli("hooks", "install", "claude", cwd=tmp_path)
    assert done.returncode == 2
    assert "no workspace here" in done.stderr
    assert not (tmp_path / ".claude").exists()


@pytest.mark.parametrize("text", ["", "a\n", "a", "* text=auto\r\n*.bin binary\r\n", "a\r\nb", "\n\n"])
@pytest.mark.parametrize("index", ["MEMORY.md", "my memory.md", 'q"q.md'])
def test_the_line_of_gitattributes(repo: Path, text: str, index: str) -> None:
    wanted = attributes.patterns(index, ("memory", "my life"))
    once = attributes.added(text, wanted)
    assert attributes.added(once, wanted) == once
    assert attributes.removed(once, wanted) == text
    assert attributes.added(attributes.added(text, wanted[:1]), wanted) == once
    (repo / ".gitattributes").write_bytes(once.encode())
    paths = [
        index,
        "memory/items.json",
        "my life/a/b/c/facts.yml",
        "memory/people/jane/items.jsonl",
        "memory/decay.json",
    ]
    words = ["git", "-C", str(repo), "check-attr", "merge", "--", *paths, *map(attributes.sample, wanted)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert all(row.endswith("merge: openclaw-memory") for row in told)
    words = ["git", "-C", str(repo), "check-attr", "merge", "--", "src/items.json", "memory/items.md", "memory/x.json"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert all(row.endswith("merge: unspecified") for row in told)
