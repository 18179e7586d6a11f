"""Bring one workspace's rows in the database up to what is on disk. One writer a workspace; every step can be redone.

A file's row is written last, so a run that was cut off finds the file different again and does it anew. New passages
come before old ones go: readers meet a file's old passages, or its new ones, or for a moment both, never none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval import read
from openclaw_memory.retrieval.collections import Collection
from openclaw_memory.retrieval.identity import Stat, content_hash
from openclaw_memory.retrieval.index import Source, describe
from openclaw_memory.retrieval.kinds import kind_of
from openclaw_memory.retrieval.postgres import nodes
from openclaw_memory.retrieval.postgres.database import Database, unreachable
from openclaw_memory.retrieval.report import CollectionStatus
from openclaw_memory.retrieval.scan import Found, scan

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.workspace import Workspace


class Synced(Record):
    """What a run did, in files. `busy`: another process was at it, and nothing was done."""

    written: int = 0
    removed: int = 0
    same: int = 0
    pending: int = 0
    texts: int = 0
    """Passages, and wholes of files, that a model read."""
    busy: bool = False
    notes: tuple[str, ...] = ()
    """Missing folders (their rows stay) and unreadable files."""


class _Row(Record):
    hash: str
    stat: str
    shared: bool


def sync(
    ws: Workspace,
    database: Database,
    embedder: Embedder,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    force: bool = False,
) -> Synced:
    """Index what differs (with `force` all), for at most `seconds`.

    Raises RetrievalError where the database does not answer.
    """
    from sqlalchemy.exc import SQLAlchemyError

    with database.writing() as mine:
        if not mine:
            return Synced(busy=True, notes=("another process is indexing this workspace",))
        try:
            return _Sync(ws, database, embedder, seconds, force).run(progress or (lambda done, total: None))
        except SQLAlchemyError as error:
            raise unreachable(ws.config.retrieval.store, error) from error


def standing(ws: Workspace, database: Database, embedder: Embedder) -> tuple[CollectionStatus, ...]:
    """How the rows of each collection stand to the disk. Reads only."""
    state = _Sync(ws, database, embedder, None)
    return tuple(state.standing(one) for one in folders.load(ws).all)


class _Sync:
    def __init__(
        self, ws: Workspace, database: Database, embedder: Embedder, seconds: float | None, force: bool = False
    ) -> None:
        self._ws = ws
        self._database = database
        self._embedder = embedder
        self._until = None if seconds is None else time.monotonic() + seconds
        self._force = force
        self._texts = 0
        self._notes: list[str] = []
        self._known = self._rows()

    def run(self, progress: Callable[[int, int], None]) -> Synced:
        found = folders.load(self._ws).all
        work: list[tuple[Collection, Found]] = []
        gone = {key for key in self._known if key[0] not in {one.name for one in found}}
        for collection in found:
            difference = scan(None, collection)
            self._notes += difference.problems
            if difference.problem:
                continue
            there = {one.path: one for one in difference.found}
            gone |= {
                key
                for key in self._known
                if key[0] == collection.name and key[1] not in there and not difference.hides(key[1])
            }
            work += [(collection, one) for one in difference.found if self._force or not self._same(collection, one)]
        for key in sorted(gone):
            self._remove(*key)
        done = 0
        for collection, one in work:
            if self._until is not None and time.monotonic() >= self._until:
                break
            self._write(collection, one)
            done += 1
            progress(done, len(work))
        same = len(self._known) - len(gone) - sum((c.name, f.path) in self._known for c, f in work)
        return Synced(done, len(gone), same, len(work) - done, self._texts, notes=tuple(self._notes))

    def _rows(self) -> dict[tuple[str, str], _Row]:
        rows = self._database.run(
            "SELECT collection, path, hash, stat, shared FROM openclaw_memory_files"
            " WHERE model = :model AND agent = :agent AND workspace = :workspace",
            self._database.mine,
        )
        return {(name, path): _Row(*rest) for name, path, *rest in rows}

    def standing(self, one: Collection) -> CollectionStatus:
        """One collection: its files in the database, and how many differ on disk."""
        seen = scan(None, one)
        there = {found.path for found in seen.found}
        known = [path for name, path in self._known if name == one.name]
        gone = sum(path not in there and not seen.hides(path) for path in known)
        pending = gone + sum(not self._same(one, found) for found in seen.found)
        problem = "; ".join(seen.problems)
        return CollectionStatus(
            one.name, str(one.root), one.mask, one.included, len(known), pending, seen.links, problem
        )

    def _same(self, collection: Collection, one: Found) -> bool:
        row = self._known.get((collection.name, one.path))
        return row is not None and (row.stat, row.shared) == (_stat(one.stat), self._shared(collection))

    def _shared(self, collection: Collection) -> bool:
        return collection.name in self._ws.config.retrieval.shared

    def _remove(self, collection: str, path: str) -> None:
        doc = self._database.doc(collection, path)
        self._database.store.delete(doc)
        self._database.run("DELETE FROM openclaw_memory_files WHERE doc = :doc", {"doc": doc})

    def _write(self, collection: Collection, one: Found) -> None:
        try:
            data = read.content(collection, one.path)
            text = read.decode(data, one.path)
            page = read.page_of(text, one.path)
        except read.Refused as error:
            self._notes.append(f"{collection.name}/{one.path}: {error.message}")
            return
        digest, shared = content_hash(data), self._shared(collection)
        row = self._known.get((collection.name, one.path))
        doc = self._database.doc(collection.name, one.path)
        kind = kind_of(self._ws, collection, one.path)
        source = Source(collection.name, one.path, one.stat, digest, kind, page)
        about = describe(source)
        file = {"collection": collection.name, "path": _plain(one.path), "title": about.title, "hash": digest}
        if self._force or row is None or (row.hash, row.shared) != (digest, shared):
            self._replace(doc, shared, file, nodes.passages(page, source, about))
        known = {"kind": kind, "tags": about.tags, "date": about.date, "stat": _stat(one.stat), "body": _plain(text)}
        self._save(doc, shared, {**file, **known, "chunks": len(page.chunks)})

    def _replace(self, doc: str, shared: bool, file: dict[str, str], made: list[nodes.Passage]) -> None:
        """The passages of a file, new ones before old ones go."""
        vectors: Any = self._embedder.embed_documents([one.embedded for one in made]) if made else ()
        self._texts += len(made)
        fresh = nodes.nodes(self._database, doc, shared, file, zip(made, vectors, strict=True))
        version = nodes.version(file["hash"], shared)
        self._drop(doc, version, same=True)  # of a run cut off
        if fresh:
            self._database.store.add(list(fresh))
        self._drop(doc, version, same=False)

    def _drop(self, doc: str, version: str, same: bool) -> None:
        """Drop a document's passages of this state, or of all others. By PGVectorStore's filters it reads the table."""
        self._database.run(
            f"DELETE FROM {self._database.table} WHERE metadata_->>'ref_doc_id' = :doc"
            " AND (metadata_->>'version' = :version) = :same",
            {"doc": doc, "version": version, "same": same},
        )

    def _save(self, doc: str, shared: bool, file: Mapping[str, object]) -> None:
        changing = ("hash", "stat", "shared", "body", "kind", "tags", "date", "title", "chunks")
        columns = ("model", "agent", "workspace", "collection", "path", "doc", *changing)
        self._database.run(
            f"INSERT INTO openclaw_memory_files ({', '.join(columns)}) VALUES (:{', :'.join(columns)})"
            " ON CONFLICT (model, agent, workspace, collection, path) DO UPDATE SET "
            + ", ".join(f"{name} = :{name}" for name in changing),
            {"doc": doc, "shared": shared, **self._database.mine, **file},
        )


def _stat(stat: Stat) -> str:
    return f"{stat.size} {stat.mtime_ns} {stat.inode}"


def _plain(text: str) -> str:
    """`text` as PostgreSQL takes it: valid UTF-8 without NUL."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
