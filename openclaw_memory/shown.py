"""Words as they are shown: on one line, whatever bytes a file's name holds. Pure; imports nothing of ours."""

from __future__ import annotations


def visible(words: str) -> str:
    """`words` on one line, control characters and stray bytes shown as escapes."""
    if words.isprintable():
        return words
    return "".join(char if char.isprintable() or char in "\u200d\ufe0f" else _escape(char) for char in words)


def _escape(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def visible_bytes(words: str) -> str:
    """`words` with bytes that are no UTF-8 shown as escapes."""
    return "".join(_escape(char) if "\udc80" <= char <= "\udcff" else char for char in words)
