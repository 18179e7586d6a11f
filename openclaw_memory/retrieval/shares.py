"""What passages count: shares of the query's words, and bonuses. What `arrays.shares` does with numpy, digit by digit.

The shares are those of the atom by itself, of the atom with its two neighbours, of its chunk, of its file, and of what
stands above it; the bonuses are small: for phrases, nearness, completeness, dates and labels.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from openclaw_memory.record import Record
from openclaw_memory.retrieval.asked import (
    ATOM_TOKENS,
    CHUNK_TOKENS,
    NEAR,
    WINDOW_TOKENS,
    Asked,
    FileFacts,
    Found,
    Weights,
)
from openclaw_memory.retrieval.lexicon import QUESTION
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.texts import Text


class Atom(Record):
    """One atom of a chunk: how often each term stands in it, and where."""

    counts: dict[int, float]
    places: list[tuple[int, int]]
    start: int
    end: int


def atoms_of(ends: Sequence[int], hits: Sequence[tuple[int, int]]) -> dict[int, Atom]:
    """The atoms that hold terms of the query, by their places, in order."""
    atoms: dict[int, Atom] = {}
    place, end = -1, -1
    for at, slot in hits:
        if at > end:
            place = bisect_left(ends, at)
            end = ends[place]
            atom = atoms[place] = empty(ends, place)
        atom.counts[slot] = atom.counts.get(slot, 0.0) + 1
        atom.places.append((at, slot))
    return atoms


def empty(ends: Sequence[int], place: int) -> Atom:
    """An atom without terms of the query."""
    return Atom({}, [], ends[place - 1] + 1 if place else 0, ends[place])


class Shares(Asked):
    """The weights of one query."""

    def __init__(self, db: sqlite3.Connection, query: Query, terms: Sequence[Found], weights: Weights) -> None:
        super().__init__(db, query, terms)
        self._moment = query.moment
        self._phrase = weights.phrase if query.phrases else 0.0
        self._w = weights

    def shared(self, text: Text, counts: Mapping[int, float], above: set[int], file: FileFacts) -> float:
        """What all passages of a chunk have, with these terms in it and above it."""
        w = self._w
        head = self.worth(above)
        shared = w.file * file.score + (w.head + w.held) * head + w.date * self._moment.agreement(file.date)
        return shared + w.chunk * self._part(counts, w.chunk_k, len(text.body) / CHUNK_TOKENS)

    def own(self, counts: Mapping[int, float], length: int, above: set[int]) -> float:
        """What an atom by itself counts; `length` in terms."""
        held = self.worth(counts.keys() - above)
        return self._w.atom * self._part(counts, self._w.atom_k, length / ATOM_TOKENS) + self._w.held * held

    def window(self, text: Text, atoms: Mapping[int, Atom], place: int) -> tuple[float, dict[int, float]]:
        """What an atom with its neighbours counts, and the terms in them, where those of neighbours count less."""
        around = dict(atoms[place].counts)
        for other in (place - 1, place + 1):
            if other in atoms:
                for slot, count in atoms[other].counts.items():
                    around[slot] = around.get(slot, 0.0) + self._w.neighbour * count
        ends = text.ends
        first, last = max(0, place - 1), min(len(ends) - 1, place + 1)
        start = ends[first - 1] + 1 if first else 0
        length = ends[last] - start - (last - first)
        return self._w.window * self._part(around, self._w.window_k, length / WINDOW_TOKENS), around

    def bonus(self, text: Text, atom: Atom, around: Mapping[int, float], above: set[int]) -> float:
        """The bonuses of an atom, with these terms in it and its neighbours, and above it."""
        w = self._w
        bonus = w.all if self.needed <= above.union(around) else 0.0
        if len(atom.places) > 1:
            bonus += self._nearness(text.body, atom)
        bonus += self._phrase
        for at, sign in text.signs:
            if atom.start <= at < atom.end:
                bonus += w.question if sign == QUESTION else w.label * (text.body[atom.start] in self.names)
        if self.times and not self.times.isdisjoint(text.body[atom.start : atom.end]):
            bonus += w.when
        return bonus

    def most_beside(self, text: Text, whole: Mapping[int, float], above: set[int]) -> float:
        """What an atom of a text with these terms has at most with its neighbours and as bonuses."""
        w = self._w
        most = w.window * self._part(whole, w.window_k, 0.0) + self._phrase + w.when * bool(self.times)
        if self.needed <= above.union(whole):
            most += w.all
        if text.signs and self.names:
            most += w.label
        if self.pairs:
            most += w.near * sum([a in whole and b in whole for a, b in self.pairs]) / len(self.pairs)
        for compound in self.compounds:
            if compound.slots <= whole.keys():
                most += w.phrase * compound.value
        return most

    def _part(self, counts: Mapping[int, float], k: float, length: float) -> float:
        """BM25 of some text, 0 to 1; `length` is 1 for usual."""
        norm = k * (1 - self._w.b + self._w.b * length)
        part = 0.0
        for slot in sorted(counts):
            part += self.value[slot] * counts[slot] / (counts[slot] + norm)
        return part

    def _nearness(self, body: array[int], atom: Atom) -> float:
        """For words of the query that stand near each other as in it, and words typed as one that stand as one."""
        near = set()
        for (at, a), (then, b) in zip(atom.places, atom.places[1:], strict=False):
            if then - at <= NEAR and (a, b) in self.pairs:
                near.add((a, b))
        bonus = self._w.near * len(near) / len(self.pairs) if near else 0.0
        if self.compounds:
            bonus += self._w.phrase * self.as_one(body[atom.start : atom.end])
        return bonus
