"""What was made of a file, until it changes: of those few that every search of a process that stays looks into."""

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
"""A file that changed so shortly before could change again and look the same."""
_kept: dict[tuple[str, str], tuple[tuple[int, ...], object]] = {}


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
    now = time.time_ns()
    made = make()
    if stamp and max(stamp[-2:]) < now - _RACY_NS:
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
