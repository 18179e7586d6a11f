"""Opening `index.db`: readers are read-only and run no DDL; writers hold one lock and see a schema that is whole.

The file is a cache: one of another version, or one that is broken, is made anew under the writers' lock. Where it is
broken deep inside, whoever comes upon that removes it (`BrokenIndexError`), and `healing` tries once more.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from urllib.parse import quote

from openclaw_memory import fsio
from openclaw_memory.errors import LockError, RetrievalError, WriteError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.memory import Reader
from openclaw_memory.retrieval.schema import VERSION, create

NAME = "index.db"
Connection = sqlite3.Connection
_PAGE = 8192
"""Bytes: a chunk's row, 1 to 5 kB, fits. Pages of 4,096 cost a fifth more system time in an index from nothing."""
_WAIT = 10.0
"""Seconds that a statement waits for another process's (short) transaction."""
_BROKEN = ("not a database", "malformed", "Could not decode")
_PATIENCE = 1.0
"""Seconds for which who found the index broken waits for the lock to remove it."""

if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


class BrokenIndexError(RetrievalError):
    """The index was broken deep inside; it is removed, where that could be done, and the next call makes a new one."""


def path_in(state_dir: Path) -> Path:
    """The database of a workspace with this state folder."""
    return state_dir / NAME


_kept: dict[Path, list[tuple[int, Reader]]] = {}
"""Readers that a process which stays keeps open, with the inode of their file: opening costs more than a query."""
_MOST_KEPT = 4


def stay(path: Path) -> None:
    """Keep readers of `path` open from now on, for a process that answers many searches."""
    _kept.setdefault(path, [])


def stays(path: Path) -> bool:
    """Whether this process is one that answers many searches of `path`."""
    return path in _kept


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection | None]:
    """A read-only connection on one snapshot, or None where there is no index of this version.

    Raises RetrievalError for a file that is no index, or cannot be read.
    """
    kept = _kept.get(path)
    db = _reader(path) if kept is None else _taken(path, kept)
    if db is None:
        yield None
        return
    inode = _inode(path)
    try:
        db.execute("BEGIN")
        if kept is not None:
            db.snapshot = f"{path} {inode}", meta(db, "generation")
        yield db
        db.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        db.close()
        if _is_broken(error):
            raise _removed(path, inode, error) from error
        raise
    except BaseException:
        db.close()
        raise
    if kept is None:
        db.close()
    elif len(kept) < _MOST_KEPT:
        kept.append((inode, db))
    else:
        db.close()


def _taken(path: Path, kept: list[tuple[int, Reader]]) -> Reader | None:
    """A reader that was kept, where it still is one of the file at `path`; else a new one."""
    inode = _inode(path)
    while kept:
        held, db = kept.pop()
        if held == inode and db.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            return db
        db.close()
    return _reader(path)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return -1


def _reader(path: Path) -> Reader | None:
    if not os.path.exists(path):  # noqa: PTH110 - Path's raises where the folder cannot be entered
        return None
    try:
        return _checked(_connect(path, "mode=ro"))
    except sqlite3.OperationalError as error:
        if _is_half_made(path, error):
            return None
        if os.access(path.parent, os.W_OK) and not _is_full(path, error):
            raise _unusable(path, error) from error
    except sqlite3.DatabaseError:
        return None
    try:  # a read-only folder and a full disk have no place for the shared memory of WAL
        return _checked(_connect(path, "mode=ro&immutable=1"))
    except sqlite3.DatabaseError as error:
        raise _unusable(path, error) from error


def _is_half_made(path: Path, error: sqlite3.Error) -> bool:
    """Whether whoever began the index was killed: its journal waits for a writer, who takes it back."""
    return "readonly" in str(error) and Path(f"{path}-journal").exists()


def _is_full(path: Path, error: sqlite3.Error) -> bool:
    """Whether the disk is full, and all of the index stands in its own file, without a log beside it."""
    log = Path(f"{path}-wal")
    return "disk I/O" in str(error) and (not log.exists() or log.stat().st_size == 0)


def _checked(db: Reader) -> Reader | None:
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            return db
    except sqlite3.DatabaseError:
        db.close()
        raise
    db.close()
    return None


@contextmanager
def writing(path: Path, timeout: float = 30.0) -> Iterator[sqlite3.Connection]:
    """A connection that may write, for the one process that holds the lock. `timeout` is in seconds.

    Raises LockError naming the holder, RetrievalError for a full disk or a file that cannot be used.
    """
    with fsio.locked(_lock(path), timeout), closing(_writer(path)) as db:
        try:
            yield db
        except sqlite3.DatabaseError as error:
            if _is_broken(error):
                db.close()
                _remove(path)
                raise _broken(path, error) from error
            if db.in_transaction:
                db.rollback()
            if not isinstance(error, sqlite3.OperationalError):
                raise
            raise _unusable(path, error) from error


def healing(work: Callable[P, T]) -> Callable[P, T]:
    """`work`, which is done once more where it came upon an index that is broken deep inside, and is gone now."""

    @wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(*args, **kwargs)
        except BrokenIndexError:
            return work(*args, **kwargs)

    return done


def _is_broken(error: sqlite3.Error) -> bool:
    return any(word in str(error) for word in _BROKEN)


def _removed(path: Path, inode: int, error: sqlite3.Error) -> BrokenIndexError:
    """What there is to say of a broken index, which is removed where nobody else does so, or has done so."""
    try:
        with fsio.locked(_lock(path), _PATIENCE):
            if _inode(path) == inode:
                _remove(path)
    except (LockError, WriteError, OSError):
        pass
    return _broken(path, error)


def _broken(path: Path, error: sqlite3.Error) -> BrokenIndexError:
    return BrokenIndexError(f"the index {path} is broken: {error}", f"run it again; or: rm '{path}'")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _lock(path: Path) -> Path:
    return path.with_suffix(".lock")


def _writer(path: Path) -> sqlite3.Connection:
    try:
        return _prepared(_connect(path, "mode=rwc"))
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) or not _is_broken(error):
            raise _unusable(path, error) from error
    _remove(path)
    return _prepared(_connect(path, "mode=rwc"))


def in_memory() -> sqlite3.Connection:
    """An empty index that is nowhere on disk."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    create(db)
    return db


def _prepared(db: sqlite3.Connection) -> sqlite3.Connection:
    try:
        db.execute(f"PRAGMA page_size = {_PAGE}")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            create(db)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def _connect(path: Path, how: str) -> Reader:
    uri = f"file:{quote(os.fsencode(path.absolute()))}?{how}"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT, isolation_level=None, check_same_thread=False, factory=Reader)


def _unusable(path: Path, error: sqlite3.Error) -> RetrievalError:
    if "full" in str(error) or "disk I/O" in str(error):
        return RetrievalError(f"the index {path} could not be written: {error}", "free some space and run it again")
    if "locked" in str(error):
        return RetrievalError(f"the index {path} is busy: {error}", "another program holds it open: wait, or end it")
    return RetrievalError(f"the index {path} cannot be used: {error}", f"check its owner and mode, or: rm '{path}'")


def meta(db: sqlite3.Connection, key: str, default: str = "") -> str:
    """A value of the `meta` table."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return default if row is None else str(row[0])


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    """Write a value of the `meta` table (inside the caller's transaction)."""
    db.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value))
