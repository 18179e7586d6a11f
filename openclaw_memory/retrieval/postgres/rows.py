"""How names, texts and stats stand in the database, which takes no NUL and nothing that is not UTF-8."""

from __future__ import annotations

from openclaw_memory.retrieval.identity import Stat
from openclaw_memory.retrieval.paths import escaped, unescaped

_ESCAPED = "//"
"""What no path below a folder begins with."""
_RACY = "racy"


def plain(text: str) -> str:
    """`text` as PostgreSQL takes it: valid UTF-8 without NUL, as long as before."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def stored(path: str) -> str:
    """`path` for the database, without loss: one that is not UTF-8 is escaped."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return _ESCAPED + escaped(path)
    return path


def restored(value: str) -> str:
    """The inverse of `stored`."""
    return unescaped(value[len(_ESCAPED) :]) if value.startswith(_ESCAPED) else value


def stat_text(stat: Stat) -> str:
    """`stat` for the database."""
    return f"{stat.size} {stat.mtime_ns} {stat.inode}{f' {_RACY}' if stat.racy else ''}"


def stat_of(text: str) -> Stat:
    """The inverse of `stat_text`."""
    size, mtime, inode, *racy = text.split()
    return Stat(int(size), int(mtime), int(inode), bool(racy))
