"""What an index holds, as arrays: which chunks there are, in which order, and their stored texts.

Chunks are numbered without gaps here: the place of a chunk among all (its file's `starts`, and its place in the file).
A file without chunks has one all the same, so that it can be found by what is said of it. Imports numpy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.asked import Found
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.postings import REMEMBERED, WHOLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]
    Places = NDArray[np.int64]
    Small = NDArray[np.int32]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

_REMEMBERED = 8192
"""Chunks whose stored text is remembered: 0.8 kB each."""


class Corpus(Record):
    """The chunks of an index."""

    starts: Small
    """By the number of a file, the place of its first chunk; behind the last file, how many there are."""
    counts: Small
    """By the number of a file, how many chunks it has."""
    files: Small
    """By the place of a chunk, the number of its file."""

    def places(self, chunks: Numbers) -> Places:
        """Where `chunks` stand among all."""
        places: Places = self.starts.take(chunks >> CHUNK_BITS) + (chunks & WHOLE)
        return places

    def chunks(self, places: Places) -> Places:
        """The chunks that stand there."""
        files = self.files[places]
        chunks: Places = (files.astype(np.int64) << CHUNK_BITS) + (places - self.starts[files])
        return chunks


def corpus(db: sqlite3.Connection) -> Corpus:
    """The chunks of the index that `db` reads."""
    known: dict[str, Corpus] = remembered(db, "corpus", 1)
    if "" not in known:
        rows = np.array(db.execute("SELECT id, chunks FROM files").fetchall(), np.int64).reshape(-1, 2)
        counts = np.zeros(int(rows[:, 0].max(initial=0)) + 1, np.int64)
        counts[rows[:, 0]] = rows[:, 1]
        sizes = np.zeros_like(counts)
        sizes[rows[:, 0]] = np.maximum(rows[:, 1], 1)
        starts = np.append(0, np.cumsum(sizes)).astype(np.int32)
        files = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        known[""] = Corpus(starts, counts.astype(np.int32), files)
    return known[""]


class Holders(Record):
    """Where the chunks stand that hold a term; those below it; and the files that it is said of."""

    body: Small
    head: Small
    files: Small


def holders(db: sqlite3.Connection, held: Corpus, term: Found) -> Holders:
    """What holds a term."""
    known: dict[tuple[int, ...], Holders] = remembered(db, "holders", REMEMBERED)
    if term.ids not in known:
        head = np.asarray(term.head)
        whole = head & WHOLE == WHOLE
        parts = (held.places(np.asarray(term.body)), held.places(head[~whole]), head[whole] >> CHUNK_BITS)
        known[term.ids] = Holders(*(part.astype(np.int32) for part in parts))
    return known[term.ids]


def ranks(db: sqlite3.Connection) -> tuple[Places, Places]:
    """The numbers of all files by collection and path; and by its number, the place of a file among them."""
    known: dict[str, tuple[Places, Places]] = remembered(db, "ranks", 1)
    if "" not in known:
        rows = db.execute("SELECT id FROM files ORDER BY collection, path").fetchall()
        order = np.array(rows, np.int64).reshape(-1)
        places = np.zeros(int(order.max(initial=0)) + 1, np.int64)
        places[order] = np.arange(len(order))
        known[""] = order, places
    return known[""]


class Texts(Record):
    """The stored texts of some chunks, one behind the other."""

    body: Numbers
    sizes: Places
    """The length of each."""
    weights: Floats


def texts(db: sqlite3.Connection, chunks: Sequence[int]) -> Texts:
    """The stored texts of `chunks`, which there are."""
    known: dict[int, tuple[bytes, float]] = remembered(db, "bodies", _REMEMBERED)
    missing = [number for number in chunks if number not in known]
    if missing:
        marks = ", ".join("?" * len(missing))
        read = db.execute(f"SELECT id, terms, weight FROM chunks WHERE id IN ({marks})", missing)
        known.update((number, (body, weight)) for number, body, weight in read)
    held = [known[number] for number in chunks]
    sizes = np.array([len(body) for body, _ in held], np.int64) // np.dtype(np.uint32).itemsize
    body = np.frombuffer(b"".join([body for body, _ in held]), np.uint32)
    return Texts(body, sizes, np.array([weight for _, weight in held]))
