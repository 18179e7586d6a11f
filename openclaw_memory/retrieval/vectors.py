"""The vectors in the index: which passages need one, how they are kept, how many there are.

A vector is kept under the hash of the text it was made from, as int8 codes and a scale, so that a moved, copied or
unchanged text is never embedded twice. Models run outside the write lock; a batch of files is one transaction, and a
file that changed meanwhile is left for the next round. Imports numpy inside functions only.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from openclaw_memory.errors import RetrievalError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval import read, store
from openclaw_memory.retrieval.collections import Collection
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS
from openclaw_memory.retrieval.identity import content_hash
from openclaw_memory.retrieval.paths import restored
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.schema import MODEL
from openclaw_memory.retrieval.windows import about, windows

if TYPE_CHECKING:
    from openclaw_memory.retrieval.chunks import Page
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.workspace import Workspace

_FILES, _FILES_IN_TIME = 16, 2
"""Files a transaction, and where the time is bounded."""
_UNRELATED = (
    "The ferry leaves the harbour at noon.",
    "Her grandmother baked bread on Sundays.",
    "Interest rates rose by a quarter of a point.",
    "The compiler reports a variable that is never used.",
    "Snow fell on the northern pass all night.",
    "He plays the cello in a small orchestra.",
)
_KEY, _BASELINE = MODEL


_Row = tuple[int, str, str, str, str, str]
"""A file to embed: id, collection, path, hash, title, date."""


class Passage(Record):
    """A passage and the text that stands for it."""

    id: int
    text: str


class Embedded(Record):
    """What `embed` did, in texts: passages, and one a file for its whole. `pending` counts files that are left."""

    computed: int = 0
    reused: int = 0
    pending: int = 0


@store.healing
def embed(
    ws: Workspace,
    embedder: Embedder,
    *,
    force: bool = False,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Embedded:
    """Compute the vectors that are missing; with `force` all of them. Can be stopped at any point.

    Raises RetrievalError where the index holds vectors of another model and `force` is not given.
    """
    if postgres.is_on(ws):
        return postgres.embed(ws, embedder, force, seconds, progress)
    path = store.path_in(ws.state_dir)
    _begin(path, embedder, force)
    until = None if seconds is None else time.monotonic() + seconds
    collections = {one.name: one for one in folders.load(ws).all}
    done = Embedded()
    with store.reading(path) as db:
        total = len(_pending(db)) if db else 0
    tried: set[int] = set()
    at_once = _FILES if seconds is None else _FILES_IN_TIME
    while not tried or until is None or time.monotonic() < until:  # at least once, or a slow machine gets nowhere
        with store.reading(path) as db:
            rows = [row for row in _pending(db) if row[0] not in tried][:at_once] if db else []
            if db is None or not rows:
                break
            tried |= {row[0] for row in rows}
            work = _Work(db, collections, rows, embedder)
        computed, reused = work.save(path, embedder.identity)
        done = done._replace(computed=done.computed + computed, reused=done.reused + reused)
        if progress:
            progress(len(tried), total)
    with store.reading(path) as db:
        return done._replace(pending=len(_pending(db)) if db else 0)


def mismatch(db: sqlite3.Connection, identity: str) -> str:
    """The identity of the vectors in the index where it is another one than `identity`; "" where they fit."""
    held = store.meta(db, _KEY)
    return held if held and held != identity else ""


def unrelated(embedder: Embedder) -> float:
    """The mean cosine of sentences that have nothing to do with each other: what 0 is for this model."""
    import numpy as np

    rows = np.asarray(embedder.embed_documents(_UNRELATED), np.float32)
    cosines = rows @ rows.T
    count = len(rows)
    return float(np.clip((cosines.sum() - np.trace(cosines)) / (count * (count - 1)), 0, 0.95))


def baseline(db: sqlite3.Connection) -> float:
    """What `unrelated` was for the model of the index."""
    return float(store.meta(db, _BASELINE, "0"))


def _begin(path: Path, embedder: Embedder, force: bool) -> None:
    """Say whose vectors these are; drop those of another model if forced."""
    identity = embedder.identity
    with store.reading(path) as db:
        known = db is not None and not force and store.meta(db, _KEY) == identity
    zero = None if known else unrelated(embedder)
    with store.writing(path) as db:
        other = mismatch(db, identity)
        if other and not force:
            raise RetrievalError(
                f"the vectors are of {other}, not of {identity}", "openclaw-memory embed -f makes new ones"
            )
        db.execute("BEGIN IMMEDIATE")
        if force:
            db.execute("DELETE FROM vectors")
            db.execute("DELETE FROM embedded")
            db.execute("DELETE FROM abouts")
            db.execute("UPDATE files SET embedded = 0")
            db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
        store.set_meta(db, _KEY, identity)
        if zero is not None:
            store.set_meta(db, _BASELINE, repr(zero))
        db.execute("COMMIT")


def _pending(db: sqlite3.Connection) -> list[_Row]:
    query = "SELECT id, collection, path, hash, title, date FROM files WHERE embedded = 0 AND chunks > 0 ORDER BY id"
    return db.execute(query).fetchall()


class _Work:
    """The vectors of a few files."""

    def __init__(
        self,
        db: sqlite3.Connection,
        collections: dict[str, Collection],
        rows: Sequence[_Row],
        embedder: Embedder,
    ) -> None:
        import hashlib  # loads OpenSSL, which a query has no use for

        texts: dict[bytes, str] = {}

        def key_of(text: str) -> bytes:
            key = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            texts[key] = text
            return key

        self._files: list[tuple[int, str, list[tuple[int, bytes]], list[tuple[int, bytes]]]] = []
        for number, name, path, digest, title, day in rows:
            page = _page(collections.get(name), restored(path), digest)
            if page is not None:
                keyed = [(passage.id, key_of(passage.text)) for passage in _passages(page, number, title)]
                whole = [(number, key_of(about(page, title)))] if not day else []  # a day for a title says nothing
                self._files.append((number, digest, keyed, whole))
        self._reused = _held(db, texts)
        missing = [key for key in texts if key not in self._reused]
        self._vectors = quantised(missing, embedder.embed_documents([texts[key] for key in missing])) if missing else []

    def save(self, path: Path, identity: str) -> tuple[int, int]:
        """Write them, for the files that are still the same; (computed, reused) in texts."""
        with store.writing(path) as db:
            if mismatch(db, identity):
                raise RetrievalError("another model's vectors came meanwhile", "run embed once at a time")
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", self._vectors)
            for number, digest, keyed, whole in self._files:
                row = db.execute("SELECT hash FROM files WHERE id = ?", (number,)).fetchone()
                if row and row[0] == digest:
                    db.executemany("INSERT OR REPLACE INTO embedded VALUES (?, ?)", keyed)
                    db.executemany("INSERT OR REPLACE INTO abouts VALUES (?, ?)", whole)
                    db.execute("UPDATE files SET embedded = 1 WHERE id = ?", (number,))
            db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
            db.execute("COMMIT")
        return len(self._vectors), len(self._reused)


def _page(collection: Collection | None, path: str, digest: str) -> Page | None:
    """An indexed file; None where it is no longer what was indexed."""
    if collection is None:
        return None
    try:
        data = read.content(collection, path)
        return read.page_of(read.decode(data, path), path) if content_hash(data) == digest else None
    except read.Refused:
        return None


def _passages(page: Page, file: int, title: str) -> Iterator[Passage]:
    for window in windows(page, title):
        yield Passage((file << CHUNK_BITS | window.place) << ATOM_BITS | window.at, window.text)


def _held(db: sqlite3.Connection, keys: dict[bytes, str]) -> set[bytes]:
    found: set[bytes] = set()
    wanted = list(keys)
    for at in range(0, len(wanted), 500):
        part = wanted[at : at + 500]
        found.update(
            row[0] for row in db.execute(f"SELECT hash FROM vectors WHERE hash IN ({', '.join('?' * len(part))})", part)
        )
    return found


def quantised(keys: Sequence[bytes], vectors: object) -> list[tuple[bytes, float, bytes]]:
    """Rows of floats as int8 codes with a scale each: vector = codes * scale (loses nothing that ranking sees)."""
    import numpy as np

    rows = np.asarray(vectors, np.float32)
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-9) / 127
    codes = np.rint(rows / scales[:, None]).astype(np.int8)
    return [(key, float(scale), code.tobytes()) for key, scale, code in zip(keys, scales, codes, strict=True)]
