"""Where the warm server of a workspace listens. Light: every `query` imports it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from openclaw_memory.errors import WriteError

try:
    from _sha1 import sha1  # type: ignore[import-not-found]  # Python's own: hashlib loads OpenSSL, 6 ms of each `query`
except ImportError:  # a build without it
    from hashlib import sha1

_LONGEST = 70
"""Bytes of the folder's path: a socket's whole path may have 104 (macOS) or 108 (Linux), its name takes 22."""


def _bases() -> list[Path]:
    name = f"openclaw-memory-{os.getuid()}"
    places = (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp")
    return [Path(place) / name for place in places if place]


def folder() -> Path:
    """A folder that only this user can enter: below XDG_RUNTIME_DIR, else the temp folder. Raises WriteError.

    Not the workspace's state folder: a socket's path may have about a hundred bytes, and file systems that are
    shared or synced have no sockets.
    """
    path = next((one for one in _bases() if len(os.fsencode(one)) <= _LONGEST), _bases()[-1])
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        stat = path.lstat()
    except OSError as error:
        raise WriteError(f"cannot make {path}: {error.strerror}", "set XDG_RUNTIME_DIR to a folder of yours") from error
    if stat.st_uid != os.getuid() or stat.st_mode & 0o077 or not path.is_dir() or path.is_symlink():
        raise WriteError(f"{path} is not a folder of this user alone", "remove it, or set XDG_RUNTIME_DIR")
    return path


def socket_path(root: Path) -> Path:
    """The socket of the workspace at `root`."""
    return folder() / f"{_name(root)}.sock"


def lock_path(root: Path) -> Path:
    """The lock that its server holds as long as it lives."""
    return folder() / f"{_name(root)}.lock"


def _name(root: Path) -> str:
    return str(sha1(os.fsencode(os.path.realpath(root)), usedforsecurity=False).hexdigest()[:16])
