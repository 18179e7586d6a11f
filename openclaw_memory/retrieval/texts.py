"""The stored texts of chunks, ready to look up terms in; a process that stays makes each of them once."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping

from openclaw_memory.record import Record
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.lexicon import END, FIRST, LABEL, QUESTION
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.postings import numbers

_REMEMBERED = 8192
"""Chunks whose text is remembered (2 kB each), and what stands above them."""
_ABOVE = "SELECT chunks.id, chunks.head, files.head FROM chunks JOIN files ON files.id = chunks.id >> ?"
_MANY = 32
_LONG = "Q"
_SHIFT = 32
_PLACE = (1 << _SHIFT) - 1


class Text(Record):
    """A chunk: its stored text, and where in it each number stands."""

    body: array[int]
    found: array[int] | None
    """`number << 32 | place`, in order: made for a text that is looked into more than once."""
    ends: tuple[int, ...]
    """The places at which its atoms end."""
    signs: tuple[tuple[int, int], ...]
    """(place, sign) of those that are `QUESTION` or `LABEL`."""
    weight: float
    heading: str
    spans: array[int]
    """First and last line of each atom."""

    def places(self, slots: Mapping[int, int]) -> list[tuple[int, int]]:
        """(place, slot) of each of the terms that `slots` gives a slot, in order."""
        found = self.found
        if found is None:
            return [(place, slots[number]) for place, number in enumerate(self.body) if number in slots]
        size = len(found)
        hits = []
        for number in slots if len(slots) < _MANY else slots.keys() & set(self.body):
            slot, low = slots[number], number << _SHIFT
            at = bisect_left(found, low)
            while at < size and found[at] - low <= _PLACE:
                hits.append((found[at] - low, slot))
                at += 1
        hits.sort()
        return hits

    def atom(self, place: int) -> array[int]:
        """The stored text of one atom."""
        return self.body[self.ends[place - 1] + 1 if place else 0 : self.ends[place]]


def texts(db: sqlite3.Connection, chunks: Iterable[int]) -> Mapping[int, Text]:
    """The texts of `chunks` that there are (a few hundred at most), and perhaps of others."""
    known: dict[int, Text] = remembered(db, "texts", _REMEMBERED)
    missing = [number for number in chunks if number not in known]
    if missing:
        marks = ", ".join("?" * len(missing))
        stays = getattr(db, "snapshot", None) is not None
        query = f"SELECT id, terms, weight, heading, spans FROM chunks WHERE id IN ({marks})"
        for number, body, weight, heading, spans in db.execute(query, missing):
            known[number] = _text(numbers(body), weight, heading, numbers(spans), stays)
    return known


def heads_of(db: sqlite3.Connection, chunk: int) -> list[array[int]]:
    """The stored texts that stand above a chunk: its headings, and what is said of its whole file."""
    return [numbers(blob) for blob in heads(db, [chunk])[chunk]]


def heads(db: sqlite3.Connection, chunks: Iterable[int]) -> Mapping[int, tuple[bytes, bytes]]:
    """`heads_of` of `chunks`, which there are (a few hundred at most), and perhaps of others, as they are stored."""
    known: dict[int, tuple[bytes, bytes]] = remembered(db, "heads", _REMEMBERED)
    missing = [number for number in chunks if number not in known]
    if missing:
        marks = ", ".join("?" * len(missing))
        for number, *held in db.execute(f"{_ABOVE} WHERE chunks.id IN ({marks})", (CHUNK_BITS, *missing)):
            known[number] = (held[0], held[1])
    return known


def _text(body: array[int], weight: float, heading: str, spans: array[int], often: bool) -> Text:
    found = array(_LONG, sorted([number << _SHIFT | place for place, number in enumerate(body)])) if often else None
    held = [(place, number) for place, number in enumerate(body) if number < FIRST]
    signs = tuple(one for sign in (QUESTION, LABEL) for one in held if one[1] == sign)
    return Text(body, found, tuple(place for place, sign in held if sign == END), signs, weight, heading, spans)
