"""Session transcripts as pages: what was said, one line a message. Low trust: searched only when named.

A line of a JSON Lines file keeps its number; what nobody said is empty. Reading them is `openclaw_memory.transcripts`.
"""

from __future__ import annotations

import os
from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from openclaw_memory.transcripts import Said

MASK = "**/*.jsonl,**/openclaw-agent.sqlite"
DATABASE = ".sqlite"
_DOUBLES = ".trajectory.jsonl"
_LONGEST = 4000


def is_double(path: str) -> bool:
    """Whether `path` is a second copy of a session that a host keeps beside the first."""
    return path.endswith(_DOUBLES) or (".jsonl." in path) or (".checkpoint." in path and path.endswith(".jsonl"))


def lines_of_json(data: bytes) -> bytes:
    """JSON Lines as text: a line says `role: words`, or nothing."""
    from openclaw_memory.transcripts import of_json

    return b"\n".join(_line(said) if said else b"" for said in of_json(data)) + b"\n"


def lines_of_database(path: Path) -> bytes:
    """The messages of OpenClaw's database, oldest first. Raises sqlite3.Error where it has another form."""
    from openclaw_memory.transcripts import of_database

    return b"\n".join(map(_line, of_database(path))) + b"\n"


def _line(said: Said) -> bytes:
    when = f" ({said.when})" if said.when else ""
    return f"- {said.role}: {said.text[:_LONGEST]}{when}".encode("utf-8", "replace")


class Status(Record):
    """The part of a stat that says whether a file is still the same."""

    st_size: int
    st_mtime_ns: int
    st_ino: int


def status_of(path: str) -> Status:
    """That of a database and its write-ahead log together: both sizes, the newer time. Raises OSError."""
    own = os.stat(path)  # noqa: PTH116 - names with any byte
    try:
        log = os.stat(f"{path}-wal")  # noqa: PTH116
    except OSError:
        return Status(own.st_size, own.st_mtime_ns, own.st_ino)
    return Status(own.st_size + log.st_size, max(own.st_mtime_ns, log.st_mtime_ns), own.st_ino)
