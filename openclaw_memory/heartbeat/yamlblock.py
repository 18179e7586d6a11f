"""The `tasks:` block: YAML as people write it between Markdown, read by the line, so that a broken task spoils none.

Every value is text here; what the keys mean, `yamltasks.py` knows. No YAML library: a thousand tasks are
waited for, and a time such as 07:00 must not become a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

START = re.compile(r"tasks:[ \t]*(?:\[[ \t]*\])?[ \t]*(?:#.*)?\Z", re.IGNORECASE)
_KEY = re.compile(r"[\"']?([^\W\d][\w -]{0,40}?)[\"']?[ \t]*:(?:[ \t]+(.*)|)\Z")
_SLIPPED = re.compile(r"-\s+(?:name|id|prompt|interval)\s*:", re.IGNORECASE)
_PAIR = re.compile(r"""\s*([\w -]+?)\s*:\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^,]*)""")
_SCALAR = re.compile(r"[|>][-+]?\d?[-+]?[ \t]*(?:#.*)?\Z")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "r": "\r", "0": "\0"}


class Entry:
    """One task of the block: its fields as text, where each stands, and what could not be read (line, message)."""

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last
        self.fields: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.problems: list[tuple[int, str]] = []
        self.plain = False
        """Whether it is a bullet without any key."""


def read_block(texts: Sequence[str], start: int) -> tuple[list[Entry], int]:
    """The entries of the block whose `tasks:` line is `texts[start]`, and the number of its last line (from 1)."""
    entries: list[Entry] = []
    last = start
    item_indent = -1
    for at in range(start + 1, len(texts)):
        text = texts[at].expandtabs(4)
        bare = text.strip()
        indent = len(text) - len(text.lstrip())
        if not bare:
            continue
        if bare.startswith("#") and not (entries and indent > item_indent):
            if indent == 0 and not _goes_on(texts, at + 1):
                break
            continue
        slipped = entries and item_indent < indent <= item_indent + 2 and _SLIPPED.match(bare)
        if slipped:
            entries.append(Entry(at + 1, at + 1))
            entries[-1].problems.append((at + 1, "this task is indented unlike those above it"))
        elif item_indent < 0 or indent <= item_indent:
            if not (bare == "-" or bare.startswith("- ")) or indent < item_indent:
                break
            item_indent = indent
            entries.append(Entry(at + 1, at + 1))
        entries[-1].last = last = at + 1
    for entry in entries:
        _fill(entry, texts)
    return entries, last if entries else start + 1


def read_mapping(texts: Sequence[str], first: int, last: int) -> Entry:
    """The fields of lines `first` to `last` (from 1, `last` not included where it is 0), as front matter has them."""
    entry = Entry(first, last)
    if last >= first:
        _fill_from(entry, [(number, texts[number - 1].expandtabs(4)) for number in range(first, last + 1)])
    return entry


def _goes_on(texts: Sequence[str], at: int) -> bool:
    """Whether the block goes on below a comment at the left edge (else it was a heading)."""
    for text in texts[at:]:
        if text.strip() and not text.startswith("#"):
            return text[:1] in " \t" or bool(re.match(r"-[ \t]+\w[\w ]*:", text))
    return False


def _fill(entry: Entry, texts: Sequence[str]) -> None:
    """Read the fields of one entry from its lines."""
    lines = [(number, texts[number - 1].expandtabs(4)) for number in range(entry.first, entry.last + 1)]
    number, text = lines[0]
    dash = text.index("-")
    lines[0] = (number, text[:dash] + " " + text[dash + 1 :])
    _fill_from(entry, lines)


def _fill_from(entry: Entry, lines: list[tuple[int, str]]) -> None:
    at = 0
    while at < len(lines):
        number, text = lines[at]
        bare = text.strip()
        at += 1
        if not bare or bare.startswith("#"):
            continue
        key = _KEY.match(bare)
        if key is None:
            at = _stray(entry, lines, at, number, bare)
            continue
        name, value = _name(key[1]), (key[2] or "").strip()
        indent = len(text) - len(text.lstrip())
        below = _below(lines, at, indent, listed=not value)
        if _SCALAR.match(value):
            value, at = _block_scalar(lines[at:below], folded=value[0] == ">"), below
        elif value[:1] in ("'", '"') and not _closed(value):
            value, at = _long_quote(entry, lines, number, value, at, below)
        elif not value or value[0] in "[{":
            if value and not _balanced(" ".join([value, *(text for _, text in lines[at:below])])):
                entry.problems.append((number, f"`{value[0]}` is opened and not closed"))
            value, at = _nested(value, lines[at:below]), below
        else:
            value = _scalar(value)
        if name in entry.fields:
            entry.problems.append((number, f"`{name}:` comes twice in one task; the first is taken"))
        entry.fields.setdefault(name, value)
        entry.lines.setdefault(name, number)


def _name(key: str) -> str:
    """`runAt`, `run_at` and `run-at` are one key."""
    return re.sub(r"[\s_-]", "", key).lower()


def _stray(entry: Entry, lines: list[tuple[int, str]], at: int, number: int, bare: str) -> int:
    if bare[0] == "{" and bare[-1] == "}":
        for name, value in _PAIR.findall(bare[1:-1]):
            entry.fields.setdefault(_name(name), _scalar(value.strip()))
            entry.lines.setdefault(_name(name), number)
    elif number == entry.first and not entry.fields:
        if not _balanced(bare):
            entry.problems.append((number, f"`{bare[0]}` is opened and not closed"))
        entry.plain = not any(_KEY.match(text.strip()) for _, text in lines[1:])
        if not entry.plain:
            entry.problems.append((number, f"“{bare[:40]}” is not `key: value`; it is taken for the name"))
        entry.fields["prompt"] = entry.fields["name"] = _scalar(bare)
        entry.lines["prompt"] = entry.lines["name"] = number
    elif entry.fields and list(entry.fields)[-1] in ("prompt", "text", "description"):
        last = list(entry.fields)[-1]
        entry.fields[last] = f"{entry.fields[last]}\n{bare}".strip()
    else:
        entry.problems.append((number, f"“{bare[:40]}” is not `key: value`"))
    return at


def _below(lines: list[tuple[int, str]], at: int, indent: int, listed: bool) -> int:
    """The index after the lines that stand deeper than `indent`, or are `listed` with a dash right at it."""
    while at < len(lines):
        bare = lines[at][1].lstrip()
        depth = len(lines[at][1]) - len(bare)
        if bare and depth <= indent and not (listed and depth == indent and bare.startswith("- ")):
            break
        at += 1
    return at


def _block_scalar(lines: list[tuple[int, str]], folded: bool) -> str:
    texts = [text for _, text in lines]
    depth = min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)
    body = "\n".join(text[depth:].rstrip() for text in texts).strip("\n")
    return re.sub(r"(?<!\n)\n(?!\n)", " ", body) if folded else body


def _closed(value: str) -> bool:
    quote = value[0]
    body = re.sub(r"\\.", "", value[1:]) if quote == '"' else value[1:].replace("''", "")
    return quote in body


def _balanced(flow: str) -> bool:
    """Whether each bracket outside quotes is closed."""
    bare = _QUOTED.sub("", flow)
    return all(bare.count(opened) == bare.count(closed) for opened, closed in ("[]", "{}"))


def _long_quote(
    entry: Entry, lines: list[tuple[int, str]], number: int, value: str, at: int, below: int
) -> tuple[str, int]:
    for end in range(at, below):
        value += " " + lines[end][1].strip()
        if _closed(value):
            return _scalar(value), end + 1
    entry.problems.append((number, "a quote is opened and not closed"))
    return value[1:].strip(), below


def _nested(value: str, lines: list[tuple[int, str]]) -> str:
    """A list as its elements joined by commas (`[a, b]`, or `- a` below), a mapping as `key value` pairs."""
    flow = " ".join([value, *(text.strip() for _, text in lines)]) if value else ""
    parts = flow.strip("[]{} ").split(",") if flow else [text.strip().removeprefix("- ") for _, text in lines]
    pairs = (re.sub(r"^(\w+):\s+", r"\1 ", part.strip()) for part in parts)
    return ", ".join(_scalar(pair) for pair in pairs if pair and not pair.startswith("#"))


def _scalar(value: str) -> str:
    """A plain or quoted scalar as text, without a comment behind it."""
    if value[:1] == "'":
        return value[1:].partition("'")[0] if "''" not in value else value[1 : value.rindex("'")].replace("''", "'")
    if value[:1] == '"':
        body = re.match(r'"((?:[^"\\]|\\.)*)"', value)
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), body[1]) if body else value[1:]
    return re.sub(r"[ \t]+#.*", "", value).strip()
