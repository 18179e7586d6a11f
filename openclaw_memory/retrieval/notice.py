"""Whether anything happened in a set of folders: asked of the kernel (inotify), without looking at the files.

For processes that stay. The kernel queues an event before the call that caused it returns, so that a question asked
after a write always hears of it. Not told are writes through a memory map and those of another machine on a shared
file system: whoever asks should look at the disk from time to time. Linux only; elsewhere OSError, and nobody asks.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock  # threading's own lock, without its import
from collections.abc import Iterable

_FLAGS = os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0)
_EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""modify, attributes, close after write, moved from and to, create, delete; the folder itself deleted or moved."""
_ONLY_FOLDERS = 0x01000000
_MOST = 4096
"""Folders that are watched; the kernel's own limit may be some 8,000 for all programs of a user."""


class Notice:
    """Events in `folders` since it was made. Raises OSError where they cannot be watched."""

    _shut = staticmethod(os.close)  # kept here: when the process ends, this module's names may be gone first

    def __init__(self, folders: Iterable[str]) -> None:
        self.folders = frozenset(folders)
        self._lock = allocate_lock()
        self._heard = 0
        if not sys.platform.startswith("linux") or len(self.folders) > _MOST:
            raise OSError("these folders cannot be watched")
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(_FLAGS)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        for folder in self.folders:
            if libc.inotify_add_watch(self._descriptor, os.fsencode(folder), _EVENTS | _ONLY_FOLDERS) < 0:
                self.close()
                raise OSError(ctypes.get_errno(), f"cannot watch {folder}")

    def heard(self) -> int:
        """A number that grows whenever something happened."""
        with self._lock:
            try:
                while self._descriptor >= 0 and os.read(self._descriptor, 1 << 16):
                    self._heard += 1
            except BlockingIOError:
                return self._heard
            self._heard += 1  # closed: nothing is known
            return self._heard

    def close(self) -> None:
        """Watch no longer."""
        with self._lock:
            if self._descriptor >= 0:
                self._shut(self._descriptor)
                self._descriptor = -1

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            self.close()
