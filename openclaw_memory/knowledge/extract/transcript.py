"""Conversations as notes of low trust: JSON Lines of OpenClaw and Claude Code, or text with `Name: ...` lines.

Only what a person or the assistant said is kept; tool calls, results and system text are not. Reads one file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import fsio, markdown
from openclaw_memory.errors import FormatError
from openclaw_memory.knowledge.extract.lines import MAX_BYTES, Unread

_ROLES = ("user", "assistant")


def load(path: Path) -> Unread:
    """What was said in the conversation at `path`, one statement a line: line numbers are those of the file.

    Raises WorkspaceError for a file that cannot be read, FormatError for one in which nobody says anything.
    """
    text = markdown.decode(fsio.read(path, limit=MAX_BYTES))
    rows = _spoken(text) if text.lstrip("\ufeff \t\r\n").startswith("{") else text.splitlines()
    said = "\n".join(rows)
    if not said.strip():
        raise FormatError(f"{path}: nobody says anything here", "give a session's JSON Lines file, or plain text")
    return Unread(path.name, said + "\n", 1, {}, low_trust=True)


def _spoken(text: str) -> Iterator[str]:
    """For each line of the file what was said in it, on one line; an empty line for anything else."""
    for row in text.splitlines():
        try:
            event = json.loads(row)
        except ValueError:
            yield ""
            continue
        message = event.get("message", event) if isinstance(event, dict) else {}
        role = message.get("role") if isinstance(message, dict) else ""
        said = " ".join(_texts(message.get("content"))) if role in _ROLES else ""
        yield f"- {' '.join(said.split())}" if said.strip() else ""


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in ("text", "input_text", "output_text"):
            yield str(part.get("text", ""))
