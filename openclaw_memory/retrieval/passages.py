"""The second step of the leg of words: the atoms of the best chunks, scored exactly.

A passage's score is the sum of shares: the atom by itself, the atom with its two neighbours, its chunk, its file, and
what stands above it; then small bonuses for phrases, nearness, completeness, dates and labels.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappush, heappushpop
from operator import attrgetter

from openclaw_memory.record import Record
from openclaw_memory.retrieval import dates
from openclaw_memory.retrieval.analyse import word_term
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexicon import CLOSE, END, LABEL, NUMBER, OPEN, QUESTION
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.query import Query
from openclaw_memory.retrieval.texts import Text, heads_of, texts

_AT_ONCE = 160
"""Chunks that are read at once; the best of them are scored first."""
_ATOM_TOKENS, _WINDOW_TOKENS, _CHUNK_TOKENS = 30.0, 75.0, 150.0
"""Lengths that count as usual, in terms."""


class Weights(Record):
    """How much each part counts. `atom` to `held` are shares of 1; the rest is added on top."""

    atom: float = 0.175
    window: float = 0.25
    chunk: float = 0.15
    file: float = 0.2
    head: float = 0.3
    held: float = 0.075
    """For terms that stand in the atom or above it at all, however often and however long it is."""
    phrase: float = 0.1
    near: float = 0.1
    all: float = 0.025
    date: float = 0.1
    label: float = 0.1
    question: float = -0.02
    when: float = 0.03
    atom_k: float = 0.6
    window_k: float = 1.0
    chunk_k: float = 1.2
    b: float = 0.5
    neighbour: float = 0.5
    file_k: float = 2.0
    first_head: float = 0.6
    first_file: float = 0.3


class Found(Record):
    """A term of the query as the index knows it: its numbers, its weight and the chunks that hold it."""

    ids: tuple[int, ...]
    weight: float
    factor: float
    """Less than 1 for what is only similar to the term."""
    body: array[int]
    head: array[int]
    common: bool = False
    """In so many chunks that alone it says nothing."""


class FileFacts(Record):
    """What the whole of a file adds to its passages."""

    score: float = 0.0
    date: str = ""


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


class Excluded:
    """The words and runs of words that no passage may hold, as the index knows them; false where there are none."""

    def __init__(self, db: sqlite3.Connection, wanted: Sequence[Sequence[str]]) -> None:
        runs = [run for run in (run_of(db, texts) for texts in wanted) if run is not None]
        self._words = frozenset(run[0] for run in runs if len(run) == 1)
        self.runs = [run for run in runs if len(run) > 1]

    def __bool__(self) -> bool:
        return bool(self._words or self.runs)

    def within(self, part: array[int]) -> bool:
        """Whether a stored text holds one of them."""
        return not self._words.isdisjoint(part) or any(_holds(part, run) for run in self.runs)


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
    best: list[float] = []
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
                (heappush if len(best) < limit else heappushpop)(best, one.score)
            least = best[0] if len(best) == limit else 0.0
    return ordered(db, [one for one in found if one.score >= least])[:limit]


class _Scorer:
    """The weights of one query."""

    def __init__(
        self,
        db: sqlite3.Connection,
        query: Query,
        terms: Sequence[Found],
        files: Mapping[int, FileFacts],
        weights: Weights,
    ) -> None:
        self._db = db
        self._query = query
        self._terms = terms
        self._files = files
        self._w = weights
        total = sum(term.weight for term in terms)
        self._value = [term.weight * term.factor / total for term in terms]
        self._slots = {number: slot for slot, term in enumerate(terms) for number in term.ids}
        self._heads = [(slot, term.head) for slot, term in enumerate(terms) if term.head]
        slot_of = {term.text: slot for slot, term in enumerate(query.terms)}
        pairs = zip(query.sequence, query.sequence[1:], strict=False)
        self._pairs = {(slot_of[a], slot_of[b]) for a, b in pairs if a in slot_of and b in slot_of}
        runs = [[slot_of[text] for text in run if text in slot_of] for run in query.compounds]
        self._compounds = [(self._run(run), sum(self._value[slot] for slot in run), set(run)) for run in runs if run]
        self._needed = {slot for slot, term in enumerate(query.terms) if term.weight == 1.0}
        self._names = {number for name in query.names if name in slot_of for number in terms[slot_of[name]].ids}
        self._phrases = [run_of(self._db, run) for run in query.phrases]
        self._excluded = Excluded(self._db, query.excluded)
        self._times = self._known(dates.TIME_WORDS) if query.asks_when else frozenset()

    def _run(self, slots: Sequence[int]) -> array[int] | None:
        ids = [self._terms[slot].ids for slot in slots]
        return array(NUMBER, [some[0] for some in ids]) if all(ids) else None

    def _known(self, words: Iterable[str]) -> frozenset[int]:
        return frozenset(ids_of(self._db, [word_term(word) for word in words]).values())

    def chunk(self, number: int, text: Text) -> _Chunk | None:
        """What a passage of this chunk has at most; None where it says too little of what was asked."""
        w = self._w
        whole_file = number | WHOLE
        above = {slot for slot, head in self._heads if _held(head, number) or _held(head, whole_file)}
        hits = text.places(self._slots)
        counts: dict[int, float] = {}
        for _, slot in hits:
            counts[slot] = counts.get(slot, 0.0) + 1
        if not self._says_something(above.union(counts)):
            return None
        file = self._files.get(number >> CHUNK_BITS, _NO_FACTS)
        head = sum([self._value[slot] for slot in above])
        shared = w.file * file.score + (w.head + w.held) * head + w.date * self._query.moment.agreement(file.date)
        shared += w.chunk * self._part(counts, w.chunk_k, len(text.body) / _CHUNK_TOKENS)
        window = w.window * self._part(counts, w.window_k, 0.0)
        others = shared + window + self._bonuses(text, counts, above) + _ROUNDING
        most = (self._own(counts, 0, above) + others) * text.weight / _TOP
        return _Chunk(most, number, text, hits, above, shared, others)

    def passages(self, chunk: _Chunk, least: float) -> Iterator[Candidate]:
        """The passages of one chunk that have `least` or more."""
        text, above = chunk.text, chunk.above
        if self._excluded.runs and any(map(self._excluded.within, heads_of(self._db, chunk.number))):
            return
        enough = least * _TOP / text.weight - chunk.others if text.weight else 0.0
        in_head = bool(self._phrases) and self._phrase_above(chunk.number)
        atoms = _atoms(text.ends, chunk.hits) if chunk.hits else self._first_atom(text)
        for place, atom in atoms.items():
            part = text.body[atom.start : atom.end]
            if self._excluded and self._excluded.within(part):
                continue
            if self._phrases and not in_head and not all(_holds(part, run) for run in self._phrases):
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
        bonus = w.phrase * bool(self._phrases) + w.when * bool(self._times)
        if self._needed <= above.union(whole):
            bonus += w.all
        if text.signs and self._names:
            bonus += w.label
        if self._pairs:
            bonus += w.near * sum([a in whole and b in whole for a, b in self._pairs]) / len(self._pairs)
        for _, value, slots in self._compounds:
            if slots <= whole.keys():
                bonus += w.phrase * value
        return bonus

    def _says_something(self, held: set[int]) -> bool:
        """Whether these terms are two of the query's words, a word that is not common, or half of the query."""
        return (
            len(held & self._needed) > 1
            or not all(self._terms[slot].common for slot in held)
            or sum([self._value[slot] for slot in held]) >= _HALF
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
        window = w.window * self._part(around, w.window_k, length / _WINDOW_TOKENS)
        bonus = w.all if self._needed <= above.union(around) else 0.0
        if len(atom.places) > 1:
            bonus += self._nearness(text.body, atom)
        if self._phrases:
            bonus += w.phrase
        for at, sign in text.signs:
            if atom.start <= at < atom.end:
                bonus += w.question if sign == QUESTION else w.label * (text.body[atom.start] in self._names)
        if self._times and not self._times.isdisjoint(text.body[atom.start : atom.end]):
            bonus += w.when
        total = max(0.0, min(1.0, (own + window + shared + bonus) * text.weight / _TOP))
        if total < least or not total:
            return None
        exact = bool(self._phrases) or self._needed <= atom.counts.keys()
        steps = {"atom": own, "window": window, "shared": shared, "bonus": bonus}
        return Candidate(passage, total, steps, exact)

    def _own(self, counts: Mapping[int, float], length: int, above: set[int]) -> float:
        """What the atom by itself counts; `length` in terms."""
        held = sum([self._value[slot] for slot in counts if slot not in above])
        return self._w.atom * self._part(counts, self._w.atom_k, length / _ATOM_TOKENS) + self._w.held * held

    def _part(self, counts: Mapping[int, float], k: float, length: float) -> float:
        """BM25 of some text, 0 to 1; `length` is 1 for usual."""
        norm = k * (1 - self._w.b + self._w.b * length)
        value = self._value
        return sum([value[slot] * count / (count + norm) for slot, count in counts.items()])

    def _nearness(self, body: array[int], atom: _Atom) -> float:
        """For words of the query that stand near each other as in it, and words typed as one that stand as one."""
        near = set()
        for (at, a), (then, b) in zip(atom.places, atom.places[1:], strict=False):
            if then - at <= _NEAR and (a, b) in self._pairs:
                near.add((a, b))
        bonus = self._w.near * len(near) / len(self._pairs) if near else 0.0
        if self._compounds:
            part = body[atom.start : atom.end]
            bonus += sum([self._w.phrase * value for run, value, _ in self._compounds if _holds(part, run)])
        return bonus

    def _phrase_above(self, chunk: int) -> bool:
        held = heads_of(self._db, chunk)
        return all(any(runs(main_terms(text), run) for text in held) for run in self._phrases)


_NO_FACTS = FileFacts()
_SIGNS = frozenset((END, QUESTION, LABEL))
_ATOM = (1 << ATOM_BITS) - 1
_NEAR = 3
_HALF = 0.5
_ROUNDING = 1e-9
_TOP = 1.2
"""The sum of all shares and the usual bonuses: what a perfect passage has."""


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


def _holds(part: array[int], run: array[int] | None) -> bool:
    """Whether the terms `run` stand in the text one behind the other."""
    return run is not None and run[0] in part and run[-1] in part and runs(main_terms(part), run)


def ids_of(db: sqlite3.Connection, terms: Sequence[str]) -> dict[str, int]:
    """The numbers of those of `terms` that the index knows."""
    marks = ", ".join("?" * len(terms))
    return dict(db.execute(f"SELECT term, id FROM terms WHERE term IN ({marks})", terms).fetchall())


def run_of(db: sqlite3.Connection, phrase: Sequence[str]) -> array[int] | None:
    """The numbers of a phrase, in its order; None where no text holds one of its terms."""
    ids = ids_of(db, phrase)
    return array(NUMBER, [ids[text] for text in phrase]) if all(text in ids for text in phrase) else None


def runs(main: array[int], run: array[int] | None) -> bool:
    """Whether the main terms of a text have `run` in them, one behind the other; never where it is None."""
    if run is None:
        return False
    first, size = run[0], len(run)
    return any(main[at] == first and main[at : at + size] == run for at in range(len(main) - size + 1))


def main_terms(stored: array[int]) -> array[int]:
    """The main terms of a stored text: without what stands between `OPEN` and `CLOSE`."""
    found = array(NUMBER)
    extra = False
    for number in stored:
        if number == OPEN:
            extra = True
        elif number == CLOSE:
            extra = False
        elif not extra and number not in _SIGNS:
            found.append(number)
    return found
