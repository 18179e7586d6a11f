"""The second step of the leg of words: the atoms of the best chunks, scored exactly.

A passage's score is the sum of shares: the atom by itself, the atom with its two neighbours, its chunk, its file, and
what stands above it; then small bonuses for phrases, nearness, completeness, dates and labels.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from openclaw_memory.record import Record
from openclaw_memory.retrieval.asked import (
    ATOM_TOKENS,
    CHUNK_TOKENS,
    HALF,
    NEAR,
    TOP,
    WINDOW_TOKENS,
    Asked,
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
from openclaw_memory.retrieval.lexicon import QUESTION
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.texts import Text, heads_of, texts

_AT_ONCE = 160
"""Chunks that are read at once; the best of them are scored first."""


class _Atom(Record):
    """One atom of a chunk: how often each term stands in it, and where."""

    counts: dict[int, float]
    places: list[tuple[int, int]]
    start: int
    end: int


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


class _Scorer(Asked):
    """The weights of one query."""

    def __init__(
        self,
        db: sqlite3.Connection,
        query: Query,
        terms: Sequence[Found],
        files: Mapping[int, FileFacts],
        weights: Weights,
    ) -> None:
        super().__init__(db, query, terms)
        self._db = db
        self._moment = query.moment
        self._files = files
        self._w = weights
        self._heads = [(slot, term.head) for slot, term in enumerate(terms) if term.head]
        self._phrases = [run_of(db, run) for run in query.phrases]
        self._excluded = Excluded(db, query.excluded)

    def chunk(self, number: int, text: Text) -> _Chunk | None:
        """What a passage of this chunk has at most; None where it says too little of what was asked."""
        w = self._w
        whole_file = number | WHOLE
        above = {slot for slot, head in self._heads if _held(head, number) or _held(head, whole_file)}
        hits = text.places(self.slots)
        counts: dict[int, float] = {}
        for _, slot in hits:
            counts[slot] = counts.get(slot, 0.0) + 1
        if not self._says_something(above.union(counts)):
            return None
        file = self._files.get(number >> CHUNK_BITS, _NO_FACTS)
        head = self.worth(above)
        shared = w.file * file.score + (w.head + w.held) * head + w.date * self._moment.agreement(file.date)
        shared += w.chunk * self._part(counts, w.chunk_k, len(text.body) / CHUNK_TOKENS)
        window = w.window * self._part(counts, w.window_k, 0.0)
        others = shared + window + self._bonuses(text, counts, above) + _ROUNDING
        most = (self._own(counts, 0, above) + others) * text.weight / TOP
        return _Chunk(most, number, text, hits, above, shared, others)

    def passages(self, chunk: _Chunk, least: float) -> Iterator[Candidate]:
        """The passages of one chunk that have `least` or more."""
        text, above = chunk.text, chunk.above
        if self._excluded.runs and any(map(self._excluded.within, heads_of(self._db, chunk.number))):
            return
        enough = least * TOP / text.weight - chunk.others if text.weight else 0.0
        in_head = bool(self._phrases) and self._phrase_above(chunk.number)
        atoms = _atoms(text.ends, chunk.hits) if chunk.hits else self._first_atom(text)
        for place, atom in atoms.items():
            part = text.body[atom.start : atom.end]
            if self._excluded and self._excluded.within(part):
                continue
            if self._phrases and not in_head and not all(holds(part, run) for run in self._phrases):
                continue
            own = self._own(atom.counts, atom.end - atom.start, above)
            if own < enough:
                continue
            one = self._passage(chunk.number << ATOM_BITS | place, text, atoms, above, own, chunk.shared, least)
            if one is not None:
                yield one

    def _first_atom(self, text: Text) -> dict[int, _Atom]:
        """What a chunk shows that only what stands above it speaks for: its first atom without what is excluded."""
        for place in range(len(text.ends)):
            atom = _empty(text.ends, place)
            if not self._excluded.within(text.body[atom.start : atom.end]):
                return {place: atom}
        return {}

    def _bonuses(self, text: Text, whole: Mapping[int, float], above: set[int]) -> float:
        """All bonuses that a passage of a text with these terms can have, at most."""
        w = self._w
        bonus = w.phrase * bool(self._phrases) + w.when * bool(self.times)
        if self.needed <= above.union(whole):
            bonus += w.all
        if text.signs and self.names:
            bonus += w.label
        if self.pairs:
            bonus += w.near * sum([a in whole and b in whole for a, b in self.pairs]) / len(self.pairs)
        for compound in self.compounds:
            if compound.slots <= whole.keys():
                bonus += w.phrase * compound.value
        return bonus

    def _says_something(self, held: set[int]) -> bool:
        """Whether these terms are two of the query's words, a word that is not common, or half of the query."""
        return (
            len(held & self.needed) > 1 or not all(self.terms[slot].common for slot in held) or self.worth(held) >= HALF
        )

    def _passage(
        self,
        passage: int,
        text: Text,
        atoms: Mapping[int, _Atom],
        above: set[int],
        own: float,
        shared: float,
        least: float,
    ) -> Candidate | None:
        w = self._w
        place = passage & _ATOM
        atom = atoms[place]
        around, length = _around(text.ends, atoms, place, w.neighbour)
        window = w.window * self._part(around, w.window_k, length / WINDOW_TOKENS)
        bonus = w.all if self.needed <= above.union(around) else 0.0
        if len(atom.places) > 1:
            bonus += self._nearness(text.body, atom)
        if self._phrases:
            bonus += w.phrase
        for at, sign in text.signs:
            if atom.start <= at < atom.end:
                bonus += w.question if sign == QUESTION else w.label * (text.body[atom.start] in self.names)
        if self.times and not self.times.isdisjoint(text.body[atom.start : atom.end]):
            bonus += w.when
        total = max(0.0, min(1.0, (own + window + shared + bonus) * text.weight / TOP))
        if total < least or not total:
            return None
        exact = bool(self._phrases) or self.needed <= atom.counts.keys()
        steps = {"atom": own, "window": window, "shared": shared, "bonus": bonus}
        return Candidate(passage, total, steps, exact)

    def _own(self, counts: Mapping[int, float], length: int, above: set[int]) -> float:
        """What the atom by itself counts; `length` in terms."""
        held = self.worth(counts.keys() - above)
        return self._w.atom * self._part(counts, self._w.atom_k, length / ATOM_TOKENS) + self._w.held * held

    def _part(self, counts: Mapping[int, float], k: float, length: float) -> float:
        """BM25 of some text, 0 to 1; `length` is 1 for usual."""
        norm = k * (1 - self._w.b + self._w.b * length)
        part = 0.0
        for slot in sorted(counts):
            part += self.value[slot] * counts[slot] / (counts[slot] + norm)
        return part

    def _nearness(self, body: array[int], atom: _Atom) -> float:
        """For words of the query that stand near each other as in it, and words typed as one that stand as one."""
        near = set()
        for (at, a), (then, b) in zip(atom.places, atom.places[1:], strict=False):
            if then - at <= NEAR and (a, b) in self.pairs:
                near.add((a, b))
        bonus = self._w.near * len(near) / len(self.pairs) if near else 0.0
        if self.compounds:
            part = body[atom.start : atom.end]
            bonus += self._w.phrase * self.as_one(part)
        return bonus

    def _phrase_above(self, chunk: int) -> bool:
        held = heads_of(self._db, chunk)
        return all(any(runs(main_terms(text), run) for text in held) for run in self._phrases)


