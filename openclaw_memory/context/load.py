"""A context for a session: builds it, and keeps book of it (what the session has now, which files were drilled into).

The books never cost a session its context: what cannot be written is a note.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from openclaw_memory.context import sessions
from openclaw_memory.context.build import build
from openclaw_memory.context.model import Context
from openclaw_memory.errors import WorkspaceError, WriteError
from openclaw_memory.workspace import Workspace


def load(
    ws: Workspace,
    message: str | None = None,
    session: str | None = None,
    *,
    record: bool = True,
    now: datetime | None = None,
    fit: Callable[[Context], Context] | None = None,
) -> Context:
    """The context of `ws` for `message`; in a `session`, a message only adds to what the session has.

    A call without a message is the start of its session: it is given everything. Drill-downs go to the access
    journal unless `record` is false. `fit` cuts the context to what a host takes, before it is booked. Raises
    WorkspaceError where there is no index to read.
    """
    notes: list[str] = []
    known: dict[str, str] = {}
    if session is not None and message is not None:
        try:
            known = sessions.known(ws, session)
        except (WorkspaceError, WriteError) as error:
            notes.append(f"{error.message} ({error.hint})")
    context = build(ws, message, known)
    context = fit(context) if fit else context
    moment = now or datetime.now(UTC)  # whoever reads it knows the workspace's zone; finding it would cost 5 ms here
    drilled = [(file.path, None) for file in context.loaded if file.kind == "drill-down"]
    try:
        if session is not None and not notes:
            files = {file.path: file.digest for file in context.loaded}
            sessions.remember(ws, session, files, moment, afresh=message is None)
        if record and drilled:
            from openclaw_memory.workspace import journal

            journal.record(ws, drilled, "context", moment)
    except (WorkspaceError, WriteError) as error:
        notes.append(f"{error.message} ({error.hint})")
    return context._replace(notes=tuple(dict.fromkeys(notes)))
