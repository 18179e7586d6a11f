"""Runs one built-in or command in a process of its own, so that one which hangs can be ended at its budget."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from openclaw_memory import launcher
from openclaw_memory.record import Record

GRACE = 2.0
"""Seconds that a process is given to end by itself before it is killed."""
_KEPT = 1_000_000
_ALARM = "import os, signal, sys; signal.alarm(int(sys.argv[1])); os.execvp(sys.argv[2], sys.argv[2:])"


class Result(Record):
    """How it went. `status` is ok, findings (it ran and has something to say), failed, ended or unavailable.

    `output` is what the agent should hear: of a verb its findings or the prompt it made, of a command what it printed.
    `notice` is for a person.
    """

    status: str
    output: str = ""
    message: str = ""
    seconds: float = 0.0
    changed: tuple[str, ...] = ()
    code: int = 0
    notice: str = ""


def verb(words: Sequence[str], root: Path, budget: float, now: str) -> Result:
    """Run a verb of this program on the workspace `root`; `{now}` in its words is the time to take for now."""
    module = words[0].replace("-", "_")
    if importlib.util.find_spec(f"openclaw_memory.cli.{module}") is None:
        return Result("unavailable", message=f"this installation has no command `{words[0]}`")
    filled = [word.replace("{now}", now) for word in words]
    done = _run(launcher.argv(*filled, "--workspace", str(root)), root, budget)
    return _read_verb(done._replace(status="findings") if done.code == 1 else done)


def shell(command: str, root: Path, budget: float) -> Result:
    """Run a trusted shell command in the workspace; what it prints is its output."""
    return _run(["sh", "-c", command], root, budget)


def _run(argv: Sequence[str], root: Path, budget: float) -> Result:
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                guarded(argv, budget),
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            return Result("failed", message=f"cannot start {argv[0]}: {error.strerror}")
        try:
            code = process.wait(budget)
        except subprocess.TimeoutExpired:
            _end(process)
            message = f"it took longer than its budget of {budget:g} s"
            return Result("ended", _text(out), message, time.monotonic() - began)
        except BaseException:
            _end(process)
            raise
        seconds = time.monotonic() - began
        status = "failed" if code else "ok"
        said = _text(err).strip()
        return Result(status, _text(out), said or (f"exit code {code}" if code else ""), seconds, code=code)


def guarded(argv: Sequence[str], budget: float) -> list[str]:
    """The words under an alarm that ends them a little after their budget, should we be killed and not see to it."""
    limit = str(int(budget + 2 * GRACE) + 1)
    return [sys.executable, "-I", "-S", "-c", _ALARM, limit, *argv]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with all it started."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except (ProcessLookupError, PermissionError):
            break
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read(_KEPT).decode("utf-8", "replace")


def _read_verb(result: Result) -> Result:
    """The result of a verb, with the files it says it changed."""
    message = result.message.removeprefix("openclaw-memory: ")
    status = "unavailable" if result.status == "failed" and "optional extra" in message else result.status
    try:
        said = json.loads(result.output) if result.output.strip() else {}
    except ValueError:
        said = {}
    prompt = str(said.get("prompt", "")) if isinstance(said, dict) else ""
    output = result.output if status == "findings" else prompt if status == "ok" else ""
    return result._replace(status=status, message=message, output=output, changed=tuple(dict.fromkeys(_changed(said))))


def _changed(said: object) -> Iterator[str]:
    """The paths in every list `changes` of what a verb printed."""
    if isinstance(said, list):
        for part in said:
            yield from _changed(part)
    elif isinstance(said, dict):
        for key, value in said.items():
            if key == "changes" and isinstance(value, list):
                yield from (str(change["path"]) for change in value if isinstance(change, dict) and "path" in change)
            else:
                yield from _changed(value)
