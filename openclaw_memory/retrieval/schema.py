"""The tables of `index.db`, and making them. All of it can be made again from the files; a change of VERSION does."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping

_REVISION = 6
"""Grows whenever the analyser or the chunks change."""

_CORE = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE collections (name TEXT PRIMARY KEY, root TEXT NOT NULL, mask TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, racy INTEGER NOT NULL,
    hash TEXT NOT NULL,
    title TEXT NOT NULL, date TEXT NOT NULL, kind TEXT NOT NULL, tags TEXT NOT NULL, extra TEXT NOT NULL,
    problem TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    embedded INTEGER NOT NULL DEFAULT 0,
    head BLOB NOT NULL,
    UNIQUE (collection, path)
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    heading TEXT NOT NULL,
    head BLOB NOT NULL,
    spans BLOB NOT NULL,
    terms BLOB NOT NULL,
    weight REAL NOT NULL
);
CREATE TABLE facts (
    chunk INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    last_accessed, timestamp,
    access_count INTEGER NOT NULL
);
CREATE TABLE names (file INTEGER, place INTEGER, terms TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (file, place))
    WITHOUT ROWID;
CREATE INDEX names_by_terms ON names (terms);
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE TABLE postings (key INTEGER PRIMARY KEY, body BLOB NOT NULL, head BLOB NOT NULL);
"""

VECTORS = """
CREATE TABLE vectors (hash BLOB PRIMARY KEY, scale REAL NOT NULL, codes BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE embedded (passage INTEGER PRIMARY KEY, hash BLOB NOT NULL);
CREATE TABLE abouts (file INTEGER PRIMARY KEY, hash BLOB NOT NULL);
"""
"""`vectors.codes` is one int8 a dimension, the vector is codes * scale; `hash` is that of the embedded text (so a
moved or copied text keeps its vector); `embedded` says which passage has which text, `abouts` what stands for a whole
file. `meta.embedder` holds the embedder's identity, `files.embedded` is 1 when all passages of the file have a
vector."""

_COSTLY = "vectors"
"""The table that an index of another version hands on, with what `meta` says of its MODEL: texts keep their vectors."""
MODEL = ("embedder", "baseline")

TABLES = _CORE + VECTORS
_APPLICATION = 0x6F636D69
VERSION = int.from_bytes(f"{_REVISION} {TABLES}".encode(), "big") % (2**31 - 19)  # a prime: a sum without an import
"""An index of another version (31 bits) is built anew; no table can change without another one."""


def create(db: sqlite3.Connection) -> None:
    """The tables, in one transaction that nobody can see half of."""
    db.execute("BEGIN IMMEDIATE")
    tables = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"))
    model = _model(db, tables)
    for name in tables.keys() - ({_COSTLY} if model else set()):
        db.execute(f'DROP TABLE "{name}"')
    for statement in map(str.strip, TABLES.split(";")):
        if statement and not (model and statement == tables[_COSTLY]):
            db.execute(statement)
    db.executemany("INSERT INTO meta VALUES (?, ?)", model)
    # no two indexes share a generation: what was cached of the one that is gone is not taken for this one
    db.execute("INSERT INTO meta VALUES ('generation', ?)", (str(time.time_ns()),))
    db.execute(f"PRAGMA application_id = {_APPLICATION}")
    db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("COMMIT")


def _model(db: sqlite3.Connection, tables: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the index says of the model of its vectors, where these can stay: they took longest to make."""
    if tables.get(_COSTLY, "\0") not in TABLES or "meta" not in tables:
        return []
    marks = ", ".join("?" * len(MODEL))
    found: list[tuple[str, str]] = db.execute(f"SELECT key, value FROM meta WHERE key IN ({marks})", MODEL).fetchall()
    return found if len(found) == len(MODEL) else []
