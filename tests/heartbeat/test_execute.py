"""Processes of their own for built-ins: their result, their end, and what outlives us."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from openclaw_memory.heartbeat import execute


def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    began = time.monotonic()
    result = execute.shell(f"sleep 30 & echo $! > {tmp_path}/pid; wait", tmp_path, 1)
    assert result.status == "ended" and time.monotonic() - began < 10
    child = (tmp_path / "pid").read_text().strip()
    gone = subprocess.run(
        ["ps", "-o", "stat=", "-p", child], capture_output=True, text=True, check=False
    ).stdout.strip()
    assert gone[:1] in ("", "Z")


def test_a_process_whose_runner_was_killed_ends_by_itself(tmp_path: Path) -> None:
    process = subprocess.Popen(execute.guarded(["sleep", "60"], -3.5))
    assert process.wait(20) == -signal.SIGALRM


def test_no_module_of_the_workspace_is_imported(tmp_path: Path) -> None:
    """A beat runs in folders that came from elsewhere."""
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    for name in ("argparse", "json", "yaml", "openclaw_memory"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    result = execute.verb(["check", "--json"], tmp_path, 60, "")
    assert result.status in ("ok", "findings"), result.message
    assert not (tmp_path / "ran").exists()


def test_a_verb_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    result = execute.verb(["levitate"], tmp_path, 5, "")
    assert result.status == "unavailable" and "`levitate`" in result.message


def test_a_verb_that_fails_says_why(tmp_path: Path) -> None:
    result = execute.verb(["heartbeat", "run"], tmp_path, 30, "")
    assert result.status == "failed" and "no workspace" in result.message


def test_a_command_that_cannot_start_is_a_failure(tmp_path: Path) -> None:
    result = execute.shell("exit 7", tmp_path, 5)
    assert (result.status, result.message) == ("failed", "exit code 7")
