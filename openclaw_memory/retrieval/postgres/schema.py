"""The tables beside PGVectorStore's, and their version: what brings a database of an older one up to this.

Runs in one transaction under an advisory lock, so that of two programs that start at once one waits for the other. An
upgrade keeps all rows; where words or vectors are made in another way, it marks the files as changed, and each agent
indexes its own anew when it next looks at them.
"""

from __future__ import annotations

from openclaw_memory.errors import RetrievalError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

VERSION = 2
_LOCK = 0x6F636D69
_META = "CREATE TABLE IF NOT EXISTS openclaw_memory_meta (key text PRIMARY KEY, value text NOT NULL)"
_FILES = """
CREATE TABLE IF NOT EXISTS openclaw_memory_files (
    model text NOT NULL, agent text NOT NULL, workspace text NOT NULL, collection text NOT NULL, path text NOT NULL,
    doc text NOT NULL UNIQUE, hash text NOT NULL, stat text NOT NULL, shared boolean NOT NULL, body text NOT NULL,
    kind text NOT NULL, tags text NOT NULL, date text NOT NULL, title text NOT NULL DEFAULT '',
    chunks integer NOT NULL DEFAULT 0,
    PRIMARY KEY (model, agent, workspace, collection, path)
)
"""
_FROM_1 = (
    *(
        f"ALTER TABLE openclaw_memory_files ADD COLUMN IF NOT EXISTS {name} text NOT NULL DEFAULT ''"
        for name in ("body", "kind", "tags", "date", "title")
    ),
    "ALTER TABLE openclaw_memory_files ADD COLUMN IF NOT EXISTS chunks integer NOT NULL DEFAULT 0",
    "UPDATE openclaw_memory_files SET hash = '', stat = '0 0 0'",
)
"""Version 1 had no table of what it is; its words were others, and its files had no title and no count of chunks."""


def prepare(connection: Connection) -> None:
    """Make the tables, or bring them up to this version. Raises RetrievalError for those of a newer one."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    held = _version(connection)
    if held > VERSION:
        raise RetrievalError(
            f"the database is of version {held}, this program knows {VERSION}",
            "install the openclaw-memory that the other agents of this database have",
        )
    if held == VERSION:
        return
    connection.exec_driver_sql(_META)
    connection.exec_driver_sql(_FILES)
    for statement in _FROM_1 if held == 1 else ():
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(
        "INSERT INTO openclaw_memory_meta VALUES ('version', %s)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(VERSION),),
    )


def _version(connection: Connection) -> int:
    """0 for an empty database."""
    if _is_there(connection, "openclaw_memory_meta"):
        row = connection.exec_driver_sql("SELECT value FROM openclaw_memory_meta WHERE key = 'version'").fetchone()
        return int(row[0]) if row else 0
    return 1 if _is_there(connection, "openclaw_memory_files") else 0


def _is_there(connection: Connection, table: str) -> bool:
    return connection.exec_driver_sql(f"SELECT to_regclass('{table}')").scalar_one() is not None
