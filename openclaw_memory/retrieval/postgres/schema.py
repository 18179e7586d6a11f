"""The tables beside PGVectorStore's and the columns that its tables get, and their version.

What changes them runs in one transaction under an advisory lock, so that of two programs that start at once one waits
for the other. An upgrade keeps all rows; it marks the files as changed, and each agent indexes its own anew when it
next looks at them.
"""

from __future__ import annotations

from typing import Any

from openclaw_memory.errors import RetrievalError

VERSION = 4
_LOCK = 0x6F636D69
_META = "CREATE TABLE IF NOT EXISTS openclaw_memory_meta (key text PRIMARY KEY, value text NOT NULL)"
_FILES = """
CREATE TABLE IF NOT EXISTS openclaw_memory_files (
    model text NOT NULL, agent text NOT NULL, workspace text NOT NULL, collection text NOT NULL, path text NOT NULL,
    doc text NOT NULL UNIQUE, hash text NOT NULL, stat text NOT NULL, shared boolean NOT NULL, body text NOT NULL,
    kind text NOT NULL, tags text NOT NULL, date text NOT NULL, title text NOT NULL DEFAULT '',
    chunks integer NOT NULL DEFAULT 0, passages integer NOT NULL DEFAULT 0, embedded boolean NOT NULL DEFAULT false,
    problem text NOT NULL DEFAULT '', names jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (model, agent, workspace, collection, path)
)
"""
_FROM_OLDER = (
    *(
        f"ALTER TABLE openclaw_memory_files ADD COLUMN IF NOT EXISTS {name} text NOT NULL DEFAULT ''"
        for name in ("body", "kind", "tags", "date", "title", "problem")
    ),
    *(
        f"ALTER TABLE openclaw_memory_files ADD COLUMN IF NOT EXISTS {name} integer NOT NULL DEFAULT 0"
        for name in ("chunks", "passages")
    ),
    "ALTER TABLE openclaw_memory_files ADD COLUMN IF NOT EXISTS embedded boolean NOT NULL DEFAULT false",
    "ALTER TABLE openclaw_memory_files ADD COLUMN IF NOT EXISTS names jsonb NOT NULL DEFAULT '[]'",
    "UPDATE openclaw_memory_files SET hash = '', stat = '0 0 0', embedded = false",
)
"""Version 1 had no table of what it is and other words; 2 made words and vectors together, and kept no key of texts;
3 knew no names."""
_PASSAGES = (
    "ALTER TABLE {table} ALTER COLUMN embedding SET STORAGE main",
    "ALTER TABLE {table} ADD COLUMN doc text GENERATED ALWAYS AS (split_part(node_id, '-', 1)) STORED",
    "CREATE INDEX IF NOT EXISTS {table}_doc ON {table} (doc)",
)
"""Vectors stand in their rows, as long as these fit into a page: to fetch each from elsewhere takes ten times as long.
The document is a column, because every condition on PGVectorStore's metadata reads a whole JSON text for every row."""


def lock(cursor: Any) -> None:
    """Wait until nobody else changes the tables; until the end of the transaction."""
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))


def is_current(cursor: Any, table: str = "") -> bool:
    """Whether the tables are of this version, and `table` has its columns. Raises RetrievalError for a newer one."""
    held = _version(cursor)
    if held > VERSION:
        raise RetrievalError(
            f"the database is of version {held}, this program knows {VERSION}",
            "install the openclaw-memory that the other agents of this database have",
        )
    return held == VERSION and (not table or _has(cursor, table, "doc"))


def prepare(cursor: Any) -> None:
    """Make the tables, or bring them up to this version; under `lock`."""
    if is_current(cursor):
        return
    held = _version(cursor)
    cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
    extension = () if cursor.fetchone() else ("CREATE EXTENSION vector",)
    for statement in (*extension, _META, _FILES, *(_FROM_OLDER if held else ())):
        cursor.execute(statement)
    cursor.execute(
        "INSERT INTO openclaw_memory_meta VALUES ('version', %s)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(VERSION),),
    )


def prepare_passages(cursor: Any, table: str) -> None:
    """Give PGVectorStore's `table` the columns that searches need; under `lock`."""
    if not _has(cursor, table, "doc"):
        for statement in _PASSAGES:
            cursor.execute(statement.format(table=table))


def _version(cursor: Any) -> int:
    """0 for an empty database."""
    if _has(cursor, "openclaw_memory_meta", "key"):
        cursor.execute("SELECT value FROM openclaw_memory_meta WHERE key = 'version'")
        row = cursor.fetchone()
        return int(row[0]) if row else 0
    return 1 if _has(cursor, "openclaw_memory_files", "doc") else 0


def _has(cursor: Any, table: str, column: str) -> bool:
    cursor.execute("SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = %s", (table, column))
    return cursor.fetchone() is not None
