"""Simple front matter without YAML: `key: value`, `key: [a, b]` and `key:` with `- item` lines.

A bulk index meets thousands of these, and YAML costs more than all the rest of such a file. What is not plainly
simple is None: then the YAML reader decides. A test holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from openclaw_memory.patterns import pattern

_PAIR = pattern(r"([A-Za-z_][\w-]*):(?:[ \t]+(.*?))?[ \t]*\Z")
_ITEM = pattern(r"[ \t]*- (.*?)[ \t]*\Z")
_PLAIN = pattern(r"[A-Za-z][^:#{}\[\],&*!|>'\"%@`\\\n]*\Z")
_BLOCK = pattern(r"[A-Za-z][^:#\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*\Z")
"""A plain scalar outside of brackets, where most signs mean nothing."""
_NUMBER = pattern(r"(?:0|[1-9]\d{0,8})\Z")
_DATE = pattern(r"\d{4}-\d\d-\d\d\Z")
_QUOTED = pattern(r"\"([^\"\\\n]*)\"\Z|'([^'\n]*)'\Z")
_LIST = pattern(r"\[([^\[\]{}'\"]*)\]\Z")
_NOT_TEXT = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


def quick(lines: Sequence[str]) -> dict[str, object] | None:
    """The mapping that the lines between the fences hold, dates as text; None where YAML should decide."""
    found: dict[str, object] = {}
    items: list[str] | None = None
    for line in lines:
        if not line.strip():
            continue
        pair = _PAIR.match(line)
        if pair is None:
            item = _ITEM.match(line)
            value = _text(item[1]) if item and items is not None else None
            if value is None or items is None:
                return None
            items.append(value)
            continue
        if pair[1] in found:
            return None
        if not pair[2]:
            found[pair[1]] = items = []
            continue
        items = None
        value_or_list = _value(pair[2])
        if value_or_list is None:
            return None
        found[pair[1]] = value_or_list
    return None if any(value == [] for value in found.values()) else found


def scalar(text: str) -> str | None:
    """A plain or quoted text or a date; None for anything that YAML might read as something else."""
    if _PLAIN.match(text):
        return None if text.lower() in _NOT_TEXT else text
    if quoted := _QUOTED.match(text):
        return quoted[1] if quoted[1] is not None else quoted[2]
    return text if _DATE.match(text) else None


def _text(text: str) -> str | None:
    """A scalar that stands in no brackets."""
    return scalar(text) if not _BLOCK.match(text) or text.lower() in _NOT_TEXT else text


def _value(text: str) -> str | int | list[str] | None:
    if _NUMBER.match(text):
        return int(text)
    listed = _LIST.match(text)
    if listed is None:
        return _text(text)
    parts = [scalar(part.strip()) for part in listed[1].split(",")]
    return None if None in parts else [part for part in parts if part is not None]
