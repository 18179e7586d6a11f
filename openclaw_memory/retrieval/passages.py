"""The second step of the leg of words: the atoms of the best chunks, scored exactly.

A passage's score is the sum of its `shares`. What `arrays.score` does with numpy in a process that stays.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from openclaw_memory.record import Record
from openclaw_memory.retrieval.asked import (
    HALF,
    TOP,
    Excluded,
    FileFacts,
    Found,
    Weights,
    holds,
    main_terms,
    run_of,
    runs,
)
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.shares import Atom, Shares, atoms_of, empty
from openclaw_memory.retrieval.texts import Text, heads_of, texts

_AT_ONCE = 160
"""Chunks that are read at once; the best of them are scored first."""


class _Chunk(Record):
    """A chunk with terms of the query; `most` is what the best of its passages has at most."""

    most: float
    number: int
    text: Text
    hits: list[tuple[int, int]]
    above: set[int]
    shared: float
    """What all of its passages have."""
    others: float
    """What a passage has at most beside its own text."""


_most = attrgetter("most")


def score(
    db: sqlite3.Connection,
    query: Query,
    terms: Sequence[Found],
    chunks: Sequence[int],
    files: Mapping[int, FileFacts],
    weights: Weights,
    limit: int,
) -> list[Candidate]:
    """The best `limit` passages of `chunks`, best first.

    Chunks that cannot reach the best `limit` are read, and their passages are not scored.
    """
    scorer = _Scorer(db, query, terms, files, weights)
    found: list[Candidate] = []
    best: list[float] = []  # once there are `limit` of them, in order
    least = 0.0
    for at in range(0, len(chunks), _AT_ONCE):
        part = chunks[at : at + _AT_ONCE]
        read = texts(db, part)
        held = filter(None, (scorer.chunk(number, read[number]) for number in part))
        for chunk in sorted(held, key=_most, reverse=True):
            if chunk.most < least:
                break
            for one in scorer.passages(chunk, least):
                found.append(one)
                if len(best) < limit:
                    best.append(one.score)
                    if len(best) == limit:
                        best.sort()
                elif one.score > best[0]:
                    del best[0]
                    insort(best, one.score)
            least = best[0] if len(best) == limit else 0.0
    return ordered(db, [one for one in found if one.score >= least])[:limit]


class _Scorer:
    """A query, and what is known of the files that it is looked for in."""

    def __init__(
        self,
        db: sqlite3.Connection,
        query: Query,
        terms: Sequence[Found],
        files: Mapping[int, FileFacts],
        weights: Weights,
    ) -> None:
        self._db = db
        self._files = files
        self._shares = Shares(db, query, terms, weights)
        self._heads = [(slot, term.head) for slot, term in enumerate(terms) if term.head]
        self._phrases = [run_of(db, run) for run in query.phrases]
        self._excluded = Excluded(db, query.excluded)

    def chunk(self, number: int, text: Text) -> _Chunk | None:
        """What a passage of this chunk has at most; None where it says too little of what was asked."""
        shares, whole_file = self._shares, number | WHOLE
        above = {slot for slot, head in self._heads if _held(head, number) or _held(head, whole_file)}
        hits = text.places(shares.slots)
        counts: dict[int, float] = {}
        for _, slot in hits:
            counts[slot] = counts.get(slot, 0.0) + 1
        if not self._says_something(above.union(counts)):
            return None
        shared = shares.shared(text, counts, above, self._files.get(number >> CHUNK_BITS, _NO_FACTS))
        others = shared + shares.most_beside(text, counts, above) + _ROUNDING
        most = (shares.own(counts, 0, above) + others) * text.weight / TOP
        return _Chunk(most, number, text, hits, above, shared, others)

    def _says_something(self, held: set[int]) -> bool:
        """Whether these terms are two of the query's words, a word that is not common, or half of the query."""
        asked = self._shares
        if len(held & asked.needed) > 1 or not all(asked.terms[slot].common for slot in held):
            return True
        return asked.worth(held) >= HALF

    def passages(self, chunk: _Chunk, least: float) -> Iterator[Candidate]:
        """The passages of one chunk that have `least` or more."""
        text, above = chunk.text, chunk.above
        if self._excluded.runs and any(map(self._excluded.within, heads_of(self._db, chunk.number))):
            return
        enough = least * TOP / text.weight - chunk.others if text.weight else 0.0
        in_head = bool(self._phrases) and self._phrase_above(chunk.number)
        atoms = atoms_of(text.ends, chunk.hits) if chunk.hits else self._first_atom(text)
        for place, atom in atoms.items():
            part = text.body[atom.start : atom.end]
            if self._excluded and self._excluded.within(part):
                continue
            if self._phrases and not in_head and not all(holds(part, run) for run in self._phrases):
                continue
            own = self._shares.own(atom.counts, atom.end - atom.start, above)
            if own < enough:
                continue
            one = self._passage(chunk, atoms, place, own)
            if one.score and one.score >= least:
                yield one

    def _phrase_above(self, chunk: int) -> bool:
        held = heads_of(self._db, chunk)
        return all(any(runs(main_terms(text), run) for text in held) for run in self._phrases)

    def _first_atom(self, text: Text) -> dict[int, Atom]:
        """What a chunk shows that only what stands above it speaks for: its first atom without what is excluded."""
        for place in range(len(text.ends)):
            atom = empty(text.ends, place)
            if not self._excluded.within(text.body[atom.start : atom.end]):
                return {place: atom}
        return {}

    def _passage(self, chunk: _Chunk, atoms: Mapping[int, Atom], place: int, own: float) -> Candidate:
        text, atom = chunk.text, atoms[place]
        window, around = self._shares.window(text, atoms, place)
        bonus = self._shares.bonus(text, atom, around, chunk.above)
        total = max(0.0, min(1.0, (own + window + chunk.shared + bonus) * text.weight / TOP))
        exact = bool(self._phrases) or self._shares.needed <= atom.counts.keys()
        steps = {"atom": own, "window": window, "shared": chunk.shared, "bonus": bonus}
        return Candidate(chunk.number << ATOM_BITS | place, total, steps, exact)


_NO_FACTS = FileFacts()
_ROUNDING = 1e-9


def _held(chunks: array[int], chunk: int) -> bool:
    at = bisect_left(chunks, chunk)
    return at < len(chunks) and chunks[at] == chunk
