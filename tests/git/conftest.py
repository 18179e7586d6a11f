"""Real repositories in temporary folders; the machine's own git configuration is kept out for the whole suite."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


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
