"""Where something was found, in words that can be shown: never the value itself."""

from __future__ import annotations

from openclaw_memory.record import Record


class Hit(Record):
    """One find: `line` from 1, `kind` in words ("an OpenAI key"), `shown` what may be printed of it."""

    line: int
    kind: str
    shown: str


def line_of(text: str, offset: int) -> int:
    """The number of the line that holds `offset` (LF and CRLF)."""
    return text.count("\n", 0, offset) + 1
