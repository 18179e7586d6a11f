"""Real repositories in temporary folders, free of the machine's own git configuration."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory.git import clean_env

Git = Callable[..., str]


@pytest.fixture(autouse=True)
def no_git_config(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own, and none of the variables of a hook that may run the suite."""
    home = tmp_path_factory.mktemp("home")
    for name in set(os.environ) - set(clean_env(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_EDITOR", "true")
    (home / ".gitconfig").write_text(
        "[user]\n name = Test\n email = test@example.org\n[init]\n defaultBranch = main\n"
        '[protocol "file"]\n allow = always\n[advice]\n detachedHead = false\n'
    )


def run_git(folder: Path, *args: str, data: str | None = None) -> str:
    """Output of a real git call in `folder`, which must succeed."""
    done = subprocess.run(["git", *args], cwd=folder, input=data, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """An empty repository."""
    root = tmp_path / "repo"
    root.mkdir()
    run_git(root, "init", "-q")
    return root
