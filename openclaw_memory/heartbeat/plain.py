"""Text without its marks, and names as keys. Pure."""

from __future__ import annotations

import re

from openclaw_memory.patterns import pattern

_COMMENT = pattern(r"<!--.*?-->", re.DOTALL)
_EMPHASIS = pattern(r"\*\*|__|~~|`")
_MARKS = frozenset("*_~`")
_LINK = pattern(r"!?\[([^\]]*)\]\([^)]*\)")
_SLUG = pattern(r"[^\w]+")


def plain(text: str) -> str:
    """`text` without emphasis, links' targets and comments."""
    if "<!--" in text:
        text = _COMMENT.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return text.strip() if _MARKS.isdisjoint(text) else _EMPHASIS.sub("", text).strip()


def slug(name: str) -> str:
    """The name as a key: letters and digits of any language, lower case, joined by `-`."""
    import unicodedata

    folded = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return _SLUG.sub("-", folded.casefold()).strip("-_") or "task"
