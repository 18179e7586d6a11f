"""When a stat says that a file did not change; and what was made of a file, until it does.

Kept are those few that every search of a process that stays looks into.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

_MOST = 16
_RACY_NS = 2_000_000_000
"""The coarsest clock of a file system in use (FAT: 2 s)."""
_kept: dict[tuple[str, str], tuple[tuple[int, ...], object]] = {}


def clock() -> int:
    """Nanoseconds, as file systems count them."""
    return time.time_ns()


def is_racy(changed_ns: int, read_at_ns: int) -> bool:
    """Whether a file that changed at `changed_ns` could have changed again after it was read, and look the same.

    Git's rule for files that are racily clean (its racy-git.txt): a stat is believed only where it was taken later
    than the file's own time by more than a tick of the clock that wrote that. `read_at_ns` is the `clock` from before
    the file was read; a time in the future is in doubt as well.
    """
    return changed_ns >= read_at_ns - _RACY_NS


def unchanged(path: str, kind: str, make: Callable[[], T], missing: T) -> T:
    """What `make` makes of the file at `path`, which it reads: what it made before, where the file is the same since.

    `kind` tells several things that are made of one file from each other; `missing` is for no file. What is made is
    handed to many and must not be changed. Raises what `make` raises, and keeps nothing then.
    """
    stamp = _stamp(path)
    if stamp is None:
        return missing
    known = _kept.get((path, kind))
    if known is not None and known[0] == stamp:
        return known[1]  # type: ignore[return-value]  # of the same kind
    read_at = clock()
    made = make()
    if stamp and not is_racy(max(stamp[-2:]), read_at):
        if len(_kept) >= _MOST:
            _kept.clear()
        _kept[path, kind] = stamp, made
    return made


def _stamp(path: str) -> tuple[int, ...] | None:
    """What changes with a file; None where there is none, `()` where that cannot be told."""
    try:
        stat = os.stat(path)  # noqa: PTH116 - on the way of every search
    except FileNotFoundError:
        return () if os.path.islink(path) else None  # noqa: PTH114 - a link to nothing is something to tell
    except (OSError, ValueError):
        return ()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
