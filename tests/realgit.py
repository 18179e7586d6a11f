"""Real git, for the tests of what git calls us for."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(cwd: Path, *words: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
    """Run git in `cwd`; with `ok` it must end with 0."""
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, text=True)
    assert not ok or done.returncode == 0, done.stderr + done.stdout
    return done
