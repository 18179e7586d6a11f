"""What the hooks of an agent's session print: the context, in the form that the host's JSON on stdin asks for.

They fail open: a broken workspace is one line of context, no workspace is no output, and nothing here raises an
OpenClawMemoryError. On the path of every prompt: imports the context library only when there is a workspace.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_memory.errors import OpenClawMemoryError, WorkspaceError

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

Payload = dict[str, object]


def session_start(words: Sequence[str]) -> str:
    """A session starts, resumes, or goes on after its context was cleared or compacted: it is given everything."""
    return _answer("SessionStart", words, _read(), prompt=False)


def user_prompt(words: Sequence[str]) -> str:
    """The user says something: what the message calls for and the session does not have yet."""
    return _answer("UserPromptSubmit", words, _read(), prompt=True)


def pre_compact(words: Sequence[str]) -> str:
    """The host is about to forget what the session was given, so we do, too; prints nothing."""
    payload = _read()
    session = _text(payload, "session_id")
    try:
        ws = _workspace(words, payload)
        if session and ws is not None:
            from openclaw_memory.context import sessions

            sessions.remember(ws, session, {}, ws.now(), afresh=True)
    except OpenClawMemoryError as error:
        print(f"openclaw-memory: {error}", file=sys.stderr)
    return ""


def _answer(event: str, words: Sequence[str], payload: Payload | None, *, prompt: bool) -> str:
    """The host's JSON where it sent JSON, else plain text; "" where there is no workspace or nothing to add."""
    added = _context(words, payload, prompt=prompt)
    if payload is None or not added:
        return added
    from openclaw_memory import context

    return json.dumps(context.claude(event, added)) + "\n"


def _context(words: Sequence[str], payload: Payload | None, *, prompt: bool) -> str:
    from openclaw_memory import context

    message = (_text(payload, "prompt") or "") if prompt else None
    try:
        ws = _workspace(words, payload)
        if ws is None:
            return ""
        found = context.load(ws, message, _text(payload, "session_id") or None)
    except OpenClawMemoryError as error:
        return context.marker(error) + "\n"
    for note in found.notes:
        print(f"openclaw-memory: {note}", file=sys.stderr)
    return context.render(found)


def _workspace(words: Sequence[str], payload: Payload | None) -> Workspace | None:
    """The workspace of the call: `--workspace DIR`, else of the host's project folder, else of its current folder.

    None where there is none: a hook in a user's settings runs in every project. Raises ConfigError.
    """
    from openclaw_memory.workspace import find_workspace

    if "--workspace" in words[:-1]:
        return find_workspace(Path(words[words.index("--workspace") + 1]))
    for folder in (os.environ.get("CLAUDE_PROJECT_DIR"), _text(payload, "cwd"), os.curdir):
        if folder:
            try:
                return find_workspace(cwd=Path(folder).absolute())
            except WorkspaceError:
                continue
    return None


def _read() -> Payload | None:
    """The object on standard input; None where there is none (a person's terminal, another host)."""
    if sys.stdin is None or sys.stdin.isatty():
        return None
    try:
        payload = json.loads(sys.stdin.buffer.read())
    except (ValueError, OSError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _text(payload: Payload | None, key: str) -> str:
    value = payload.get(key) if payload else None
    return value if isinstance(value, str) else ""
