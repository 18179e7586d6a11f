"""Bounded reads with an error that says what is wrong with the file and what to do. Never writes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from openclaw_memory.errors import WorkspaceError

MAX_READ = 50_000_000  # bytes; a memory file this large is a mistake (a dump, a database)
_SNIFFED = 8_000  # bytes that git, too, looks at to call a file binary
_NONBLOCK = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read(path: Path, limit: int = MAX_READ, *, binary: bool = False) -> bytes:
    """The bytes of the regular file at `path` (symlinks followed), at most `limit` of them.

    Raises WorkspaceError for a file that is missing, a folder, no regular file, unreadable, larger than
    `limit`, or (unless `binary`) holds a NUL among its first 8,000 bytes.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _NONBLOCK)  # without it, opening a pipe would wait for ever
    except OSError as error:
        raise _refusal(path, error) from error
    except ValueError as error:  # a NUL in the name
        raise WorkspaceError(f"{str(path)!r} is no file name: {error}", "check the name") from error
    try:
        data = _read_regular(descriptor, path, limit)
    finally:
        os.close(descriptor)
    if not binary and b"\0" in data[:_SNIFFED]:
        raise WorkspaceError(f"{path} is a binary file", "memory files are UTF-8 text: convert it, or move it away")
    return data


def _read_regular(descriptor: int, path: Path, limit: int) -> bytes:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise WorkspaceError(f"{path} is a folder, not a file", "rename the folder, or name a file below it")
    if not stat.S_ISREG(status.st_mode):
        raise WorkspaceError(f"{path} is not a regular file", "replace the pipe, socket or device by a text file")
    if status.st_size > limit:
        raise _too_large(path, status.st_size, limit)
    try:
        data = _drain(descriptor, limit + 1, status.st_size)
    except OSError as error:
        raise _refusal(path, error) from error
    if len(data) > limit:  # it grew while we read
        raise _too_large(path, len(data), limit)
    return data


def _drain(descriptor: int, most: int, expected: int) -> bytes:
    """At most `most` bytes; the first look takes one more than are `expected`, so that it mostly is the only one."""
    data = os.read(descriptor, min(most, expected + 1))
    if len(data) <= expected and expected:
        return data
    parts = [data]
    left = most - len(data)
    while left and (part := os.read(descriptor, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _too_large(path: Path, size: int, limit: int) -> WorkspaceError:
    return WorkspaceError(
        f"{path} is too large: {size:,} bytes, the limit is {limit:,}",
        "split it into smaller files, or move it out of the memory folders",
    )


def _refusal(path: Path, error: OSError) -> WorkspaceError:
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return WorkspaceError(f"{path} is a symlink to nothing", f"point it at a file, or remove it: rm '{path}'")
        return WorkspaceError(f"{path} does not exist", "check the name, upper and lower case included")
    if isinstance(error, PermissionError):
        return WorkspaceError(f"{path} cannot be read: permission denied", f"chmod u+r '{path}'")
    if isinstance(error, IsADirectoryError):
        return WorkspaceError(f"{path} is a folder, not a file", "rename the folder, or name a file below it")
    return WorkspaceError(f"{path} cannot be read: {error.strerror}", "check the file and the folders above it")
