"""What differs between Linux, macOS and Windows when a file is locked, made durable or renamed.

The only module of `fsio` that may ask which system this is; `processes` is the other one of its kind.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

BUSY = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK})
CAN_SYNC_ALL = sys.platform == "linux"  # elsewhere sync() may return before the disk is done
SHARE_WHILE_OPEN = sys.platform != "win32"  # Windows cannot rename or delete a file that is open


def sync_all() -> None:
    """Wait until everything written so far is on the disk; only where `CAN_SYNC_ALL`."""
    os.sync()  # type: ignore[attr-defined,unused-ignore]  # not on Windows


if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 30  # beyond any text in the file: Windows locks are mandatory and would block its readers

    def try_lock(descriptor: int) -> bool:
        """Take the exclusive lock of an open file without waiting; False when another process holds it."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in BUSY:
                return False
            raise
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

    def share(descriptor: int) -> None:
        """Nothing: a file that is open here cannot be renamed away."""

    def sync_file(descriptor: int) -> None:
        """Wait until the file's bytes are on the disk."""
        os.fsync(descriptor)

    def sync_folder(folder: Path) -> None:
        """Nothing: NTFS journals names itself, and a folder cannot be opened."""

else:
    import fcntl

    _FULL_SYNC = getattr(fcntl, "F_FULLFSYNC", None)  # macOS: fsync alone stops at the drive's cache

    def try_lock(descriptor: int) -> bool:
        """Take the exclusive lock of an open file without waiting; False when another process holds it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in BUSY:
                return False
            raise
        return True

    def share(descriptor: int) -> None:
        """Take the shared lock of an open file, waiting for an exclusive holder; closing drops it."""
        fcntl.flock(descriptor, fcntl.LOCK_SH)

    def sync_file(descriptor: int) -> None:
        """Wait until the file's bytes are on the disk."""
        if _FULL_SYNC is not None:
            try:
                fcntl.fcntl(descriptor, _FULL_SYNC)
                return
            except OSError:  # network and FUSE file systems do not know it
                pass
        os.fsync(descriptor)

    def sync_folder(folder: Path) -> None:
        """Wait until the names in `folder` are on the disk."""
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot sync a folder
                raise
        finally:
            os.close(descriptor)
