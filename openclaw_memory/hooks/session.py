"""What the hooks of an agent's session print: the context, in the form that the host's JSON on stdin asks for.

They fail open: a broken workspace is one line of context, no workspace is no output, and nothing here raises an
OpenClawMemoryError. On the path of every prompt: imports the context library only when there is a workspace.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from openclaw_memory.errors import OpenClawMemoryError, WorkspaceError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.context import Context
    from openclaw_memory.workspace import Workspace

MOST_PARTS = 4  # of a session start: what `hooks install claude` sets up
PATIENCE = 3.0  # seconds that a host may be silent before its JSON counts as ended
Payload = dict[str, object]
Give = Callable[["Workspace", Sequence[str], "Payload | None"], "Context"]


def session_start(words: Sequence[str]) -> str:
    """A session starts, resumes, or goes on after its context was cleared or compacted: it is given everything.

    A host that caps what one hook may say calls it once for each `--part N`.
    """
    return _answer("SessionStart", words, _read(), _start)


def user_prompt(words: Sequence[str]) -> str:
    """The user says something: what the message calls for and the session does not have yet."""
    return _answer("UserPromptSubmit", words, _read(), _prompt)


def _start(ws: Workspace, words: Sequence[str], payload: Payload | None) -> Context:
    number = _part(words)
    if number == 1:
        return _first(ws, None, payload, MOST_PARTS)
    from openclaw_memory import context
    from openclaw_memory.hooks import parts

    made = parts.split(context.build(ws), MOST_PARTS)
    return made[number - 1] if number <= len(made) else made[0]._replace(loaded=(), left_out=())


def _prompt(ws: Workspace, words: Sequence[str], payload: Payload | None) -> Context:
    return _first(ws, _text(payload, "prompt"), payload, 1)


def _first(ws: Workspace, message: str | None, payload: Payload | None, most: int) -> Context:
    """The first of the at most `most` parts that the host takes; what all of them show is booked."""
    from openclaw_memory import context
    from openclaw_memory.hooks import parts

    made: list[Context] = []

    def fit(found: Context) -> Context:
        made.extend(parts.split(found, most) if payload is not None else [found])
        return parts.join(made)

    found = context.load(ws, message, _text(payload, "session_id") or None, fit=fit)
    return made[0]._replace(notes=found.notes)


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


def _answer(event: str, words: Sequence[str], payload: Payload | None, give: Give) -> str:
    """The host's JSON where it sent JSON, else plain text; "" where there is no workspace or nothing to add."""
    from openclaw_memory import context

    try:
        ws = _workspace(words, payload)
        found = give(ws, words, payload) if ws is not None else None
        added = context.render(found) if found else ""
    except OpenClawMemoryError as error:
        found, added = None, context.marker(error) + "\n" if _part(words) == 1 else ""
    for note in found.notes if found else ():
        print(f"openclaw-memory: {note}", file=sys.stderr)
    return json.dumps(context.claude(event, added)) + "\n" if added and payload is not None else added


def _workspace(words: Sequence[str], payload: Payload | None) -> Workspace | None:
    """The workspace of the call: `--workspace DIR`, else of the host's project folder, else of its current folder.

    None where there is none: a hook in a user's settings runs in every project. Raises ConfigError.
    """
    from openclaw_memory.workspace import find_workspace

    if named := _option(words, "--workspace"):
        return find_workspace(Path(named))
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
        payload = json.loads(_input(sys.stdin.fileno()))
    except (ValueError, OSError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _input(descriptor: int) -> bytes:
    """What the host writes, until it closes its end or is silent for `PATIENCE` seconds: a turn waits for this."""
    parts = []
    while _speaks(descriptor) and (part := os.read(descriptor, 1 << 16)):
        parts.append(part)
    return b"".join(parts)


def _speaks(descriptor: int) -> bool:
    import select

    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    except OSError:  # Windows can only wait for sockets
        return True


def _option(words: Sequence[str], name: str) -> str:
    """The word behind `name`, "" without one; other words are no errors here."""
    return words[words.index(name) + 1] if name in words[:-1] else ""


def _part(words: Sequence[str]) -> int:
    given = _option(words, "--part")
    return max(1, int(given)) if given.isdecimal() else 1


def _text(payload: Payload | None, key: str) -> str:
    value = payload.get(key) if payload else None
    return value if isinstance(value, str) else ""
