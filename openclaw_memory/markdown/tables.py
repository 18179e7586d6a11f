"""Table rows of GitHub flavoured Markdown: cells, and where they stand in the line."""

from __future__ import annotations

from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record

_PIPE = pattern(r"(?<!\\)\|")
_DELIMITER = pattern(r"\|?[ \t]*:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\Z")


class Cell(Record):
    """One cell: its trimmed `text` as it stands in the line, from offset `start` to `end`."""

    text: str
    start: int
    end: int


def cells(line: str) -> list[Cell]:
    """The cells of a row with their spans in `line`; outer pipes are optional, `\\|` does not split."""
    body = line.rstrip(" \t")
    start = len(line) - len(line.lstrip(" \t"))
    cuts = [match.start() for match in _PIPE.finditer(body)]
    if cuts and cuts[0] == start:
        start = cuts.pop(0) + 1
    ends = cuts if cuts and cuts[-1] == len(body) - 1 else [*cuts, len(body)]
    found = []
    for end in ends:
        text = body[start:end]
        lead = len(text) - len(text.lstrip(" \t"))
        inner = text.strip(" \t")
        found.append(Cell(inner, start + lead, start + lead + len(inner)))
        start = end + 1
    return found


def split_row(line: str) -> tuple[str, ...]:
    """The trimmed cells of a row with `\\|` unescaped; an empty line has one empty cell."""
    body = line.strip(" \t")
    body = body.removeprefix("|")
    if body.endswith("|") and not body.endswith("\\|"):
        body = body[:-1]
    if "\\" not in body:
        return tuple([part.strip(" \t") for part in body.split("|")])
    return tuple([part.strip(" \t").replace("\\|", "|") for part in _PIPE.split(body)])


def is_delimiter(line: str) -> bool:
    """Whether `line` is the row of dashes below a table's header."""
    return _DELIMITER.match(line) is not None
