"""A small embedded index in memory of the documents that a database found, so that every store ranks by one code.

The database says which documents are worth a look. These are taken from it as they were indexed, and stay for the
next query; the embedded store's legs, priors and snippets then work on them unchanged.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Collection as Several
from collections.abc import Iterable
from threading import RLock

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import read, store, vectors
from openclaw_memory.retrieval.collections import DATABASE, Collection
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS
from openclaw_memory.retrieval.identity import Stat
from openclaw_memory.retrieval.index import Batch, Source
from openclaw_memory.retrieval.lexicon import Lexicon
from openclaw_memory.retrieval.memory import Reader
from openclaw_memory.retrieval.postgres import nodes
from openclaw_memory.retrieval.postgres.rows import restored, stat_of
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.schema import TABLES

if TYPE_CHECKING:
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.workspace import Workspace

_MOST = 32_000_000
"""Characters of documents from which on it is begun anew; each takes about three bytes of memory."""
_AT_ONCE = 32
"""Documents whose vectors are fetched together: what comes over the wire takes many times the memory of what stays."""
_STATES = """
SELECT doc, hash, stat, shared, agent, collection, embedded FROM openclaw_memory_files WHERE doc = ANY (%(docs)s)
"""
_BODIES = """
SELECT doc, collection, path, hash, stat, kind, body, agent, workspace FROM openclaw_memory_files
WHERE doc = ANY (%(docs)s) ORDER BY collection, path, doc
"""
_VECTORS = """
SELECT node_id, vector_send(embedding) FROM {table}
WHERE doc = ANY (%(docs)s) AND split_part(node_id, '-', 2) = ANY (%(states)s) ORDER BY node_id
"""


class _State(Record):
    """What tells one state of a document from another."""

    hash: str
    stat: str
    shared: bool
    agent: str
    collection: str
    embedded: bool


class Home(Record):
    """Whose a collection is that another agent shares."""

    agent: str
    collection: str


class _Shared(read.Folder):
    """A collection that another agent shares: its files as the database holds them."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(collection)
        self.files: dict[str, bytes] = {}

    def content(self, path: str) -> bytes:
        return self.files[path]

    def holds(self, path: str, stat: Stat) -> bool:
        return True


class Shelf:
    """The documents of one view of a database that were found so far. Use under its lock."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self.lock = RLock()
        self._clear()

    def _clear(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=Reader)
        self.db.executescript(TABLES)
        store.set_meta(self.db, "generation", str(time.time_ns()))
        self._held: dict[str, tuple[int, _State]] = {}
        self._embedded: set[str] = set()
        self._size = 0
        self.homes: dict[str, Home] = {}
        """Collections of others, by their names here."""
        self.shared: dict[str, _Shared] = {}

    def take(self, database: Database, docs: Several[str], baseline: float | None = None) -> dict[str, int]:
        """The numbers of `docs` in `db`, as the database has them now; those that it no longer has are left out.

        With the `baseline` of a model (see `Database.baseline`) their vectors are taken too.
        """
        wanted = {doc: _State(*state) for doc, *state in database.run(_STATES, {"docs": list(docs)})}
        missing = [doc for doc, state in wanted.items() if doc not in self._held or self._held[doc][1] != state]
        if missing and self._size > _MOST:
            self._clear()
            missing = list(wanted)
        if missing:
            self._load(database, missing, wanted)
        if baseline is not None:
            bare = {doc: state for doc, state in wanted.items() if state.embedded and doc not in self._embedded}
            if bare:
                store.set_meta(self.db, "baseline", repr(baseline))
                names = list(bare)
                for at in range(0, len(names), _AT_ONCE):
                    self._embed(database, {doc: bare[doc] for doc in names[at : at + _AT_ONCE]})
        return {doc: self._held[doc][0] for doc in wanted if doc in self._held}

    def collections(self) -> tuple[Collection, ...]:
        """What others share of it, as collections."""
        return tuple(_home(self._ws, name) for name in self.shared)

    def _load(self, database: Database, docs: list[str], states: dict[str, _State]) -> None:
        rows = database.run(_BODIES, {"docs": docs})
        self.db.execute("BEGIN")
        batch = Batch(self.db, Lexicon(self.db))
        for doc, collection, name, digest, stat, kind, body, agent, workspace in rows:
            path = restored(name)
            own = (agent, workspace) == (database.agent, database.workspace)
            home = collection if own else self._lend(agent, workspace, collection, path, body)
            source = Source(home, path, stat_of(stat), digest, kind, read.page_of(body, path))
            self._size += len(body)
            if doc in self._held:
                number = self._held[doc][0]
                batch.replace(number, source)
            else:
                number = batch.add(source)
            self._held[doc] = number, states[doc]
            self._embedded.discard(doc)
        batch.save()
        self._save()

    def _save(self) -> None:
        self.db.snapshot = f"shelf {id(self)}", store.meta(self.db, "generation")
        self.db.execute("COMMIT")

    def _lend(self, agent: str, workspace: str, collection: str, path: str, body: str) -> str:
        name = f"{collection}@{agent}@{workspace}"
        if name not in self.shared:
            self.homes[name] = Home(agent, collection)
            self.shared[name] = _Shared(_home(self._ws, name))
        self.shared[name].files[path] = body.encode("utf-8", "surrogateescape")
        return name

    def _embed(self, database: Database, docs: dict[str, _State]) -> None:
        import numpy as np

        versions = {doc: nodes.version(state.hash, state.shared) for doc, state in docs.items()}
        sql = _VECTORS.format(table=database.table)
        found = database.run(sql, {"docs": list(versions), "states": sorted(set(versions.values()))})
        rows = [(nodes.parts(name), bytes(data)) for name, data in found]
        rows = [(parts, data) for parts, data in rows if versions[parts[0]] == parts[1]]
        self._embedded |= set(docs)
        if not rows:
            return
        floats = np.frombuffer(b"".join(data[4:] for _, data in rows), ">f4").reshape(len(rows), -1)
        keys = [_key(*parts) for parts, _ in rows]
        self.db.execute("BEGIN")
        self.db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", vectors.quantised(keys, floats))
        self.db.executemany("INSERT OR REPLACE INTO embedded VALUES (?, ?)", self._passages(rows, keys))
        whole = [(self._held[doc][0], key) for ((doc, _, at, _), _), key in zip(rows, keys, strict=True) if at == WHOLE]
        self.db.executemany("INSERT OR REPLACE INTO abouts VALUES (?, ?)", whole)
        self.db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
        self._save()

    def _passages(
        self, rows: Iterable[tuple[tuple[str, str, int, int], bytes]], keys: Iterable[bytes]
    ) -> Iterable[tuple[int, bytes]]:
        for ((doc, _, chunk, atom), _), key in zip(rows, keys, strict=True):
            if chunk != WHOLE:
                yield (self._held[doc][0] << CHUNK_BITS | chunk) << ATOM_BITS | atom, key


def _home(ws: Workspace, name: str) -> Collection:
    return Collection(name, ws.state_path / "shared" / nodes.folder(name), source=DATABASE)


def _key(*parts: object) -> bytes:
    return hashlib.blake2b("-".join(map(str, parts)).encode(), digest_size=16).digest()


_shelves: dict[tuple[str, ...], Shelf] = {}
_MOST_SHELVES = 4


def shelf(ws: Workspace, database: Database) -> Shelf:
    """The shelf of this view of the database; kept for the life of the process."""
    if database.key not in _shelves:
        for old in list(_shelves)[: 1 - _MOST_SHELVES]:
            del _shelves[old]
        _shelves[database.key] = Shelf(ws)
    return _shelves[database.key]
