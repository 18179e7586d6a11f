"""A transaction whose process is killed at a system call: the next run has all of it or nothing, and no litter."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory import fsio
from openclaw_memory.workspace import Change, Workspace, operations, transact
from tests.conftest import ROOT

CALLS = "fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,write,ftruncate,flock"
SCRIPT = """
import sys
from pathlib import Path
from openclaw_memory import fsio
from openclaw_memory.workspace import Change, Workspace, transact
ws = Workspace(Path(sys.argv[1]))
old = (ws.root / "MEMORY.md").read_bytes()
transact(ws, "test", lambda: [
    Change("MEMORY.md", old, old.replace(b"old", b"new")),
    Change("memory/people/new.md", None, b"new"),
    Change("memory/people/gone.md", b"gone", None),
    Change("memory/note.md", b"one", b"one two"),
])
"""
OLD = {"MEMORY.md": b"old index", "memory/people/gone.md": b"gone", "memory/note.md": b"one"}
NEW = {"MEMORY.md": b"new index", "memory/people/new.md": b"new", "memory/note.md": b"one two"}


def files(root: Path) -> dict[str, bytes]:
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".openclaw-memory/")}


def can_inject() -> bool:
    if not shutil.which("strace"):
        return False
    probe = ["strace", "-o", os.devnull, "-e", "inject=getcwd:signal=KILL", "/bin/pwd", "-P"]
    return subprocess.run(probe, capture_output=True).returncode == -signal.SIGKILL


def killed_at(root: Path, when: int) -> bool:
    """Run the transaction; its `when`-th call of `CALLS` kills it. False where it had fewer."""
    inject = ["strace", "-o", os.devnull, "-e", f"trace={CALLS}", "-e", f"inject={CALLS}:signal=KILL:when={when}"]
    command = [*inject, sys.executable, "-c", SCRIPT, str(root)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"})
    return done.returncode == -signal.SIGKILL


def start(root: Path) -> None:
    for path, data in OLD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def judge(root: Path) -> None:
    """What stands after a kill and one more run."""
    ws = Workspace(root)
    transact(ws, "next", lambda: [Change("next.md", None, b"x")])
    assert {name: data for name, data in files(root).items() if name != "next.md"} in (OLD, NEW)
    assert not (ws.state_path / operations.PENDING).exists()
    assert {operation.status for operation in operations.history(ws)} <= {"done", "rolled back"}
    assert [path for path in root.rglob("*") if path.name.endswith(fsio.TEMP_SUFFIX)] == []


@pytest.mark.parametrize("first", range(1, 8))
def test_killed_at_every_seventh_system_call(tmp_path: Path, first: int) -> None:
    """Seven tests that together kill at each call, so that a failure names its neighbourhood."""
    if not can_inject():
        pytest.skip("strace is not here, or may not inject signals")
    when, survived = first, False
    while not survived:
        root = tmp_path / str(when)
        start(root)
        survived = not killed_at(root, when)
        judge(root)
        when += 7
    assert when > 20
