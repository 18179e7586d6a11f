"""Facts in JSON and JSON Lines: where each one stands in the text, and edits that touch nothing else.

A list is read in one call of the standard library's C scanner; where its facts stand is looked up on demand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from openclaw_memory.errors import FormatError

LIST_KEYS = ("facts", "items", "entries", "data")

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n,]*")


@dataclass
class Parsed:
    """`records[i]` stands at `spans[i]`; `opening` and `closing` are the offsets just inside the list's brackets
    (-1 for JSON Lines)."""

    text: str
    records: list[object]
    opening: int = -1
    closing: int = -1

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """From where to where each record stands."""
        if self.opening < 0:
            return [(at, end) for _, at, end in _walk(self.text, _first(self.text), len(self.text), _SPACE)]
        return [(at, end) for _, at, end in _walk(self.text, self.opening, self.closing, _COMMA)]

    @cached_property
    def escaped(self) -> bool:
        """Whether the file writes what is not ASCII as \\uXXXX."""
        return self.text.isascii() and "\\u" in self.text


def parse(text: str, path: str, lines: bool = False) -> Parsed:
    """The records of a JSON list, of a list under one of `LIST_KEYS`, or of JSON Lines.

    Raises FormatError naming line and column.
    """
    start = _skip(text, _first(text))
    if start == len(text):
        return Parsed(text, [])
    try:
        return _parse(text, start, path, lines)
    except json.JSONDecodeError as error:
        raise broken(path, text, error.pos, error.msg) from None
    except ValueError as error:  # a number of thousands of digits
        raise broken(path, text, start, str(error)) from None
    except RecursionError:
        raise broken(path, text, start, "nested too deeply") from None


def _parse(text: str, start: int, path: str, lines: bool) -> Parsed:
    if lines or _is_lines(text, start):
        return Parsed(text, [record for record, _, _ in _walk(text, start, len(text), _SPACE)])
    return _parse_list(text, _list_start(text, start, path) if text[start] == "{" else start, path)


def broken(path: str, text: str, position: int, reason: str) -> FormatError:
    """The error for a file that cannot be read at `position`, an offset into `text`."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return FormatError(
        f"{path}:{line}:{column}: {reason}",
        "put that place right, or take the file's last good version from git; nothing was changed",
    )


def _first(text: str) -> int:
    """The offset behind a byte order mark."""
    return 1 if text.startswith("\ufeff") else 0


def _skip(text: str, position: int, gap: re.Pattern[str] = _SPACE) -> int:
    found = gap.match(text, position)
    return found.end() if found else position


def _value(text: str, position: int) -> tuple[object, int]:
    return _DECODER.raw_decode(text, position)


def _is_lines(text: str, start: int) -> bool:
    """Several objects one after the other, or one that is itself a fact (not a wrapper of a list)."""
    if text[start] != "{":
        return False
    first, end = _value(text, start)
    after = _skip(text, end)
    if after < len(text):
        return text[after] == "{"
    assert isinstance(first, dict)
    wraps = not first or any(isinstance(value, list) and key in LIST_KEYS for key, value in first.items())
    return not wraps and "id" in first


def _walk(text: str, position: int, until: int, gap: re.Pattern[str]) -> Iterator[tuple[object, int, int]]:
    """The records from `position` up to `until`, with the offsets of each; `gap` is what may stand between them."""
    while (position := _skip(text, position, gap)) < until:
        record, end = _value(text, position)
        yield record, position, end
        position = end


def _list_start(text: str, start: int, path: str) -> int:
    wrapped = {key: value for key, _, _, value, _ in members(text, start) if text[value] == "["}
    for key in LIST_KEYS:
        if key in wrapped:
            return wrapped[key]
    raise broken(path, text, start, f"no list of facts here (looked for {', '.join(LIST_KEYS)})")


def _parse_list(text: str, start: int, path: str) -> Parsed:
    if text[start] != "[":
        raise broken(path, text, start, "expected a list of facts")
    try:
        records, end = _value(text, start)
    except json.JSONDecodeError:
        raise _list_error(text, start + 1, path) from None
    _check_around(text, start, end, path)
    assert isinstance(records, list)
    return Parsed(text, records, start + 1, end - 1)