_NO_FACTS = FileFacts()
_ATOM = (1 << ATOM_BITS) - 1
_ROUNDING = 1e-9


def _atoms(ends: Sequence[int], hits: Sequence[tuple[int, int]]) -> dict[int, _Atom]:
    """The atoms that hold terms of the query, by their places, in order."""
    atoms: dict[int, _Atom] = {}
    place, end = -1, -1
    for at, slot in hits:
        if at > end:
            place = bisect_left(ends, at)
            end = ends[place]
            atom = atoms[place] = _empty(ends, place)
        atom.counts[slot] = atom.counts.get(slot, 0.0) + 1
        atom.places.append((at, slot))
    return atoms


def _empty(ends: Sequence[int], place: int) -> _Atom:
    return _Atom({}, [], ends[place - 1] + 1 if place else 0, ends[place])


def _around(ends: Sequence[int], atoms: Mapping[int, _Atom], place: int, share: float) -> tuple[dict[int, float], int]:
    """The counts of an atom with its neighbours, which count `share`, and their length in terms."""
    around = dict(atoms[place].counts)
    for other in (place - 1, place + 1):
        if other in atoms:
            for slot, count in atoms[other].counts.items():
                around[slot] = around.get(slot, 0.0) + share * count
    first, last = max(0, place - 1), min(len(ends) - 1, place + 1)
    start = ends[first - 1] + 1 if first else 0
    return around, ends[last] - start - (last - first)


def _held(chunks: array[int], chunk: int) -> bool:
    at = bisect_left(chunks, chunk)
    return at < len(chunks) and chunks[at] == chunk
