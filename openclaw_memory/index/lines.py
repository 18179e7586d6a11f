"""Edits inside one line of the index: a table cell, a comment, the text about a file. Pure, from line to line."""

from __future__ import annotations

from collections.abc import Sequence

from openclaw_memory.index import details
from openclaw_memory.index.notes import notes
from openclaw_memory.markdown import cells, comments
from openclaw_memory.patterns import pattern

_LEAD = pattern(r"\s*(?:[:：]|[-—–→=|]+)\s+|：|\s+")
_KEYS = ("trigger", "importance", "rev")


def with_comment(line: str, key: str, value: str) -> str | None:
    """`line` with its comment `key` saying `value` ("" takes it away); None where it has no such comment."""
    found = next((note for note in notes(line) if note.key == key), None)
    if found is None:
        return None
    if value:
        return f"{line[: found.start]}<!-- {key}: {value} -->{line[found.end :]}"
    return line[: found.start].rstrip() + line[found.end :]


def with_new_comment(line: str, key: str, value: str, *, row: bool = False) -> str:
    """`line` with `<!-- key: value -->` at its end (a row's: in its last cell), in the host's order of comments."""
    new = f"<!-- {key}: {value} -->"
    behind = _KEYS[_KEYS.index(key) + 1 :] if key in _KEYS else _KEYS
    later = [note.start for note in notes(line) if note.key in behind]
    if later:
        at = min(later)
        return f"{line[:at]}{new} {line[at:]}"
    at = cells(line)[-1].end if row else len(line.rstrip())
    rest = line[at:].lstrip(" ") if row else ""
    gap = " " if at and not line[:at].endswith(" ") else ""
    return line[:at] + gap + new + (f" {rest}" if rest else "")


def comments_of(line: str) -> list[str]:
    """The HTML comments in `line`."""
    return [line[found.start : found.end] for found in comments(line)]


def with_inline_triggers(line: str, start: int, words: Sequence[str]) -> str | None:
    """`line` with other words behind its `Triggers:`, looked for from `start`; None where it has none."""
    bare = line
    for found in comments(line):  # what a comment says is not in the text
        bare = bare[: found.start] + "<" * (found.end - found.start) + bare[found.end :]
    match = details.INLINE.search(bare, start)
    if match is None or not match["words"].strip():
        return None
    end = match.start("words") + len(match["words"].rstrip(" .*_"))
    return line[: match.start("words")] + ", ".join(words) + line[end:]


def with_about(line: str, start: int, about: str, default: str) -> str:
    """`line` with `about` as the text from `start` to the first comment; `default` stands before it where none was."""
    end = line.find("<!--", start)
    end = len(line) if end < 0 else end
    lead = _LEAD.match(line, start, end)
    said = lead is not None and line[lead.end() : end].strip() != ""
    told = line[:start] + ((lead[0] if lead and said else default) + about if about else "")
    rest = line[end:].rstrip()
    return f"{told.rstrip()} {rest}" if rest else told.rstrip()


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
