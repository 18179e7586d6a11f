"""The second step of the leg of words by numpy: see `retrieval.passages`, whose every sum is made here in its order.

All passages of all chunks are scored at once. Arrays of shape (terms, n) hold a number for each term of the query, by
its slot, and each of n chunks or passages.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.arrays.corpus import texts
from openclaw_memory.retrieval.asked import (
    ATOM_TOKENS,
    CHUNK_TOKENS,
    HALF,
    NEAR,
    TOP,
    WINDOW_TOKENS,
    Asked,
    FileFacts,
    Found,
    Weights,
)
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexicon import END, LABEL, NUMBER, QUESTION
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.query import Query

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Flags, Floats, Numbers, Places

_NO_FACTS = FileFacts()
_STEPS = ("atom", "window", "shared", "bonus")


class _Atoms(Record):
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

    def having(self, numbers: Sequence[int]) -> Flags:
        """Which atoms hold one of `numbers`."""
        found = np.zeros(len(self.ends), np.bool_)
        for number in numbers:
            found[self.holding(np.flatnonzero(self.body == number))] = True
        return found


class _Hits(Record):
    """Where terms of the query stand, in order: by the place, the slot of the term and the atom."""

    places: Places
    slots: Places
    atoms: Places


class _Passages(Record):
    """The atoms that are scored, in order."""

    atoms: Places
    chunks: Places
    hits: _Hits
    rows: Places
    """By hit, which of the passages it is in."""
    counts: Floats
    """(terms, passages)"""
    above: Flags
    """(terms, passages): whether a term stands above it."""


def score(
    db: sqlite3.Connection,
    query: Query,
    terms: Sequence[Found],
    chunks: Sequence[int],
    files: Mapping[int, FileFacts],
    weights: Weights,
    limit: int,
) -> list[Candidate]:
    """See `passages.score`; the query has no phrases and excludes nothing."""
    numbers = sorted(chunks)
    if not numbers:
        return []
    read = texts(db, numbers)
    asked = Asked(db, query, terms)
    scorer = _Scorer(asked, weights, _atoms(read.body, read.sizes))
    hits = scorer.hits()
    above = _above(terms, np.array(numbers, np.uint32))
    counts = _counted(hits.slots, scorer.atoms.chunks[hits.atoms], above.shape)
    facts = [files.get(number >> CHUNK_BITS, _NO_FACTS) for number in numbers]
    shared = scorer.shared(query, facts, above, counts, read.sizes)
    found = scorer.passages(hits, above, counts)
    return ordered(db, scorer.best(numbers, found, shared, read.weights, limit))[:limit]


def _atoms(body: Numbers, sizes: Places) -> _Atoms:
    ends = np.flatnonzero(body == END)
    chunks = np.searchsorted(np.cumsum(sizes), ends, side="right")
    firsts = np.append(0, np.cumsum(np.bincount(chunks, minlength=len(sizes))))
    return _Atoms(body, ends, chunks, firsts)


def _above(terms: Sequence[Found], chunks: Numbers) -> Flags:
    """(terms, chunks): whether a term stands above a chunk, or is said of its whole file."""
    above = np.zeros((len(terms), len(chunks)), np.bool_)
    for slot, term in enumerate(terms):
        if term.head:
            head = np.asarray(term.head)
            for wanted in (chunks, chunks | WHOLE):
                at = np.searchsorted(head, wanted)
                above[slot] |= head[np.minimum(at, len(head) - 1)] == wanted
    return above


def _counted(slots: Places, columns: Places, shape: tuple[int, int]) -> Floats:
    """(terms, n): how many of the hits are of each term and in each of n columns."""
    counts = np.bincount(slots * shape[1] + columns, minlength=shape[0] * shape[1])
    return counts.reshape(shape).astype(np.float64)


def _total(rows: Floats) -> Floats:
    """The sum of `rows`, one behind the other: numpy's own order depends on their shape."""
    total = np.zeros(rows.shape[1])
    for row in rows:
        total += row
    return total


