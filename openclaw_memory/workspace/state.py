"""`state.db`: what is no memory and can be lost (beat counter, sessions, folded accesses). SQLite in WAL mode.

Each owner brings its own tables, named `beats_*`, `access_*`, `sessions_*`; this module knows none of them.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from openclaw_memory.errors import WorkspaceError, WriteError
from openclaw_memory.patterns import pattern
from openclaw_memory.workspace.workspace import Workspace

FILE = "state.db"
_NAMES = pattern(r"CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX)\s+IF\s+NOT\s+EXISTS\s+(\w+)", re.IGNORECASE)


def connect(ws: Workspace, schema: str = "", timeout: float = 10.0) -> sqlite3.Connection:
    """The state database, in autocommit mode (use `transaction`), with the objects of `schema` in it.

    `schema` holds `CREATE ... IF NOT EXISTS` statements; they run in one IMMEDIATE transaction, and only where one of
    their objects is missing. `timeout` is how many seconds another writer is waited for. Raises WriteError where the
    database cannot be written, WorkspaceError where it is damaged.
    """
    path = ws.state_dir / FILE
    try:
        connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _create(connection, schema)
        except BaseException:
            connection.close()
            raise
    except sqlite3.OperationalError as error:
        raise WriteError(f"cannot use {path}: {error}", "check the disk, the mode and the owner") from error
    except sqlite3.DatabaseError as error:
        raise WorkspaceError(f"{path} is damaged: {error}", "delete it; no memory is in it") from error
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One IMMEDIATE transaction: committed at the end, rolled back on an exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _create(connection: sqlite3.Connection, schema: str) -> None:
    wanted = set(_NAMES.findall(schema))
    if wanted <= {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}:
        return
    with transaction(connection):
        for statement in filter(str.strip, schema.split(";")):
            connection.execute(statement)
