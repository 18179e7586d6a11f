"""Session transcripts as pages: what was said, one line a message. Low trust: searched only when named.

Hosts up to OpenClaw 2026.7 (and Claude Code) keep a JSON Lines file a session, later ones a SQLite database an agent,
which is opened read-only while the host runs. A line of a JSON Lines file keeps its number; what nobody said is empty.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from openclaw_memory.record import Record

MASK = "**/*.jsonl,**/openclaw-agent.sqlite"
DATABASE = ".sqlite"
_DOUBLES = ".trajectory.jsonl"
_ROLES = ("user", "assistant")
_QUERY = "SELECT timestamp, role, text FROM session_transcript_fts ORDER BY timestamp, rowid"
_LONGEST = 4000


def is_double(path: str) -> bool:
    """Whether `path` is a second copy of a session that a host keeps beside the first."""
    return path.endswith(_DOUBLES) or (".jsonl." in path) or (".checkpoint." in path and path.endswith(".jsonl"))


def lines_of_json(data: bytes) -> bytes:
    """JSON Lines as text: a line says `role: words`, or nothing."""
    return b"\n".join(_said(line) for line in data.splitlines()) + b"\n"


def _said(line: bytes) -> bytes:
    try:
        event = json.loads(line)
    except ValueError:
        return b""
    message = event.get("message", event) if isinstance(event, dict) else None
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        return b""
    text = " ".join(_texts(message.get("content")))
    return _line(str(event.get("timestamp") or ""), message["role"], text) if text.strip() else b""


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def _line(when: str, role: str, text: str) -> bytes:
    said = f"- {role}: {' '.join(text.split())[:_LONGEST]}"
    return (f"{said} ({when[:16]})" if when else said).encode("utf-8", "replace")


def lines_of_database(path: Path) -> bytes:
    """The messages of OpenClaw's database, oldest first. Raises sqlite3.Error where it has another form."""
    uri = f"file:{quote(str(path))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=5)) as db:
        rows = db.execute(_QUERY)
        lines = [_line(str(when or ""), str(role), str(text or "")) for when, role, text in rows if role in _ROLES]
    return b"\n".join(lines) + b"\n"


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
