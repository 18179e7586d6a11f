"""The shared shell cases: each makes a real commit, and the hook's verdict must be the one on what landed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED", ROOT.parent / "shared")) / "cases/git"
CASES = sorted(SHARED.glob("[0-9]*.sh")) or [SHARED / "absent"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_verdict(case: Path, tmp_path: Path) -> None:
    if not case.exists():
        pytest.skip("the shared cases are not here; tests/check/test_commit.py holds the same ground")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "openclaw-memory").write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -m openclaw_memory \"$@\"\n")
    (tools / "openclaw-memory").chmod(0o755)
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "TMPDIR": str(tmp_path), "GC_CHECK": "openclaw-memory hook pre-commit"}
    done = subprocess.run(["sh", case.name], cwd=case.parent, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
