"""What each session has been given already, in the state database, so that a later message only adds.

The database holds no memory: without it a session is given everything again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from openclaw_memory.errors import WorkspaceError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Workspace

if TYPE_CHECKING:
    import sqlite3

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions_loaded (
    session BLOB NOT NULL, path BLOB NOT NULL, digest TEXT NOT NULL, day TEXT NOT NULL,
    PRIMARY KEY (session, path)
) WITHOUT ROWID
"""
_PATIENCE = 1.0  # seconds; a session does not wait longer for another writer, and goes without this book
_KEPT = timedelta(days=30)  # a session that was given nothing for so long is over


def known(ws: Workspace, session: str) -> dict[str, str]:
    """{path: digest} of what `session` has been given. Raises WriteError or WorkspaceError from the database."""
    with _database(ws) as connection:
        rows = connection.execute("SELECT path, digest FROM sessions_loaded WHERE session = ?", (_raw(session),))
        return {path.decode("utf-8", "surrogateescape"): digest for path, digest in rows}


def remember(ws: Workspace, session: str, files: Mapping[str, str], now: datetime, *, afresh: bool) -> None:
    """Note that `session` was given `files` ({path: digest}); `afresh` forgets what it was given before.

    Sessions that are over are forgotten, too. Raises WriteError or WorkspaceError from the database.
    """
    from openclaw_memory.workspace import state

    key, day = _raw(session), now.date().isoformat()
    rows = [(key, _raw(path), digest, day) for path, digest in files.items()]
    with _database(ws) as connection, state.transaction(connection):
        connection.execute("DELETE FROM sessions_loaded WHERE day < ?", ((now - _KEPT).date().isoformat(),))
        if afresh:
            connection.execute("DELETE FROM sessions_loaded WHERE session = ?", (key,))
        connection.executemany("INSERT OR REPLACE INTO sessions_loaded VALUES (?, ?, ?, ?)", rows)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")  # an argument or a file name may be no UTF-8


@contextmanager
def _database(ws: Workspace) -> Iterator[sqlite3.Connection]:
    import sqlite3

    from openclaw_memory.workspace import state

    connection = state.connect(ws, _SCHEMA, _PATIENCE)
    try:
        yield connection
    except sqlite3.Error as error:
        raise WorkspaceError(f"state.db cannot be used: {error}", "delete it; no memory is in it") from error
    finally:
        connection.close()
