"""Text that every database takes. A module of its own: a search needs this of a page, and not how pages are read."""

from __future__ import annotations

from openclaw_memory.patterns import pattern

_LONE = pattern("[\ud800-\udfff]")


def plain(text: str) -> str:
    """`text` without what no database takes, as long as before: NUL, and bytes that were no UTF-8."""
    text = text.replace("\0", " ")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE.sub("\ufffd", text)
    return text
