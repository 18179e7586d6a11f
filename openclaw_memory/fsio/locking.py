"""One writer at a time: an advisory lock on a file of its own, which says who holds it.

The lock belongs to the open file, so the system drops it when its holder dies: there are no stale locks.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from openclaw_memory.errors import LockError, WriteError
from openclaw_memory.fsio.platform import try_lock

_FLAGS = os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05  # seconds between two tries


@contextmanager
def locked(lockfile: Path, timeout: float = 10.0, *, removing: bool = False) -> Iterator[None]:
    """Hold the lock of `lockfile` (made, with its folder, when missing), waiting up to `timeout` seconds for it.

    `removing` takes the file away at the end. Not re-entrant. Raises LockError, naming the holder, when the time is
    over; WriteError when the lock file cannot be made.
    """
    descriptor = _acquire(lockfile, time.monotonic() + timeout, timeout)
    try:
        _sign(descriptor)
        yield
    finally:
        if removing and _is_still(lockfile, descriptor):  # before the lock is dropped: who waited for it sees that
            with suppress(OSError):  # Windows removes no open file
                lockfile.unlink()
        os.close(descriptor)  # drops the lock


def _acquire(lockfile: Path, deadline: float, timeout: float) -> int:
    pause = _FIRST_PAUSE
    while True:
        descriptor = _open(lockfile)
        try:
            free = try_lock(descriptor)
            if free and _is_still(lockfile, descriptor):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise LockError(
                f"{lockfile} cannot be locked: {error.strerror}", "the file system must support locks (flock)"
            ) from error
        os.close(descriptor)
        if free:  # its holder took the file away
            continue
        if time.monotonic() >= deadline:
            raise LockError(
                f"another process holds {lockfile}: {_holder(lockfile)}",
                f"waited {timeout:g} s; wait for it to end, or stop it, and run this again",
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _open(lockfile: Path) -> int:
    try:
        lockfile.parent.mkdir(exist_ok=True)  # no more: a workspace that was moved away is not made again
        return os.open(lockfile, _FLAGS, 0o666)
    except OSError as error:
        hint = "the file system is read-only" if error.errno == errno.EROFS else "check the folder's owner and mode"
        raise WriteError(f"the lock file {lockfile} cannot be opened: {error.strerror}", hint) from error


def _is_still(lockfile: Path, descriptor: int) -> bool:
    """Whether the file we locked is the one that has the name now (somebody may have deleted it meanwhile)."""
    try:
        return os.path.samestat(lockfile.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _sign(descriptor: int) -> None:
    command = " ".join(sys.argv)[:500].replace("\n", " ")
    with suppress(OSError):  # only others' messages need the name: on a full disk the lock holds without it
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()} {command}\n".encode("utf-8", "surrogateescape"))


def _holder(lockfile: Path) -> str:
    try:
        pid, _, command = lockfile.read_bytes()[:1000].decode("utf-8", "replace").strip().partition(" ")
    except OSError:
        return "unknown"
    return f"process {pid} ({command})" if pid.isdigit() else "unknown"
