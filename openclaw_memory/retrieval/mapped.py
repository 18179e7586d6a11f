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
from threading import Thread

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
_HEADER = struct.Struct("=8sqqqqq16x")
"""Magic with version and byte order, generation, rows, dimensions, files, length of the file."""
_MAGIC = struct.pack("=4si", b"OCMV", 2)
_BLOCK = 1024
"""Rows that are turned into floats at once: they stay in the processor's cache, and one thread multiplies them."""
_ALONE = 16_384
"""Rows from which on a second thread takes half of them."""
_FILE = 0.45
"""How much the whole of a file counts for all passages in it. Measured at 0.3 to 0.5, on four sets: see README."""
_WHOLE = (1 << CHUNK_BITS) - 1
"""The place of the row that stands for what a file says it is about: behind its passages, no passage itself."""
_ROWS = """
SELECT passage, scale, codes FROM embedded JOIN vectors USING (hash)
UNION ALL SELECT file << :bits | :whole, scale, codes FROM abouts JOIN vectors USING (hash) ORDER BY 1
"""
_WORTH_IT = 500
"""Rows from which a file is faster than the index."""
_MOST_KEPT = 2


class Matrix(Record):
    """All vectors of an index: `passages` sorted, one row of `codes` (int8) and one of `scales` each."""

    passages: NDArray[np.int64]
    codes: NDArray[np.int8]
    scales: Floats
    lengths: Floats
    """For each file in order, how long the sum of its passages' vectors is."""
    baseline: float
    """The cosine that this model gives to what has nothing in common."""
    starts: NDArray[np.int64]
    """The first row of each file; `ends` is the row behind its last one."""
    ends: NDArray[np.int64]
    whole: NDArray[np.bool_]
    """Which rows stand for a whole file."""

    def cosines(self, query: Floats) -> Floats:
        """The cosine of every row with `query` (length 1)."""
        out = np.empty(len(self.passages), np.float32)
        half = len(out) // 2 if len(out) > _ALONE else 0
        other = Thread(target=self._multiply, args=(query, out, 0, half))
        other.start()
        self._multiply(query, out, half, len(out))
        other.join()
        out *= self.scales
        return out

    def _multiply(self, query: Floats, out: Floats, first: int, end: int) -> None:
        floats = np.empty((_BLOCK, len(query)), np.float32)
        for at in range(first, end, _BLOCK):
            codes = self.codes[at : min(at + _BLOCK, end)]
            np.copyto(floats[: len(codes)], codes)
            np.dot(floats[: len(codes)], query, out=out[at : at + len(codes)])

    def scores(self, query: Floats) -> Floats:
        """Every passage's closeness with that of its file, as a score, 0 to 1; 0 for a row that is no passage.

        A file is as close as the middle of its passages, or as what it says it is about, whichever is closer.
        """
        cosines = self.cosines(query)
        told = np.where(self.whole[self.ends - 1], cosines[self.ends - 1], -1)
        cosines[self.whole] = 0
        middle = np.add.reduceat(cosines, self.starts) / self.lengths
        files = _FILE * self._stretched(np.maximum(middle, told))
        found = self._stretched(cosines)
        found *= 1 - _FILE
        found += np.repeat(files, self.ends - self.starts)
        found[self.whole] = 0
        return found

    def _stretched(self, cosines: Floats) -> Floats:
        stretched: Floats = cosines - np.float32(self.baseline)
        stretched /= np.float32(1 - self.baseline)
        return np.clip(stretched, 0, 1, out=stretched)


def matrix_of(passages: NDArray[np.int64], codes: NDArray[np.int8], scales: Floats, zero: float) -> Matrix:
    """The matrix of these rows, whose passages are sorted."""
    return _with_lengths(_bare(passages, codes, scales, zero))


def _bare(passages: NDArray[np.int64], codes: NDArray[np.int8], scales: Floats, zero: float) -> Matrix:
    starts = np.flatnonzero(np.diff(passages >> (ATOM_BITS + CHUNK_BITS), prepend=-1))
    whole: NDArray[np.bool_] = (passages >> ATOM_BITS) & _WHOLE == _WHOLE
    return Matrix(passages, codes, scales, scales[:0], zero, starts, np.append(starts[1:], len(passages)), whole)


def _with_lengths(found: Matrix) -> Matrix:
    weights = np.where(found.whole, 0, found.scales)
    rows = zip(found.starts, found.ends, strict=True)
    sums = [weights[low:high] @ found.codes[low:high].astype(np.float32) for low, high in rows]
    return found._replace(lengths=np.maximum(np.linalg.norm(sums, axis=1), 1e-9).astype(np.float32))


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
    rows = db.execute(_ROWS, {"bits": ATOM_BITS + CHUNK_BITS, "whole": _WHOLE << ATOM_BITS}).fetchall()
    if not rows:
        return None
    codes = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(len(rows), -1)
    passages = np.array([row[0] for row in rows], np.int64)
    scales = np.array([row[1] for row in rows], np.float32)
    return matrix_of(passages, codes, scales, zero)


def _mapped(path: Path, generation: int, zero: float) -> Matrix | None:
    """The cache, where it is whole and of this generation."""
    try:
        with path.open("rb") as file:
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None
    if len(held) < _HEADER.size:
        return None
    magic, made, rows, dimensions, files, length = _HEADER.unpack_from(held)
    if (magic, made, length) != (_MAGIC, generation, len(held)) or length != _length(rows, dimensions, files):
        return None
    at = _HEADER.size
    passages = np.frombuffer(held, np.int64, rows, at)
    scales = np.frombuffer(held, np.float32, rows, at + 8 * rows)
    lengths = np.frombuffer(held, np.float32, files, at + 12 * rows)
    codes = np.frombuffer(held, np.int8, rows * dimensions, at + 12 * rows + 4 * files).reshape(rows, dimensions)
    return _bare(passages, codes, scales, zero)._replace(lengths=lengths)


def _write(path: Path, generation: int, found: Matrix) -> None:
    rows, dimensions = found.codes.shape
    files = len(found.lengths)
    header = _HEADER.pack(_MAGIC, generation, rows, dimensions, files, _length(rows, dimensions, files))
    if not path.parent.is_dir():  # the workspace was moved away meanwhile
        return
    parts = (found.passages, found.scales, found.lengths, found.codes)
    data = b"".join((header, *(part.tobytes() for part in parts)))
    try:
        fsio.write(path, data)
    except WriteError:  # a full disk or a read-only folder: the index has them too
        return


def _length(rows: int, dimensions: int, files: int) -> int:
    return _HEADER.size + rows * (12 + dimensions) + 4 * files
