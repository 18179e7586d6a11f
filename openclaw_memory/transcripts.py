"""What was said in a host's conversations: JSON Lines (OpenClaw up to 2026.7, Claude Code), the SQLite of later ones.

Only what a person or the assistant said; tool calls, results and system text are not. Reads, a database while its
host writes to it; imports nothing of ours but the form of a record.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from openclaw_memory.record import Record

MAGIC = b"SQLite format 3\0"
"""What a database begins with."""
_ROLES = ("user", "assistant")
_TEXTS = ("text", "input_text", "output_text", None)
_QUERY = "SELECT timestamp, role, text FROM session_transcript_fts ORDER BY timestamp, rowid"


class Said(Record):
    """One message on one line: `when` to the minute in UTC (`2026-03-02T09:30`), "" where nothing says."""

    when: str
    role: str
    text: str


def of_json(data: bytes) -> Iterator[Said | None]:
    """What each line of JSON Lines says; None for one that nobody said."""
    return (_of_line(line) for line in data.splitlines())


def of_database(path: Path) -> Iterator[Said]:
    """The messages of OpenClaw's database, oldest first. Raises sqlite3.Error where it has another form."""
    uri = f"file:{quote(os.fsencode(path))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=5)) as db:
        db.text_factory = lambda text: text.decode("utf-8", "replace")
        for when, role, text in db.execute(_QUERY):
            if role in _ROLES and (said := _plain(str(text or ""))):
                yield Said(_minute(when), role, said)


def _of_line(line: bytes) -> Said | None:
    try:
        event = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    message = event.get("message", event) if isinstance(event, dict) else None
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        return None
    said = _plain(" ".join(_texts(message.get("content"))))
    return Said(_minute(event.get("timestamp")), message["role"], said) if said else None


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in _TEXTS and isinstance(part.get("text"), str):
            yield part["text"]


def _plain(text: str) -> str:
    """`text` on one line, and without halves of characters, which JSON can spell and nothing can write."""
    return " ".join(text.split()).encode("utf-8", "replace").decode()


def _minute(value: object) -> str:
    """`value` as ISO text, or as the milliseconds since 1970 that the database holds."""
    if isinstance(value, str) and not value.isdecimal():
        return value[:16]
    if isinstance(value, str):
        value = int(value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return ""
    try:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat()[:16]
    except (ValueError, OverflowError, OSError):
        return ""
