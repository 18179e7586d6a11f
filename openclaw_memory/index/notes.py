"""The comments that carry an entry's words: `<!-- trigger: a, b --> <!-- importance: 7 --> <!-- rev: 3f9a1c -->`."""

from __future__ import annotations

import re

from openclaw_memory.markdown import comments
from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record

_KEY = pattern(r"(trigger|keyword|importance|rev|about)s?\s*[:=]\s*", re.I)


class Note(Record):
    """One such comment: what it says under which key (trigger, importance, rev, about), from `start` to `end`."""

    key: str
    value: str
    start: int
    end: int


def notes(text: str) -> list[Note]:
    """The notes of `text`, in order; other comments are none."""
    if "<!--" not in text:
        return []
    found = []
    for comment in comments(text):
        match = _KEY.match(comment.body)
        if match:
            key = match[1].lower()
            value = comment.body[match.end() :]
            found.append(Note("trigger" if key == "keyword" else key, value, comment.start, comment.end))
    return found