def _check_around(text: str, start: int, end: int, path: str) -> None:
    """What stands around the list from `start` to `end` is sound, too. Raises FormatError."""
    head = text[:start].replace("\ufeff", " ", 1)
    try:
        json.loads(f"{head}[]{text[end:]}")
    except json.JSONDecodeError as error:
        raise broken(path, text, error.pos if error.pos <= start else error.pos + end - start - 2, error.msg) from None


def _list_error(text: str, position: int, path: str) -> FormatError:
    """What is wrong with the list whose bracket stands before `position`, named better than the library does."""
    position = _skip(text, position)
    while position < len(text) and text[position] != "]":
        _, end = _value(text, position)
        position = _after_comma(text, end, path)
    return broken(path, text, position, "the list is not closed with ]")


def _after_comma(text: str, end: int, path: str) -> int:
    position = _skip(text, end)
    if text[position : position + 1] == ",":
        following = _skip(text, position + 1)
        if text[following : following + 1] == "]":
            raise broken(path, text, position, "a comma before the closing ]")
        return following
    if text[position : position + 1] not in ("]", ""):
        raise broken(path, text, position, "expected a comma or ]")
    return position


def members(text: str, start: int) -> list[tuple[str, int, int, int, int]]:
    """The members of the object at `start`: (key, key from, key to, value from, value to)."""
    found: list[tuple[str, int, int, int, int]] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] == '"':
        key, key_end = _value(text, position)
        colon = _skip(text, key_end)
        if text[colon : colon + 1] != ":":
            raise json.JSONDecodeError("expected a colon", text, colon)
        value = _skip(text, colon + 1)
        _, value_end = _value(text, value)
        found.append((str(key), position, key_end, value, value_end))
        position = _skip(text, value_end)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
    return found


def edits(parsed: Parsed, index: int, values: Mapping[str, object]) -> list[tuple[int, int, str]]:
    """What to replace so that record `index` carries `values` (keys as written in it), as (from, to, new text)."""
    start, end = parsed.spans[index]
    text = parsed.text
    quick = _quick(parsed, index, values)
    if quick is not None:
        return quick
    present = members(text, start)
    by_key = {member[0]: member for member in present}
    changes = [
        (by_key[key][3], by_key[key][4], _dump(value, parsed.escaped)) for key, value in values.items() if key in by_key
    ]
    fresh = {key: value for key, value in values.items() if key not in by_key}
    if fresh:
        before, colon = _style(text, start, end, present)
        at = present[-1][4] if present else start + 1
        added = [
            f"{before}{_dump(key, parsed.escaped)}{colon}{_dump(value, parsed.escaped)}" for key, value in fresh.items()
        ]
        joined = ",".join(added)
        changes.append((at, at, f",{joined}" if present else joined.lstrip()))
    return changes


def _quick(parsed: Parsed, index: int, values: Mapping[str, object]) -> list[tuple[int, int, str]] | None:
    """The edits where each key stands once with a plain value, found by pattern; None where that does not hold.

    In an object without escapes and without objects inside, such a match can only be the member itself; for any other
    it is proven by reading the result. Ten times as fast as walking the members, for folding thousands of accesses.
    """
    start, end = parsed.spans[index]
    piece = parsed.text[start:end]
    changes: list[tuple[int, int, str]] = []
    for key, value in values.items():
        member = _plain_member(key)
        found = member.search(piece)
        if found is None or member.search(piece, found.end()):
            return None
        changes.append((start + found.start(1), start + found.end(1), _dump(value, parsed.escaped)))
    if ("\\" in piece or "{" in piece[1:]) and not _gives(parsed, index, changes, values):
        return None
    return changes


def _gives(parsed: Parsed, index: int, changes: list[tuple[int, int, str]], values: Mapping[str, object]) -> bool:
    """Whether record `index` carries `values`, and else what it did, once `changes` are made."""
    (start, end), record = parsed.spans[index], parsed.records[index]
    piece = parsed.text[start:end]
    for at, until, new in sorted(changes, reverse=True):
        piece = piece[: at - start] + new + piece[until - start :]
    return isinstance(record, dict) and json.loads(piece) == {**record, **values}


