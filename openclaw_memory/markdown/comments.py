"""HTML comments inside a text: where they stand and what they say. Linear, whatever the text holds."""

from __future__ import annotations

from openclaw_memory.record import Record


class Comment(Record):
    """One `<!-- body -->` from offset `start` to `end`; `body` is trimmed."""

    start: int
    end: int
    body: str


def comments(text: str) -> list[Comment]:
    """The closed HTML comments of `text`, in order."""
    found = []
    start = text.find("<!--")
    while start >= 0:
        close = text.find("-->", start + 4)
        if close < 0:
            break
        found.append(Comment(start, close + 3, text[start + 4 : close].strip()))
        start = text.find("<!--", close + 3)
    return found


def without_comments(text: str) -> str:
    """`text` with its HTML comments cut out."""
    if "<!--" not in text:
        return text
    kept, at = [], 0
    for comment in comments(text):
        kept.append(text[at : comment.start])
        at = comment.end
    return "".join(kept) + text[at:]
