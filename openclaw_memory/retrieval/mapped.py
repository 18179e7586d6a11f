"""All vectors of an index as one matrix: from a cache file beside it that is mapped into memory, else from the index.

The file (`vectors.cache`) is no more than that: one of another generation, a broken or missing one is made anew, and
where it cannot be written the matrix comes from the index each time. It is replaced as a whole, never changed, so
that a process which has it mapped keeps what it had. Imports numpy.
"""

from __future__ import annotations

import mmap
import sqlite3
import struct
from pathlib import Path

import numpy as np

from openclaw_memory import fsio
from openclaw_memory.errors import WriteError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import store
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS
from openclaw_memory.retrieval.vectors import baseline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAME = "vectors.cache"
_HEADER = struct.Struct("=8sqqqq24x")
"""Magic with version and byte order, generation, rows, dimensions, length of the file."""
_MAGIC = struct.pack("=4si", b"OCMV", 1)
_BLOCK = 8192
_FILE = 0.3
"""How much the best passage of a file counts for all passages in it."""
_WORTH_IT = 500
"""Rows from which a file is faster than the index."""
_MOST_KEPT = 2


class Matrix(Record):
    """All vectors of an index: `passages` sorted, one row of `codes` (int8) and one of `scales` each."""

    passages: NDArray[np.int64]
    codes: NDArray[np.int8]
    scales: Floats
    baseline: float
    """The cosine that this model gives to what has nothing in common."""

    def cosines(self, query: Floats) -> Floats:
        """The cosine of every row with `query` (length 1)."""
        out = np.empty(len(self.passages), np.float32)
        for at in range(0, len(out), _BLOCK):
            out[at : at + _BLOCK] = self.codes[at : at + _BLOCK].astype(np.float32) @ query
        out *= self.scales
        return out

    def scores(self, query: Floats) -> Floats:
        """Every passage's cosine, with that of the best passage of its file, as a score, 0 to 1."""
        cosines = self.cosines(query)
        files = self.passages >> (ATOM_BITS + CHUNK_BITS)
        starts = np.flatnonzero(np.diff(files, prepend=-1))
        best = np.repeat(np.maximum.reduceat(cosines, starts), np.diff(starts, append=len(files)))
        mixed = (1 - _FILE) * cosines + _FILE * best
        found: Floats = np.clip((mixed - self.baseline) / (1 - self.baseline), 0, 1)
        return found


_kept: dict[tuple[str, int], Matrix] = {}


def matrix(db: sqlite3.Connection) -> Matrix | None:
    """The vectors of an index, kept in memory until its generation changes; None where it has none."""
    name = str(db.execute("PRAGMA database_list").fetchone()[2])
    key = (name, int(store.meta(db, "generation")))
    if key not in _kept:
        loaded = _loaded(db, *key)
        if loaded is None:
            return None
        for old in list(_kept)[: 1 - _MOST_KEPT or None]:
            del _kept[old]
        _kept[key] = loaded
    return _kept[key]


def _loaded(db: sqlite3.Connection, name: str, generation: int) -> Matrix | None:
    path = Path(name).with_name(NAME) if name else None
    zero = baseline(db)
    found = _mapped(path, generation, zero) if path else None
    if found is None:
        found = _read(db, zero)
        if path and found is not None and len(found.passages) >= _WORTH_IT:
            _write(path, generation, found)
    return found


def _read(db: sqlite3.Connection, zero: float) -> Matrix | None:
    rows = db.execute(
        "SELECT passage, scale, codes FROM embedded JOIN vectors USING (hash) ORDER BY passage"
    ).fetchall()
    if not rows:
        return None
    codes = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(len(rows), -1)
    passages = np.array([row[0] for row in rows], np.int64)
    return Matrix(passages, codes, np.array([row[1] for row in rows], np.float32), zero)


def _mapped(path: Path, generation: int, zero: float) -> Matrix | None:
    """The cache, where it is whole and of this generation."""
    try:
        with path.open("rb") as file:
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    if len(held) < _HEADER.size:
        return None
    magic, made, rows, dimensions, length = _HEADER.unpack_from(held)
    if (magic, made, length) != (_MAGIC, generation, len(held)) or length != _length(rows, dimensions):
        return None
    at = _HEADER.size
    passages = np.frombuffer(held, np.int64, rows, at)
    scales = np.frombuffer(held, np.float32, rows, at + 8 * rows)
    codes = np.frombuffer(held, np.int8, rows * dimensions, at + 12 * rows).reshape(rows, dimensions)
    return Matrix(passages, codes, scales, zero)


def _write(path: Path, generation: int, found: Matrix) -> None:
    rows, dimensions = found.codes.shape
    header = _HEADER.pack(_MAGIC, generation, rows, dimensions, _length(rows, dimensions))
    data = b"".join((header, found.passages.tobytes(), found.scales.tobytes(), found.codes.tobytes()))
    try:
        fsio.write(path, data)
    except WriteError:  # a full disk or a read-only folder: the index has them too
        return


def _length(rows: int, dimensions: int) -> int:
    return _HEADER.size + rows * (12 + dimensions)
