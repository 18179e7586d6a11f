"""The entries of one version of an index as units of a merge, and what becomes of one over three versions. Pure."""

from __future__ import annotations

import re
from collections import Counter

from openclaw_memory import index
from openclaw_memory.index import Mention
from openclaw_memory.record import Record

_REV = re.compile(r"[ \t]*<!--[ \t]*rev:[ \t]*([0-9A-Za-z]*)[ \t]*-->")

BASE, OURS, THEIRS = range(3)


class Key(Record):
    """Which lines of two versions are the same entry: the paths they name, whether in Active Context, and which one."""

    paths: tuple[str, ...]
    active: bool
    number: int


class Units(Record):
    """One version: its lines (with their ends) and, in place of the lines of an entry, the entry's key.

    `headers` holds the header line of the table that an entry is a row of, `tables` those of all tables.
    """

    parts: list[str | Key]
    entries: dict[Key, str]
    headers: dict[Key, str]
    tables: frozenset[str]


class Outcome(Record):
    """What becomes of an entry: `merged` (None: it goes), or a conflict of `ours` and `theirs` (None: deleted there).

    `placed_by` are the versions whose token line counts for where it stands.
    """

    merged: str | None = None
    ours: str | None = None
    theirs: str | None = None
    is_conflict: bool = False
    lost_rev: bool = False
    placed_by: tuple[int, ...] = ()


def units(text: str) -> Units:
    """Split a version; the lines of an entry end with LF and are kept without the last one."""
    parsed = index.parse(text, ())
    lines = [line.raw for line in parsed.document.lines]
    spans = _spans([mention for entry in parsed.entries for mention in entry.mentions])
    parts: list[str | Key] = []
    entries: dict[Key, str] = {}
    headers: dict[Key, str] = {}
    tables = [block for block in parsed.document.blocks if block.kind == "table"]
    shown = {n: " ".join(lines[b.first - 1].split()) for b in tables for n in range(b.first, b.last + 1)}
    seen: Counter[tuple[tuple[str, ...], bool]] = Counter()
    done = 0
    for first, last, paths, active in spans:
        if not lines[last - 1].endswith("\n"):  # an old Mac line end: no line of its own to git
            continue
        parts += lines[done : first - 1]
        key = Key(paths, active, seen[paths, active])
        seen[paths, active] += 1
        entries[key] = "".join(lines[first - 1 : last]).removesuffix("\n")
        if first in shown:
            headers[key] = shown[first]
        parts.append(key)
        done = last
    return Units([*parts, *lines[done:]], entries, headers, frozenset(shown.values()))


def _spans(mentions: list[Mention]) -> list[tuple[int, int, tuple[str, ...], bool]]:
    """(first line, last line, paths, active) of the units; mentions that share a line are one."""
    found: list[tuple[int, int, tuple[str, ...], bool]] = []
    for mention in sorted(mentions, key=lambda each: (each.first, each.start)):
        last = mention.last
        while last + 1 in mention.also:
            last += 1
        if found and mention.first <= found[-1][1]:
            first, before, paths, active = found.pop()
            found.append((first, max(before, last), (*paths, mention.path), active))
        else:
            found.append((mention.first, last, (mention.path,), mention.active))
    return found


def decide(key: Key, base: str | None, ours: str | None, theirs: str | None) -> Outcome:
    """What becomes of the entry `key`, given its lines in each version (None: it is not there)."""
    if ours is None or theirs is None:
        return _one_sided(base, ours, theirs)
    text = _text(base, ours, theirs)
    placed = (BASE, OURS, THEIRS) if base is not None else (OURS, THEIRS)
    rev, lost = _rev(base, ours, theirs)
    if text is None:
        shown = (ours, theirs) if not lost else (_without_rev(ours), _without_rev(theirs))
        return Outcome(None, *shown, is_conflict=True, lost_rev=lost, placed_by=placed)
    return Outcome(_with_rev(text, rev, ours, theirs), lost_rev=lost, placed_by=placed)


def _one_sided(base: str | None, ours: str | None, theirs: str | None) -> Outcome:
    """Added by one side: it stays. Deleted by one side: it goes, unless the other side changed it."""
    there, side = (theirs, THEIRS) if ours is None else (ours, OURS)
    if there is None or there == base:
        return Outcome()
    if base is None:
        return Outcome(there, ours, theirs, placed_by=(side,))
    return Outcome(None, ours, theirs, is_conflict=True, placed_by=(side,))


def misfits(key: Key, outcome: Outcome, read: list[Units]) -> bool:
    """Whether one side added the row `key` to a table whose columns the other side changed."""
    if outcome.is_conflict or len(outcome.placed_by) != 1:
        return False
    added = outcome.placed_by[0]
    header, other = read[added].headers.get(key), read[OURS + THEIRS - added]
    return header in read[BASE].tables and header not in other.tables


def _text(base: str | None, ours: str, theirs: str) -> str | None:
    """The version whose words count; None when both sides changed them. Revs are no words."""
    words = [None if each is None else _without_rev(each) for each in (base, ours, theirs)]
    if words[THEIRS] in (words[OURS], words[BASE]):
        return ours
    return theirs if words[OURS] == words[BASE] else None


def _rev(base: str | None, ours: str, theirs: str) -> tuple[str | None, bool]:
    """The rev that counts, and whether it was lost: both sides changed the file, so neither's rev is right."""
    before, left, right = (_found(each) if each is not None else None for each in (base, ours, theirs))
    if left == right or right == before:
        return left, False
    return (right, False) if left == before else (None, True)


def _found(text: str) -> str | None:
    found = _REV.search(text)
    return found[1] if found else None


def _without_rev(text: str) -> str:
    return _REV.sub("", text)


def _with_rev(text: str, rev: str | None, ours: str, theirs: str) -> str:
    """`text` (one of the two versions) with `rev`, written where the version that has it writes it."""
    if _found(text) == rev:
        return text
    bare = _without_rev(text)
    source = next((each for each in (ours, theirs) if _found(each) == rev), None)
    found = _REV.search(source) if source is not None else None
    if source is None or found is None:
        return bare
    if (own := _REV.search(text)) is not None:
        return text[: own.start()] + found[0] + text[own.end() :]
    tail = source[found.end() :]
    return bare[: len(bare) - len(tail)] + found[0] + tail if bare.endswith(tail) else bare
