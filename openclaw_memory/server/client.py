"""Asking the warm server: a line each way. What cannot be asked is None, and the caller answers by itself."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from openclaw_memory.errors import UsageError, WriteError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.server.address import socket_path
from openclaw_memory.server.release import release
from openclaw_memory.server.wire import from_wire

if TYPE_CHECKING:
    from openclaw_memory.retrieval.hits import Answer
    from openclaw_memory.retrieval.options import Options

_CONNECT = 0.5
OFF = "OPENCLAW_MEMORY_NO_SERVER"
"""Set to anything, no server is asked or started."""


def ask(root: Path, verb: str, text: str, options: Options, timeout: float) -> Answer | None:
    """The warm server's answer, or None where there is none (yet), or it is of another release.

    Raises UsageError with the server's words where the query itself is wrong.
    """
    if OFF in os.environ:
        return None
    request = {"version": release(), "root": str(root), "verb": verb, "text": text, "options": options._asdict()}
    try:
        reply = _exchange(socket_path(root), json.dumps(request).encode("ascii") + b"\n", timeout)
    except (OSError, ValueError, WriteError):
        return None
    if "error" in reply:
        raise UsageError(reply["error"], reply["hint"])
    return from_wire(reply["answer"]) if "answer" in reply else None


def _exchange(path: Path, line: bytes, timeout: float) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_CONNECT)
        connection.connect(str(path))
        connection.settimeout(timeout)
        connection.sendall(line)
        with connection.makefile("rb") as answer:
            reply: dict[str, Any] = json.loads(answer.readline())
    return reply


def start(root: Path) -> bool:
    """Start a warm server for the next query, detached; False where that is switched off or cannot be."""
    if OFF in os.environ:
        return False
    command = [sys.executable, "-m", "openclaw_memory", "serve", "--workspace", str(root)]
    try:
        null = subprocess.DEVNULL
        subprocess.Popen(command, cwd="/", stdin=null, stdout=null, stderr=null, start_new_session=True, close_fds=True)
    except OSError:
        return False
    return True
