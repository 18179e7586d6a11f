"""One facts file: its facts, the lines they stand on, and new bytes for it in its own coat. Bytes in, bytes out."""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from openclaw_memory.collector import uncollected
from openclaw_memory.errors import FormatError
from openclaw_memory.facts.model import CANONICAL, Fact, from_record, key_names, linked
from openclaw_memory.knowledge import jsoncoat, yamlcoat

MARKERS = "conflict markers"
NAMES = tuple(f"{stem}.{ending}" for stem in ("items", "facts") for ending in ("json", "yaml", "yml", "jsonl"))
"""The file names that hold an entity's facts, the usual one first."""

Values = Mapping[str, object]
"""Canonical keys to new values."""


def is_facts_file(path: str) -> bool:
    """Whether a workspace-relative path is named as a facts file."""
    return path.rpartition("/")[2] in NAMES


@dataclass
class FactsFile:
    """The facts of one file. `facts[i]` is record `i` of the file, in its order."""

    path: str
    parsed: jsoncoat.Parsed | yamlcoat.Parsed

    @cached_property
    def facts(self) -> list[Fact]:
        """The facts, with back pointers read as forward ones."""
        with uncollected():
            return linked([from_record(record) for record in self.parsed.records])

    def but(self, known: Collection[tuple[str, str]]) -> list[Fact]:
        """The facts whose (id, text) is none of `known`: the others, mostly all, are not even made."""
        return [fact for record in self.parsed.records if (fact := _unless(record, known))]

    @cached_property
    def by_id(self) -> dict[str, int]:
        """Position by id; of two facts with one id the first."""
        found: dict[str, int] = {}
        for position, fact in enumerate(self.facts):
            if fact.id:
                found.setdefault(fact.id, position)
        return found

    def line(self, position: int) -> int:
        """The 1-based line on which fact `position` starts."""
        return self._line_at(self.parsed.spans[position][0])

    def lines(self, position: int) -> tuple[int, int]:
        """The first and last line of fact `position`."""
        start, end = self.parsed.spans[position]
        return self._line_at(start), self._line_at(max(start, end - 1))

    def _line_at(self, offset: int) -> int:
        return bisect.bisect_right(self._starts, offset)

    @cached_property
    def _starts(self) -> array[int]:
        """The offset of each line's first character."""
        starts, text = array("q", [0]), self.parsed.text
        while at := text.find("\n", starts[-1]) + 1:
            starts.append(at)
        return starts

    def rewrite(self, changes: Mapping[int, Values], added: Sequence[Values] = ()) -> bytes:
        """The file's bytes with the facts at `changes` given new values and `added` behind the last one.

        Every byte of every other fact stays. Raises FormatError for a record that is no object.
        """
        edits: list[tuple[int, int, str]] = []
        for position, values in changes.items():
            edits += self._edits(position, values)
        fresh = [self._in_coat(values) for values in added]
        if isinstance(self.parsed, yamlcoat.Parsed):
            edits += yamlcoat.additions(self.parsed, fresh)
        else:
            edits += jsoncoat.additions(self.parsed, fresh, self.path.endswith(".jsonl"))
        return _spliced(self.parsed.text, edits).encode("utf-8", "surrogateescape")

    def _edits(self, position: int, values: Values) -> list[tuple[int, int, str]]:
        record = self.facts[position].record
        if not record:
            raise FormatError(f"{self.path}:{self.line(position)}: this entry is no object", "make it one by hand")
        names = key_names(record)
        written = {names.get(name) or self.spelling(name): value for name, value in values.items()}
        if isinstance(self.parsed, yamlcoat.Parsed):
            return yamlcoat.edits(self.parsed, position, written)
        return jsoncoat.edits(self.parsed, position, written)

    @cached_property
    def _spellings(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for fact in self.facts[:50]:
            for name, key in key_names(fact.record).items():
                found.setdefault(name, key)
        return found

    def spelling(self, name: str) -> str:
        """How this file writes the canonical key `name`: as it does elsewhere, else in its case style."""
        if name in self._spellings:
            return self._spellings[name]
        return _snake(name) if self._is_snake else name

    def writes(self, name: str) -> bool:
        """Whether new facts of this file carry `name`: every one in a file without facts, else what others carry."""
        return not self.facts or name in self._spellings

    @cached_property
    def _is_snake(self) -> bool:
        keys = {key for fact in self.facts[:50] for key in fact.record}
        if any(key != key.lower() for key in keys):
            return False
        return isinstance(self.parsed, yamlcoat.Parsed) or any("_" in key.strip("_") for key in keys)

    def _in_coat(self, values: Values) -> dict[str, object]:
        """A new record as this file writes its own: its keys and order, and nothing the file never holds unless it
        says something."""
        known = self._spellings
        order = [*known, *(name for name in values if name not in known)]
        return {
            self.spelling(name): values[name]
            for name in order
            if name in values and (name in known or not known or values[name] not in (None, "", 0, [], ()))
        }


def _unless(record: object, known: Collection[tuple[str, str]]) -> Fact | None:
    if isinstance(record, dict):
        names = key_names(record)
        fact_id, text = record.get(names.get("id")), record.get(names.get("fact"))
        if isinstance(fact_id, str) and isinstance(text, str) and (fact_id, text) in known:
            return None
    fact = from_record(record)
    return None if (fact.id, fact.text) in known else fact


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)


def _spliced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:]))


def load(data: bytes, path: str) -> FactsFile:
    """The facts in `data`; the coat comes from the name's ending and the first characters.

    Raises FormatError naming line and column for a file that cannot be parsed, or that holds conflict markers.
    """
    text = data.decode("utf-8", "surrogateescape")
    del data  # of 100,000 facts no second copy is held
    _refuse_markers(text, path)
    with uncollected():
        if path.endswith((".yaml", ".yml")):
            return FactsFile(path, yamlcoat.parse(text, path))
        return FactsFile(path, jsoncoat.parse(text, path, path.endswith(".jsonl")))


def _refuse_markers(text: str, path: str) -> None:
    at = 0 if text.startswith("<<<<<<< ") else text.find("\n<<<<<<< ") + 1
    if at or text.startswith("<<<<<<< "):
        line = text.count("\n", 0, at) + 1
        raise FormatError(f"{path}:{line}:1: {MARKERS}", "`openclaw-memory fact repair` keeps the facts of both sides")


def new_record(
    fact_id: str, text: str, *, category: str, timestamp: str, source: str, related: Sequence[str] = ()
) -> dict[str, object]:
    """A fresh active fact under canonical keys, in the order we write them."""
    values = (fact_id, text, category, timestamp, source, "active", None, list(related), None, 0)
    return dict(zip(CANONICAL, values, strict=True))
