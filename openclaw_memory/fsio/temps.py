"""Temp files of atomic writes: how they are named, and how those of killed writers are found and removed.

A live writer holds the lock of its temp file, and the system drops that lock when the writer dies. So a temp
file that can be locked belongs to nobody: no process ids, ages or host names are compared.
"""

from __future__ import annotations

import os
from pathlib import Path

from openclaw_memory.fsio.platform import SHARE_WHILE_OPEN, try_lock

TEMP_SUFFIX = ".om-tmp"
_FLAGS = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NAME_KEPT = 40  # characters of the target's name in the temp's, so that a name of 255 bytes still has a temp
_swept: set[tuple[int, str]] = set()


def create(target: Path) -> tuple[int, Path]:
    """A new locked temp file beside `target`: its descriptor and path. Raises OSError."""
    while True:
        temp = target.with_name(f".{target.name[:_NAME_KEPT]}.{os.urandom(6).hex()}{TEMP_SUFFIX}")
        descriptor = os.open(temp, _FLAGS, 0o666)
        if _lock(descriptor) and os.fstat(descriptor).st_nlink:
            return descriptor, temp
        os.close(descriptor)  # a sweeper found it before it was locked, and took it for a dead one


def sweep(folder: Path) -> int:
    """Remove the temp files that killed writers left in `folder` (not below it); how many there were."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(TEMP_SUFFIX) and entry.name[0] == "."]
    except OSError:
        return 0
    return sum(_remove_if_dead(folder / name) for name in names)


def sweep_once(folder: Path) -> None:
    """`sweep`, the first time this process writes in `folder`."""
    key = (os.getpid(), str(folder))
    if key not in _swept:
        _swept.add(key)
        sweep(folder)


def _lock(descriptor: int) -> bool:
    try:
        return try_lock(descriptor)
    except OSError:  # a file system without locks: then no sweeper can take this for a dead one either
        return True


def _remove_if_dead(temp: Path) -> bool:
    try:
        descriptor = os.open(temp, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        dead = try_lock(descriptor)
        if dead and SHARE_WHILE_OPEN:
            temp.unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    if dead and not SHARE_WHILE_OPEN:
        temp.unlink(missing_ok=True)
    return dead
