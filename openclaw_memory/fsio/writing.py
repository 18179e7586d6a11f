"""Atomic, durable changes of single files: after a kill or a power cut a file holds its old bytes or its new ones.

Temp file beside the target, fsync, rename, fsync of the folder. Taking a lock and reading again under it is the
caller's business (`workspace.transact`); so is the question whether a write should happen at all.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from openclaw_memory.errors import WriteError
from openclaw_memory.fsio import temps
from openclaw_memory.fsio.platform import CAN_SYNC_ALL, SHARE_WHILE_OPEN, sync_all, sync_file, sync_folder

_FEW = 16  # files for which waiting for each is as fast
_AT_ONCE = 200  # descriptors held open at a time

_HINTS = {
    errno.ENOSPC: "the disk is full: free some space and run it again",
    errno.EDQUOT: "the disk quota is used up: free some space and run it again",
    errno.EROFS: "the file system is read-only: remount it writable, or work on a copy",
    errno.EACCES: "permission denied: check the owner and mode of the file and its folder",
    errno.EPERM: "not permitted: check the owner, mode and flags of the file and its folder",
    errno.ENAMETOOLONG: "the name is too long: choose a shorter one",
    errno.EISDIR: "it is a folder: rename it, or choose another name",
    errno.ENOTDIR: "a folder above it is a file: rename that file",
}


def write(path: Path, data: bytes, *, root: Path | None = None) -> bool:
    """Make `path` hold `data`, atomically and durably; False, and nothing touched, when it already does.

    Folders that are missing are made. An existing file keeps its mode and, where the system allows it, its
    owner. A symlink is followed; one that leads out of `root` (where given) or to nothing is refused.
    Raises WriteError; the old bytes are then still there.
    """
    with _explained("write", path):
        target = _follow(path, root)
        if _holds(target, data):
            return False
        _make_folders(target.parent)
        temps.sweep_once(target.parent)
        _replace(target, data)
    return True


def write_all(items: Sequence[tuple[Path, bytes]]) -> None:
    """`write` for each of `items`: as atomic for each file and as durable when it returns, but where the system can
    wait for the whole disk at once, two such waits serve 200 files. Raises WriteError; some may be written then.
    """
    if len(items) < _FEW or not CAN_SYNC_ALL:
        for path, data in items:
            write(path, data)
        return
    for at in range(0, len(items), _AT_ONCE):
        _write_together(items[at : at + _AT_ONCE])


def _write_together(items: Sequence[tuple[Path, bytes]]) -> None:
    """All temp files, one wait, all renames, one wait: a name never leads to bytes that are not on the disk."""
    with ExitStack() as cleanup:
        ready: list[tuple[Path, Path]] = []
        for path, data in items:
            with _explained("write", path):
                target = _follow(path, None)
                if _holds(target, data):
                    continue
                _make_folders(target.parent)
                temps.sweep_once(target.parent)
                descriptor, temp = temps.create(target)
                cleanup.callback(temp.unlink, missing_ok=True)
                cleanup.callback(os.close, descriptor)
                _write_whole(descriptor, data)
                _copy_owner_and_mode(target, descriptor)
                ready.append((temp, target))
        sync_all()
        for temp, target in ready:
            with _explained("write", target):
                temp.replace(target)
        sync_all()


def append(path: Path, data: bytes, *, root: Path | None = None) -> None:
    """Add `data` at the end of `path` (made when missing) and wait for the disk. Raises WriteError.

    What others append at the same time is kept; a write that fails half-way is cut off again.
    """
    with _explained("append to", path):
        target = _follow(path, root)
        if not target.exists():
            _make_folders(target.parent)
            _replace(target, b"")  # so that a new name is durable before anything is said to be in it
        flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(target, flags)
        try:
            _append_whole(descriptor, data)
            sync_file(descriptor)
        finally:
            os.close(descriptor)


def move(old: Path, new: Path) -> None:
    """Rename a file or folder, durably; folders that are missing are made. Raises WriteError.

    Refuses to overwrite: `new` must not exist, unless it is `old` in another case.
    """
    with _explained("move", old):
        if os.path.lexists(new) and not (old.exists() and new.exists() and old.samefile(new)):
            raise WriteError(f"cannot move {old} to {new}: that exists", "choose another name, or move that away first")
        _make_folders(new.parent)
        try:
            old.rename(new)
        except OSError as error:
            if error.errno != errno.EXDEV or old.is_dir():
                raise
            _move_across_disks(old, new)
        for folder in {old.parent, new.parent}:
            sync_folder(folder)


def remove(path: Path) -> bool:
    """Delete a file or symlink, durably; False when there is none. Raises WriteError."""
    with _explained("remove", path):
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        sync_folder(path.parent)
    return True


def _follow(path: Path, root: Path | None) -> Path:
    """The file that `path` leads to. Raises WriteError where that is nothing, or lies outside of `root`."""
    is_link = path.is_symlink()
    if not is_link and root is None:
        return path
    real = Path(os.path.realpath(path))
    if is_link and not os.path.exists(real):  # noqa: PTH110 - False, not an error, for a loop of symlinks
        raise WriteError(f"{path} is a symlink to nothing ({real})", f"point it at a file, or remove it: rm '{path}'")
    if root is not None and not real.is_relative_to(os.path.realpath(root)):
        raise WriteError(
            f"{path} leads out of the workspace, to {real}",
            "replace the symlink by the file itself, or work in the workspace it points into",
        )
    return real if is_link else path


def _holds(target: Path, data: bytes) -> bool:
    """Whether the file is there with these bytes. Raises OSError for what a rename must not replace."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if status.st_size == len(data) and target.read_bytes() == data:
        return True
    os.close(os.open(target, os.O_WRONLY))  # a rename would go through; who made the file read-only meant it
    return False


def _make_folders(folder: Path) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        with suppress(FileExistsError):
            each.mkdir()
        sync_folder(each.parent)


def _replace(target: Path, data: bytes) -> None:
    descriptor, temp = temps.create(target)
    try:
        try:
            _write_whole(descriptor, data)
            _copy_owner_and_mode(target, descriptor)
            sync_file(descriptor)
            if SHARE_WHILE_OPEN:  # the lock is held until the temp has its final name
                temp.replace(target)
        finally:
            os.close(descriptor)
        if not SHARE_WHILE_OPEN:
            temp.replace(target)
    finally:
        temp.unlink(missing_ok=True)  # gone already, unless something failed
    sync_folder(target.parent)


def _write_whole(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _append_whole(descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    try:
        _write_whole(descriptor, data)
    except OSError:
        if os.fstat(descriptor).st_size > size:
            os.ftruncate(descriptor, size)
        raise


def _copy_owner_and_mode(target: Path, descriptor: int) -> None:
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    new = os.fstat(descriptor)
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(PermissionError):  # only root may give a file away; the mode still carries over
            os.fchown(descriptor, old.st_uid, old.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _move_across_disks(old: Path, new: Path) -> None:
    import shutil  # rare, and what only reads pays for this module too

    _replace(new, old.read_bytes())
    shutil.copystat(old, new)
    old.unlink()


@contextmanager
def _explained(verb: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        known = _HINTS.get(error.errno or 0, "check the file and the folders above it")
        raise WriteError(f"cannot {verb} {path}: {error.strerror or error}", f"{known}; nothing was changed") from error
    except ValueError as error:  # a NUL in the name
        raise WriteError(f"cannot {verb} {str(path)!r}: {error}", "choose a name without it") from error
