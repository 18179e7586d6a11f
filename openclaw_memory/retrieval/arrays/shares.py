"""What each passage counts, by numpy: see `retrieval.passages`, whose every sum is made here in its order.

Arrays of shape (terms, n) hold a number for each term of the query, by its slot, and each of n chunks or passages.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.arrays.atoms import Atoms, total
from openclaw_memory.retrieval.arrays.passages import Held, Passages
from openclaw_memory.retrieval.asked import ATOM_TOKENS, CHUNK_TOKENS, NEAR, WINDOW_TOKENS, Asked, FileFacts, Weights
from openclaw_memory.retrieval.lexicon import LABEL, QUESTION
from openclaw_memory.retrieval.query import Query

if TYPE_CHECKING:
    from openclaw_memory.retrieval.arrays.corpus import Floats, Places


class Shares:
    """The weights of one query, and the texts that are scored."""

    def __init__(self, query: Query, asked: Asked, weights: Weights, atoms: Atoms) -> None:
        self._moment = query.moment
        self._phrases = bool(query.phrases)
        self._asked = asked
        self._w = weights
        self._atoms = atoms
        self._value = np.array(asked.value)[:, None]
        self._needed = sorted(asked.needed)

    def shared(self, held: Held, facts: Iterable[FileFacts], sizes: Places) -> Floats:
        """What all passages of each chunk have; `sizes` are those of their texts."""
        w = self._w
        files = np.array([(one.score, self._moment.agreement(one.date)) for one in facts]).T
        shared: Floats = w.file * files[0] + (w.head + w.held) * total(self._value * held.above) + w.date * files[1]
        shared += w.chunk * self._part(held.counts, w.chunk_k, sizes / CHUNK_TOKENS)
        return shared

    def steps(self, found: Passages, shared: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """What the passages count by themselves, with their neighbours, for their chunks (`shared`), and as a bonus."""
        w, around = self._w, self._around(found)
        window = w.window * self._part(around, w.window_k, self._lengths(found) / WINDOW_TOKENS)
        return self._own(found), window, shared[found.chunks], self._bonus(found, around)

    def _part(self, counts: Floats, k: float, lengths: Floats) -> Floats:
        """BM25 of some texts, 0 to 1; a length is 1 for usual."""
        norm = k * (1 - self._w.b + self._w.b * lengths)
        return total(self._value * counts / (counts + norm))

    def _own(self, found: Passages) -> Floats:
        """What the passages by themselves count."""
        w = self._w
        lengths = self._atoms.ends[found.atoms] - self._atoms.starts(found.atoms)
        held = total(self._value * ((found.counts > 0) & ~found.above))
        return w.atom * self._part(found.counts, w.atom_k, lengths / ATOM_TOKENS) + w.held * held

    def _around(self, found: Passages) -> Floats:
        """The counts of passages with their neighbours."""
        share, counts = self._w.neighbour, found.counts
        before = np.flatnonzero((np.diff(found.atoms) == 1) & (np.diff(found.chunks) == 0))
        around = counts.copy()
        around[:, before + 1] += share * counts[:, before]
        around[:, before] += share * counts[:, before + 1]
        return around

    def _lengths(self, found: Passages) -> Places:
        """Of the passages with their neighbours, in terms."""
        firsts = self._atoms.firsts
        first = np.maximum(found.atoms - 1, firsts[found.chunks])
        last = np.minimum(found.atoms + 1, firsts[found.chunks + 1] - 1)
        lengths: Places = self._atoms.ends[last] - self._atoms.starts(first) - (last - first)
        return lengths

    def _bonus(self, found: Passages, around: Floats) -> Floats:
        w, asked, atoms = self._w, self._asked, self._atoms
        bonus = np.where((found.above | (around > 0))[self._needed].all(axis=0), w.all, 0.0)
        bonus += np.where(np.bincount(found.rows, minlength=len(found.atoms)) > 1, self._nearness(found), 0.0)
        if self._phrases:
            bonus += w.phrase
        bonus += w.question * atoms.having((QUESTION,))[found.atoms]
        if asked.names:
            named = np.isin(atoms.body[atoms.starts(found.atoms)], list(asked.names))
            bonus += w.label * (atoms.having((LABEL,))[found.atoms] & named)
        if asked.times:
            bonus += w.when * atoms.having(asked.times)[found.atoms]
        return bonus

    def _nearness(self, found: Passages) -> Floats:
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
        if asked.compounds:
            bonus += self._w.phrase * self._as_one()[found.atoms]
        return bonus

    def _as_one(self) -> Floats:
        """By atom, what the words are worth that were typed as one and stand as one in it."""
        worth = np.zeros(len(self._atoms.ends))
        flags = self._atoms.having_runs([one.run for one in self._asked.compounds])
        for one, held in zip(self._asked.compounds, flags, strict=True):
            worth[held] += one.value
        return worth
