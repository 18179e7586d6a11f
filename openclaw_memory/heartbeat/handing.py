"""Hands a beat's prompts to an agent that is not the one calling: as a system event, or as the prompt of a run.

A prompt counts as done only when the host took it. Knows the hosts' command lines, nothing of tasks.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from openclaw_memory import fsio, markdown
from openclaw_memory.errors import OpenClawMemoryError

HOSTS = ("openclaw", "claude")
_LIMIT = 600  # seconds
_LONGEST = 100_000  # bytes of one word of a command line (Linux takes 128 KB)


def hand_to(host: str, text: str, spill: Path) -> None:
    """Give `text` to the host's agent. Raises OpenClawMemoryError where it does not take it.

    A text that is too long for a command line is written to the file `spill`, and the agent is told to read it.
    """
    if host == "claude":
        _call([_found("claude"), "-p"], text)
        return
    if len(os.fsencode(text)) > _LONGEST:
        fsio.write(spill, markdown.encode(text))
        text = f"Read {spill} and do what it says."
    _call([_found("openclaw"), "system", "event", "--mode", "now", "--text", text], None)


def _found(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise OpenClawMemoryError(
            f"the prompts cannot be handed over: there is no command {name} on the PATH",
            f"install {name}, or run `openclaw-memory heartbeat run` without --hand-to",
        )
    return path


def _call(words: list[str], text: str | None) -> None:
    try:
        done = subprocess.run(
            words, input=text, capture_output=True, timeout=_LIMIT, encoding="utf-8", errors="surrogateescape"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OpenClawMemoryError(f"{words[0]} did not take the prompts: {error}", "they stay due") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-500:]
        raise OpenClawMemoryError(f"{words[0]} did not take the prompts: {said}", "they stay due")
