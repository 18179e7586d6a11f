"""What the index holds and how it stands to the disk: for `status`, `ls` and `cleanup`."""

from __future__ import annotations

from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import aside, fresh, paths, store
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.hits import Freshness
from openclaw_memory.retrieval.index import Batch
from openclaw_memory.retrieval.lexical import statistics
from openclaw_memory.retrieval.lexicon import Lexicon
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.scan import scan

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace


class CollectionStatus(Record):
    """One collection: files in the index and how many of them differ from the disk."""

    name: str
    path: str
    mask: str
    included: bool
    files: int
    pending: int
    links: int
    problem: str


class Status(Record):
    """The index of a workspace. Sizes in bytes."""

    file: str
    exists: bool
    size: int
    files: int
    chunks: int
    vectors: int
    passages_without_vector: int
    embedder: str
    collections: tuple[CollectionStatus, ...]
    unreadable: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def pending(self) -> int:
        """Files that are new, changed or gone and not indexed so."""
        return sum(one.pending for one in self.collections)


@store.healing
def status(ws: Workspace) -> Status:
    """How the index stands. Reads only."""
    found = folders.load(ws)
    if postgres.is_on(ws):
        return postgres.status(ws)
    path = store.path_in(ws.state_path)
    size = sum(part.stat().st_size for part in _parts(path) if part.exists())
    with store.reading(path) as db:
        differences = [scan(db, one) for one in found.all]
        rows = [
            CollectionStatus(
                one.collection.name,
                str(one.collection.root),
                one.collection.mask,
                one.collection.included,
                _count(db, "SELECT COUNT(*) FROM files WHERE collection = ?", one.collection.name) if db else 0,
                one.pending,
                one.links,
                "; ".join(one.problems),
            )
            for one in differences
        ]
        if db is None:
            return Status(str(path), False, size, 0, 0, 0, 0, "", tuple(rows), (), found.warnings)
        held = statistics(db)
        passages = _passages(db)
        bad = db.execute("SELECT collection, path, problem FROM files WHERE problem <> ''").fetchall()
        return Status(
            str(path),
            True,
            size,
            held.files,
            held.chunks,
            _count(db, "SELECT COUNT(*) FROM embedded"),
            passages - _count(db, "SELECT COUNT(*) FROM embedded"),
            store.meta(db, "embedder"),
            tuple(rows),
            tuple(f"{collection}/{paths.restored(name)}: {problem}" for collection, name, problem in bad),
            found.warnings,
        )


def _parts(path: Path) -> list[Path]:
    return [Path(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")]


def _count(db: store.Connection, query: str, *values: str) -> int:
    return int(db.execute(query, values).fetchone()[0])


def _passages(db: store.Connection) -> int:
    """All passages: a chunk has one span of eight bytes for each."""
    return int(db.execute("SELECT TOTAL(LENGTH(spans)) FROM chunks").fetchone()[0]) // 8


class Listed(Record):
    """A file that is searched, for `ls`."""

    collection: str
    path: str
    title: str
    size: int
    mtime_ns: int
    id: str


class Listing(Record):
    """What `ls` shows, and how fresh that is."""

    files: list[Listed]
    fresh: Freshness


@store.healing
def ls(ws: Workspace, where: str = "") -> Listing:
    """The files of a collection or a folder of it (`memory`, `memory/people`, `qmd://memory/people`); all for "".

    `<agent>@<collection>` is one that another agent shares. The index is brought up to date first, as before a search.
    """
    found = folders.load(ws)
    address = paths.from_address(where) or tuple(where.strip("/").partition("/")[::2])
    collection, folder = address[0], address[1].rstrip("/")
    others = "@" in collection and postgres.is_on(ws)
    if collection and not others:
        found.named(collection)
    if postgres.is_on(ws):
        every = postgres.listed(ws, others)
        if others and all(one.collection != collection for one in every.files):
            found.named(collection)  # says which there are
        return every._replace(files=[one for one in every.files if _below(one, collection, folder)])
    state = fresh.freshen(ws, found)
    with aside.reading(ws, found, state, fresh.BUDGET) as (db, state):
        rows = (
            db.execute("SELECT collection, path, title, size, mtime_ns, hash FROM files ORDER BY collection, path")
            if db
            else []
        )
        listed = [
            Listed(name, paths.restored(path), title, size, mtime, f"#{digest[:6]}")
            for name, path, title, size, mtime, digest in rows
        ]
    return Listing([one for one in listed if _below(one, collection, folder)], state)


def _below(one: Listed, collection: str, folder: str) -> bool:
    return (not collection or one.collection == collection) and (not folder or one.path.startswith(f"{folder}/"))


@store.healing
def cleanup(ws: Workspace) -> tuple[int, int]:
    """Drop files of collections and default folders that are gone, terms and vectors that nothing uses, free space.

    Returns the size in bytes before and after.
    """
    if postgres.is_on(ws):
        return postgres.cleanup(ws)
    path = store.path_in(ws.state_dir)
    before = sum(part.stat().st_size for part in _parts(path) if part.exists())
    names = [one.name for one in folders.load(ws).all if one.source != "layout" or one.root.is_dir()]
    with store.writing(path) as db:
        db.execute("BEGIN IMMEDIATE")
        batch = Batch(db, Lexicon(db))
        marks = ", ".join("?" * len(names))
        for (file,) in db.execute(f"SELECT id FROM files WHERE collection NOT IN ({marks})", names).fetchall():
            batch.drop(file)
        batch.save()
        db.execute(
            "DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM embedded UNION ALL SELECT hash FROM abouts)"
        )
        db.execute("DELETE FROM terms WHERE id NOT IN (SELECT key >> 12 FROM postings)")
        db.execute("COMMIT")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before, sum(part.stat().st_size for part in _parts(path) if part.exists())