class _Scorer:
    """The weights of one query, and the texts that are scored."""

    def __init__(self, asked: Asked, weights: Weights, atoms: _Atoms) -> None:
        self.atoms = atoms
        self._asked = asked
        self._w = weights
        self._value = np.array(asked.value)[:, None]
        self._needed = sorted(asked.needed)

    def hits(self) -> _Hits:
        """Where terms of the query stand."""
        slots, body = self._asked.slots, self.atoms.body
        table = np.zeros(max((int(body.max(initial=0)), *slots)) + 1, np.uint8)
        table[list(slots)] = np.array(list(slots.values())) + 1
        held = table[body]
        places = np.flatnonzero(held > 0)
        return _Hits(places, held[places].astype(np.int64) - 1, self.atoms.holding(places))

    def shared(self, query: Query, facts: Iterable[FileFacts], above: Flags, counts: Floats, sizes: Places) -> Floats:
        """What all passages of each chunk have."""
        w = self._w
        files = np.array([(one.score, query.moment.agreement(one.date)) for one in facts]).T
        shared: Floats = w.file * files[0] + (w.head + w.held) * _total(self._value * above) + w.date * files[1]
        shared += w.chunk * self._part(counts, w.chunk_k, sizes / CHUNK_TOKENS)
        return shared

    def passages(self, hits: _Hits, above: Flags, counts: Floats) -> _Passages:
        """The atoms with hits, and the first one of a chunk without; not of chunks that say too little."""
        atoms = self.atoms
        firsts, silent = atoms.firsts, ~counts.any(axis=0)
        silent &= firsts[:-1] < firsts[1:]
        told = self._say_something(above | (counts > 0))
        kept = told[atoms.chunks[hits.atoms]]
        hits = _Hits(hits.places[kept], hits.slots[kept], hits.atoms[kept])
        scored = np.zeros(len(atoms.ends), np.bool_)
        scored[hits.atoms] = True
        scored[firsts[:-1][silent & told]] = True
        rows = np.flatnonzero(scored)
        chunks = atoms.chunks[rows]
        row = np.searchsorted(rows, hits.atoms)
        counted = _counted(hits.slots, row, (len(above), len(rows)))
        return _Passages(rows, chunks, hits, row, counted, above[:, chunks])

    def _say_something(self, held: Flags) -> Flags:
        """Whether the terms in each chunk are two of the query's words, one that is not common, or half of it."""
        rare = [slot for slot, term in enumerate(self._asked.terms) if not term.common]
        told: Flags = held[self._needed].sum(axis=0) > 1
        told |= held[rare].any(axis=0)
        told |= _total(self._value * held) >= HALF
        return told

    def best(
        self, numbers: Sequence[int], found: _Passages, shared: Floats, weights: Floats, limit: int
    ) -> list[Candidate]:
        """The best `limit` of the passages, and those that are as good as the last of them."""
        own, around = self._own(found), self._around(found)
        window = self._w.window * self._part(around, self._w.window_k, self._lengths(found) / WINDOW_TOKENS)
        bonus = self._bonus(found, around)
        whole = shared[found.chunks]
        totals = np.minimum((own + window + whole + bonus) * weights[found.chunks] / TOP, 1.0)
        least = np.partition(totals, -limit)[-limit] if 0 < limit < len(totals) else 0.0
        chosen = np.flatnonzero((totals >= least) & (totals > 0))
        exact = np.all(found.counts[self._needed][:, chosen] > 0, axis=0).tolist()
        chunks = found.chunks[chosen]
        places = found.atoms[chosen] - self.atoms.firsts[chunks]
        passages = ((np.array(numbers)[chunks] << ATOM_BITS) + places).tolist()
        parts = zip(*(part[chosen].tolist() for part in (own, window, whole, bonus)), strict=True)
        steps = [dict(zip(_STEPS, part, strict=True)) for part in parts]
        return list(map(Candidate, passages, totals[chosen].tolist(), steps, exact))

    def _part(self, counts: Floats, k: float, lengths: Floats) -> Floats:
        """BM25 of some texts, 0 to 1; a length is 1 for usual."""
        norm = k * (1 - self._w.b + self._w.b * lengths)
        return _total(self._value * counts / (counts + norm))

    def _own(self, found: _Passages) -> Floats:
        """What the passages by themselves count."""
        w = self._w
        lengths = self.atoms.ends[found.atoms] - self.atoms.starts(found.atoms)
        held = _total(self._value * ((found.counts > 0) & ~found.above))
        return w.atom * self._part(found.counts, w.atom_k, lengths / ATOM_TOKENS) + w.held * held

    def _around(self, found: _Passages) -> Floats:
        """The counts of passages with their neighbours."""
        share, counts = self._w.neighbour, found.counts
        before = np.flatnonzero((np.diff(found.atoms) == 1) & (np.diff(found.chunks) == 0))
        around = counts.copy()
        around[:, before + 1] += share * counts[:, before]
        around[:, before] += share * counts[:, before + 1]
        return around

    def _lengths(self, found: _Passages) -> Places:
        """Of the passages with their neighbours, in terms."""
        firsts = self.atoms.firsts
        first = np.maximum(found.atoms - 1, firsts[found.chunks])
        last = np.minimum(found.atoms + 1, firsts[found.chunks + 1] - 1)
        lengths: Places = self.atoms.ends[last] - self.atoms.starts(first) - (last - first)
        return lengths

    def _bonus(self, found: _Passages, around: Floats) -> Floats:
        w, asked, atoms = self._w, self._asked, self.atoms
        bonus = np.where((found.above | (around > 0))[self._needed].all(axis=0), w.all, 0.0)
        bonus += np.where(np.bincount(found.rows, minlength=len(found.atoms)) > 1, self._nearness(found), 0.0)
        bonus += w.question * atoms.having((QUESTION,))[found.atoms]
        if asked.names:
            named = np.isin(atoms.body[atoms.starts(found.atoms)], list(asked.names))
            bonus += w.label * (atoms.having((LABEL,))[found.atoms] & named)
        if asked.times:
            bonus += w.when * atoms.having(sorted(asked.times))[found.atoms]
        return bonus

    def _nearness(self, found: _Passages) -> Floats:
        """For words of the query that stand near each other as in it, and words typed as one that stand as one."""
        asked, hits, size = self._asked, found.hits, len(found.atoms)
        bonus = np.zeros(size)
        if asked.pairs:
            near = np.flatnonzero((np.diff(found.rows) == 0) & (np.diff(hits.places) <= NEAR))
            kinds = hits.slots[near] * len(found.counts) + hits.slots[near + 1]
            seen = np.zeros((len(asked.pairs), size), np.bool_)
            for flags, (a, b) in zip(seen, sorted(asked.pairs), strict=True):
                flags[found.rows[near[kinds == a * len(found.counts) + b]]] = True
            bonus += self._w.near * seen.sum(axis=0) / len(asked.pairs)
        may = np.zeros(size, np.bool_)
        for compound in asked.compounds:
            may |= (found.counts[sorted(compound.slots)] > 0).all(axis=0)
        rows = np.flatnonzero(may)
        starts, ends = self.atoms.starts(found.atoms[rows]), self.atoms.ends[found.atoms[rows]]
        for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
            bonus[row] += self._w.phrase * asked.as_one(array(NUMBER, self.atoms.body[start:end].tobytes()))
        return bonus
