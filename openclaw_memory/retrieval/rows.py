"""What the index knows of whole files, row by row; a process that stays asks the database once for each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from openclaw_memory.record import Record
from openclaw_memory.retrieval.identity import Stat
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.paths import restored

_AT_ONCE = 500
_REMEMBERED = 20_000
"""Files whose rows are remembered: 1 kB each."""
_COLUMNS = "id, collection, path, chunks, date, title, kind, hash, size, mtime_ns, inode"


class Row(Record):
    """A file of the index; `path` is below its collection."""

    collection: str
    path: str
    chunks: int
    date: str
    title: str
    kind: str
    hash: str
    stat: Stat


def rows(db: sqlite3.Connection, files: Iterable[int]) -> Mapping[int, Row]:
    """The rows of `files` that there are, and perhaps of others."""
    known: dict[int, Row] = remembered(db, "rows", _REMEMBERED)
    missing = sorted(number for number in files if number not in known)
    for at in range(0, len(missing), _AT_ONCE):
        part = missing[at : at + _AT_ONCE]
        marks = ", ".join("?" * len(part))
        for number, collection, path, chunks, day, title, kind, digest, *stat in db.execute(
            f"SELECT {_COLUMNS} FROM files WHERE id IN ({marks})", part
        ):
            known[number] = Row(collection, restored(path), chunks, day, title, kind, digest, Stat(*stat))
    return known