@cache
def _plain_member(key: str) -> re.Pattern[str]:
    """A member with the key `key` and a value without structure or escapes: null, a number, a simple string."""
    return re.compile(rf'{re.escape(json.dumps(key))}\s*:\s*(null|-?\d+|"[^"\\]*")(?=\s*[,}}])')


def _style(text: str, start: int, end: int, present: Sequence[tuple[str, int, int, int, int]]) -> tuple[str, str]:
    """What stands before a key, and between a key and its value."""
    if not present:
        return "", ": "
    last = present[-1]
    colon = text[last[2] : last[3]]
    if len(present) > 1:
        return text[present[-2][4] : last[1]].partition(",")[2], colon
    before = text[start + 1 : last[1]]
    return before if "\n" in before else " ", colon


def _rows(record: Mapping[str, object], colon: str, escaped: bool) -> list[str]:
    return [f"{_dump(key, escaped)}{colon}{_dump(value, escaped)}" for key, value in record.items()]


def _dump(value: object, escaped: bool) -> str:
    return json.dumps(value, ensure_ascii=escaped)


def additions(parsed: Parsed, records: Sequence[Mapping[str, object]], lines: bool) -> list[tuple[int, int, str]]:
    """What to insert so that `records` stand after the last one, in the form of the last one."""
    text = parsed.text
    if not records:
        return []
    if lines or (parsed.opening < 0 and parsed.spans):
        return _line_additions(parsed, records)
    if parsed.opening < 0:
        body = ",\n".join(_indented(record, "  ", "\n", parsed.escaped) for record in records)
        return [(len(text), len(text), f"[\n{body}\n]\n")]
    if not parsed.spans:
        return [_first_addition(parsed, records)]
    start, end = parsed.spans[-1]
    between = _between(parsed)
    new = "".join(f",{between}{_like(parsed, start, end, record)}" for record in records)
    return [(end, end, new)]


def _between(parsed: Parsed) -> str:
    if len(parsed.spans) > 1:
        return parsed.text[parsed.spans[-2][1] : parsed.spans[-1][0]].partition(",")[2]
    before = parsed.text[parsed.opening : parsed.spans[0][0]]
    return before if "\n" in before else " "


def _first_addition(parsed: Parsed, records: Sequence[Mapping[str, object]]) -> tuple[int, int, str]:
    text = parsed.text
    eol = "\r\n" if "\r\n" in text else "\n"
    line_start = text.rfind("\n", 0, parsed.opening) + 1
    margin = text[line_start : _SPACE.match(text, line_start).end()] if line_start else ""  # type: ignore[union-attr]
    inner = f"{margin}  "
    body = f",{eol}".join(_indented(record, inner, eol, parsed.escaped) for record in records)
    return parsed.opening, parsed.closing, f"{eol}{body}{eol}{margin}"


def _indented(record: Mapping[str, object], margin: str, eol: str, escaped: bool) -> str:
    rows = (f"{margin}  {row}" for row in _rows(record, ": ", escaped))
    return f"{margin}{{{eol}" + f",{eol}".join(rows) + f"{eol}{margin}}}"


def _like(parsed: Parsed, start: int, end: int, record: Mapping[str, object]) -> str:
    """`record` written as the object at `start` is: its space before keys, after colons and before the brace."""
    text = parsed.text
    present = members(text, start)
    before, colon = _style(text, start, end, present)
    head = text[start + 1 : present[0][1]] if present else ""
    tail = text[present[-1][4] : end - 1] if present else ""
    return "{" + head + f",{before}".join(_rows(record, colon, parsed.escaped)) + tail + "}"


def _line_additions(parsed: Parsed, records: Sequence[Mapping[str, object]]) -> list[tuple[int, int, str]]:
    text = parsed.text
    eol = "\r\n" if "\r\n" in text else "\n"
    if parsed.spans:
        rows = [_like(parsed, *parsed.spans[-1], record) for record in records]
        end = parsed.spans[-1][1]
        return [(end, end, "".join(f"{eol}{row}" for row in rows) + ("" if "\n" in text[end:] else eol))]
    rows = [json.dumps(record, ensure_ascii=False) for record in records]
    return [(len(text), len(text), "".join(f"{row}{eol}" for row in rows))]
