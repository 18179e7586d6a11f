"""Edits inside one line of the index: a table cell, a comment, the text about a file. Pure, from line to line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openclaw_memory.index import details
from openclaw_memory.markdown import cells

_ABOUT = re.compile(r"(\s*(?:[:：]|[-—–→=|]+)\s+|：|\s+)?(.*?)(\s*(?:<!--|\Z))", re.S)
_COMMENT = re.compile(r"<!--.*?-->")
_KEYS = ("trigger", "importance", "rev")


def comment(key: str) -> re.Pattern[str]:
    """What finds `<!-- key: ... -->`."""
    names = r"(?:triggers?|keywords?)" if key == "trigger" else key
    return re.compile(rf"<!--\s*{names}\s*[:=]\s*(?:.*?)\s*-->", re.I)


def with_comment(line: str, key: str, value: str) -> str | None:
    """`line` with its comment `key` saying `value` ("" takes it away); None where it has no such comment."""
    found = comment(key).search(line)
    if found is None:
        return None
    if value:
        return f"{line[: found.start()]}<!-- {key}: {value} -->{line[found.end() :]}"
    return line[: found.start()].rstrip() + line[found.end() :]


def with_new_comment(line: str, key: str, value: str, *, row: bool = False) -> str:
    """`line` with `<!-- key: value -->` at its end (a row's: in its last cell), in the host's order of comments."""
    new = f"<!-- {key}: {value} -->"
    later = [found for other in _KEYS[_order(key) + 1 :] if (found := comment(other).search(line))]
    if later:
        at = min(found.start() for found in later)
        return f"{line[:at]}{new} {line[at:]}"
    at = cells(line)[-1].end if row else len(line.rstrip())
    rest = line[at:].lstrip(" ") if row else ""
    gap = " " if at and not line[:at].endswith(" ") else ""
    return line[:at] + gap + new + (f" {rest}" if rest else "")


def _order(key: str) -> int:
    return _KEYS.index(key) if key in _KEYS else -1


def comments_of(line: str) -> list[str]:
    """The HTML comments in `line`."""
    return _COMMENT.findall(line)


def with_inline_triggers(line: str, start: int, words: Sequence[str]) -> str | None:
    """`line` with other words behind its `Triggers:`, looked for from `start`; None where it has none."""
    bare = _COMMENT.sub(lambda found: "<" * len(found[0]), line)  # what a comment says is not in the text
    found = details.INLINE.search(bare, start)
    if found is None or not found["words"].strip():
        return None
    end = found.start("words") + len(found["words"].rstrip(" .*_"))
    return line[: found.start("words")] + ", ".join(words) + line[end:]


def with_about(line: str, start: int, about: str, default: str) -> str:
    """`line` with `about` as the text from `start` to the first comment; `default` stands before it where none was."""
    found = _ABOUT.match(line, start)
    assert found is not None  # the pattern matches anything
    lead = found[1] if found[1] and found[2] else default
    rest = line[found.end(2) :].lstrip()
    told = (line[:start] + (lead + about if about else "")).rstrip()
    return f"{told} {rest}" if rest else told


def with_cell(line: str, at: int, value: str) -> str:
    """The row `line` with `value` in column `at`; the comments in that cell and the column's width are kept."""
    line = _with_cells(line, at + 1)
    cell = cells(line)[at]
    kept = " ".join(comments_of(cell.text))
    text = " ".join(part for part in (value.replace("|", "\\|"), kept) if part)
    end = cell.end
    if len(text) > len(cell.text) and line[end : end + 1] == " ":
        spare = len(line[end:]) - len(line[end:].lstrip(" ")) - 1
        end += max(min(spare, len(text) - len(cell.text)), 0)
    elif line[end : end + 2] == "  ":
        text = text.ljust(len(cell.text))
    pad = " " if line[cell.start - 1 : cell.start] == "|" and line[cell.start : cell.start + 1] == "|" else ""
    return line[: cell.start] + pad + text + pad + line[end:]


def _with_cells(line: str, count: int) -> str:
    """A row that has fewer cells than its header has columns, filled up."""
    while len(cells(line)) < count:
        body = line.rstrip()
        line = f"{body}  |" if body.endswith("|") else f"{body} |  |"
    return line
