"""The tables of `index.db`. Everything in it can be made again from the files; a change of VERSION makes it again."""

from __future__ import annotations

from binascii import crc32

_REVISION = 5
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

COSTLY = "vectors"
"""The table that an index of another version hands on, with what `meta` says of its MODEL: texts keep their vectors."""
MODEL = ("embedder", "baseline")

TABLES = _CORE + VECTORS
VERSION = crc32(f"{_REVISION} {TABLES}".encode()) >> 1
"""An index of another version (31 bits) is built anew; no table can change without another one."""
