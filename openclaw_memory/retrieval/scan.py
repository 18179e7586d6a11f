"""What is on disk and what of it the index does not know yet: one stat a file, no content read.

A file is the same when size, mtime in nanoseconds and inode are, unless it was written so close to when it was read
that a later write could hide (see `fsio.is_racy`): then it is looked into again. Reads only.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager

from openclaw_memory.record import Record
from openclaw_memory.retrieval import masks
from openclaw_memory.retrieval.collections import Collection
from openclaw_memory.retrieval.identity import Stat, fitting
from openclaw_memory.retrieval.paths import restored
from openclaw_memory.retrieval.transcripts import DATABASE, Status, is_double, status_of

_NEVER = frozenset(("node_modules", "__pycache__"))


class Known(Record):
    """A row of the index."""

    id: int
    stat: Stat
    hash: str
    problem: str


class Found(Record):
    """A file on disk that the index does not know, or knows another state of."""

    path: str
    stat: Stat
    known: Known | None = None


class Difference(Record):
    """What one collection's folder and the index differ in."""

    collection: Collection
    found: list[Found]
    gone: list[tuple[str, Known]]
    same: int = 0
    links: int = 0
    """Symlinks that were not followed."""
    problem: str = ""
    """Why the folder could not be walked; then nothing in it counts as gone."""
    folders: tuple[str, ...] = ()
    """All folders that were listed, by their resolved paths."""
    shut: Mapping[str, str] = {}
    """Folders below it (`a/b/`) that could not be listed, and why; nothing in them counts as gone."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be walked, and why."""
        shut = (f"{self.collection.name}/{folder}: {why}" for folder, why in self.shut.items())
        return (self.problem,) if self.problem else tuple(shut)

    def hides(self, path: str) -> bool:
        """Whether a file at `path` could not have been seen."""
        return bool(self.problem) or any(path.startswith(folder) for folder in self.shut)

    @property
    def pending(self) -> int:
        """How many files differ for sure (not those that only might have been written again)."""
        changed = [one for one in self.found if one.known is None or one.known.stat._replace(racy=False) != one.stat]
        return len(changed) + len(self.gone)


def scan(db: sqlite3.Connection | None, collection: Collection) -> Difference:
    """Compare the folder of `collection` with the index (None for an empty one)."""
    known = _rows(db, collection.name) if db is not None else {}
    walk = _Walk(collection)
    found: list[Found] = []
    same = 0
    try:
        for path, status in walk.files():
            row = known.pop(path, None)
            if row is not None and row[2:] == (status.st_size, status.st_mtime_ns, status.st_ino, 0):
                same += 1
                continue
            seen = Stat(status.st_size, fitting(status.st_mtime_ns), fitting(status.st_ino))
            if row is not None and row[2:] == seen:
                same += 1
            else:
                found.append(Found(path, seen, _known(db, row) if row is not None else None))
    except OSError as error:
        if not isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
            raise
        where = f"{collection.name}: {collection.root}: {error.strerror}"
        return Difference(collection, [], [], problem=where)
    seen_all = Difference(collection, found, [], same, walk.links, folders=tuple(walk.listed), shut=walk.shut)
    return seen_all._replace(gone=[(path, _known(db, row)) for path, row in known.items() if not seen_all.hides(path)])


def known_of(db: sqlite3.Connection, collection: str) -> dict[str, Known]:
    """The rows of a collection by path."""
    return {path: _known(db, row) for path, row in _rows(db, collection).items()}


_Row = tuple["str | bytes", int, int, int, int, int]
"""path, id, size, mtime_ns, inode, racy"""


def _rows(db: sqlite3.Connection, collection: str) -> dict[str, _Row]:
    """What tells whether files are the same, by path. No more: a search does this for every file there is."""
    rows = db.execute("SELECT path, id, size, mtime_ns, inode, racy FROM files WHERE collection = ?", (collection,))
    return {row[0] if type(row[0]) is str else restored(row[0]): row for row in rows}


def _known(db: sqlite3.Connection | None, row: _Row) -> Known:
    assert db is not None
    query = "SELECT id, size, mtime_ns, inode, racy, hash, problem FROM files WHERE id = ?"
    number, size, mtime, inode, racy, digest, problem = db.execute(query, (row[1],)).fetchone()
    return Known(number, Stat(size, mtime, inode, racy), digest, problem)


class _Walk:
    """The files of one collection. Folders that cannot be listed keep their rows."""

    def __init__(self, collection: Collection) -> None:
        self._root = os.path.realpath(collection.root)
        self._wanted = masks.matcher(collection.mask)
        self._hidden = masks.hidden_roots(collection.mask)
        self._depth = masks.depth(collection.mask)
        self._follow = collection.follow
        self.shut: dict[str, str] = {}
        self._seen = {self._root}
        self.links = 0
        self.listed: list[str] = []

    def files(self) -> Iterator[tuple[str, os.stat_result | Status]]:
        """(path below the folder, stat) of each. Raises OSError when the folder itself cannot be listed."""
        folders = [""]
        while folders:
            folder = folders.pop()
            full = f"{self._root}/{folder}"
            try:
                entries, handle = _opened(full)
            except OSError as error:
                if not folder:
                    raise
                self.shut[folder] = error.strerror or str(error)
                continue
            self.listed.append(full)
            try:
                with entries as listed:
                    yield from self._of(folder, full, listed, folders)
            finally:
                if handle is not None:
                    os.close(handle)

    def _of(
        self, folder: str, full: str, entries: Iterable[os.DirEntry[str]], folders: list[str]
    ) -> Iterator[tuple[str, os.stat_result | Status]]:
        """The files of one folder; those below it that are walked, too, are added to `folders`."""
        wanted = self._wanted
        for entry in entries:
            path = folder + entry.name
            if not entry.is_file(follow_symlinks=False):
                if entry.is_symlink() and not self._follows(entry, full + entry.name, path):
                    continue
                if entry.is_dir():
                    if self._enters(entry.name, path):
                        folders.append(path + "/")
                    continue
            if wanted(path) and not (".jsonl" in path and is_double(path)):
                try:
                    yield path, status_of(full + entry.name) if path.endswith(DATABASE) else entry.stat()
                except OSError:
                    continue

    def _enters(self, name: str, path: str) -> bool:
        if self._depth is not None and path.count("/") >= self._depth:
            return False
        return name not in _NEVER and (name[0] != "." or name in self._hidden)

    def _follows(self, entry: os.DirEntry[str], full: str, path: str) -> bool:
        real = os.path.realpath(full)
        if not self._follow or not inside(real, self._root) or real in self._seen:
            self.links += bool(self._wanted(path)) or entry.is_dir()
            return False
        self._seen.add(real)
        return True


def _opened(folder: str) -> tuple[AbstractContextManager[Iterator[os.DirEntry[str]]], int | None]:
    """The entries of a folder, and the handle that they need meanwhile: a stat then walks no path, a fifth less."""
    if os.scandir not in os.supports_fd:  # Windows
        return os.scandir(folder), None
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return os.scandir(handle), handle
    except OSError:
        os.close(handle)
        raise


def inside(real: str, root: str) -> bool:
    """Whether the resolved path `real` is `root` or below it."""
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)
