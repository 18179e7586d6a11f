"""The atoms of some chunks as arrays, and where in them the terms of a query stand. Imports numpy."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.lexicon import CLOSE, END, FIRST, OPEN

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Flags, Floats, Numbers, Places


class Atoms(Record):
    """All atoms of some chunks, one behind the other; places are those in the texts of all."""

    body: Numbers
    ends: Places
    chunks: Places
    """Which of the chunks an atom is in."""
    firsts: Places
    """The first atom of each chunk; behind the last chunk, how many atoms there are."""

    def starts(self, atoms: Places) -> Places:
        """Where `atoms` begin: behind the end of the one before."""
        starts: Places = np.where(atoms > 0, self.ends[atoms - 1] + 1, 0)
        return starts

    def holding(self, places: Places) -> Places:
        """The atoms that hold `places`."""
        return np.searchsorted(self.ends, places)

    def having(self, numbers: Collection[int]) -> Flags:
        """Which atoms hold one of `numbers`."""
        found = np.zeros(len(self.ends), np.bool_)
        if len(numbers) == 1:
            places = np.flatnonzero(self.body == next(iter(numbers)))
        else:
            table = np.zeros(max((int(self.body.max(initial=0)), *numbers)) + 1, np.bool_)
            table[list(numbers)] = True
            places = np.flatnonzero(table[self.body])
        found[self.holding(places)] = True
        return found

    def having_runs(self, runs: Iterable[array[int] | None]) -> list[Flags]:
        """For each of `runs`, which atoms hold its terms one behind the other; no atom does for None."""
        places = self._main()
        terms = self.body[places]
        found = []
        for run in runs:
            flags = np.zeros(len(self.ends), np.bool_)
            size = len(terms) - len(run) + 1 if run is not None else 0
            if run is not None and size > 0:
                begun = terms[:size] == run[0]
                for at in range(1, len(run)):
                    begun &= terms[at : at + size] == run[at]
                flags[self.holding(places[:size][begun])] = True
            found.append(flags)
        return found

    def _main(self) -> Places:
        """The places of the main terms (see `asked.main_terms`), and of the ends, which no run reaches across."""
        depth = np.cumsum((self.body == OPEN).astype(np.int8) - (self.body == CLOSE).astype(np.int8), dtype=np.int8)
        return np.flatnonzero((depth == 0) & ((self.body >= FIRST) | (self.body == END)))


def atoms_of(body: Numbers, sizes: Places) -> Atoms:
    """The atoms of stored texts, one behind the other in `body`, of these `sizes`."""
    ends = np.flatnonzero(body == END)
    chunks = np.searchsorted(np.cumsum(sizes), ends, side="right")
    firsts = np.append(0, np.cumsum(np.bincount(chunks, minlength=len(sizes))))
    return Atoms(body, ends, chunks, firsts)


class Hits(Record):
    """Where terms of the query stand, in order: by the place, the slot of the term and the atom."""

    places: Places
    slots: Places
    atoms: Places


def hits_of(atoms: Atoms, slots: Mapping[int, int]) -> Hits:
    """Where the terms stand that `slots` gives a slot."""
    table = np.zeros(max((int(atoms.body.max(initial=0)), *slots)) + 1, np.uint8)
    table[list(slots)] = np.array(list(slots.values())) + 1
    held = table[atoms.body]
    places = np.flatnonzero(held > 0)
    return Hits(places, held[places].astype(np.int64) - 1, atoms.holding(places))


def counted(slots: Places, columns: Places, shape: tuple[int, int]) -> Floats:
    """(terms, n): how many of the hits are of each term and in each of n columns."""
    counts = np.bincount(slots * shape[1] + columns, minlength=shape[0] * shape[1])
    return counts.reshape(shape).astype(np.float64)


def total(rows: Floats) -> Floats:
    """The sum of `rows`, one behind the other: numpy's own order depends on their shape."""
    found = np.zeros(rows.shape[1])
    for row in rows:
        found += row
    return found
