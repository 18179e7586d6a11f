"""The second step of the leg of words: the atoms of the best chunks, scored exactly.

A passage's score is the sum of shares: the atom by itself, the atom with its two neighbours, its chunk, its file, and
what stands above it; then small bonuses for phrases, nearness, completeness, dates and labels.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress

from openclaw_memory.record import Record
from openclaw_memory.retrieval import dates
from openclaw_memory.retrieval.analyse import word_term
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexicon import CLOSE, END, LABEL, NUMBER, OPEN, QUESTION
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.postings import WHOLE, numbers
from openclaw_memory.retrieval.query import Query

_AT_ONCE = 30
_ATOM_TOKENS, _WINDOW_TOKENS, _CHUNK_TOKENS = 30.0, 75.0, 150.0
"""Lengths that count as usual, in terms."""


class Weights(Record):
    """How much each part counts. `atom` to `head` are shares of 1; the rest is added on top."""

    atom: float = 0.25
    window: float = 0.25
    chunk: float = 0.15
    file: float = 0.2
    head: float = 0.3
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
    signs: frozenset[int]


def score(
    db: sqlite3.Connection,
    query: Query,
    terms: Sequence[Found],
    chunks: Mapping[int, float],
    files: Mapping[int, FileFacts],
    weights: Weights,
    limit: int,
) -> list[Candidate]:
    """The best `limit` passages of `chunks`, best first.

    `chunks` maps a chunk to the share of the query's weight in it and, times `first_head`, above it; the best come
    first. Chunks that cannot reach the best `limit` are not read; those that reach as much as the last of these are.
    """
    scorer = _Scorer(db, query, terms, files, weights)
    found: list[Candidate] = []
    order = list(chunks)
    for at in range(0, len(order), _AT_ONCE):
        least = found[limit - 1].score if len(found) >= limit else 0.0
        part = [number for number in order[at : at + _AT_ONCE] if scorer.most(number, chunks[number]) >= least]
        found += [one for row in _rows(db, part) for one in scorer.chunk(*row, least)]
        found.sort(key=lambda one: -one.score)
        if len(found) > limit:
            least = found[limit - 1].score
            found = [one for one in found if one.score >= least]
    return ordered(db, found)[:limit]


def _rows(db: sqlite3.Connection, part: Sequence[int]) -> Iterator[tuple[int, array[int], float]]:
    marks = ", ".join("?" * len(part))
    for number, blob, weight in db.execute(f"SELECT id, terms, weight FROM chunks WHERE id IN ({marks})", part):
        yield number, numbers(blob), weight


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
        self._slots |= {END: -1, QUESTION: -2, LABEL: -3}
        slot_of = {term.text: slot for slot, term in enumerate(query.terms)}
        pairs = zip(query.sequence, query.sequence[1:], strict=False)
        self._pairs = {(slot_of[a], slot_of[b]) for a, b in pairs if a in slot_of and b in slot_of}
        runs = [[slot_of[text] for text in run if text in slot_of] for run in query.compounds]
        self._compounds = [(self._run(run), sum(self._value[slot] for slot in run)) for run in runs if run]
        self._needed = {slot for slot, term in enumerate(query.terms) if term.weight == 1.0}
        self._names = {number for name in query.names if name in slot_of for number in terms[slot_of[name]].ids}
        self._phrases = [self._numbers(run) for run in query.phrases]
        self._excluded = frozenset(self._ids(query.excluded).values()) if query.excluded else frozenset()
        self._above: dict[int, tuple[set[int], float]] = {}
        w = weights
        self._bonus = w.all + w.phrase * bool(self._phrases) + w.label * bool(self._names) + w.when * query.asks_when
        self._order_bonus = w.near * bool(self._pairs) + w.phrase * bool(self._compounds)
        self._one_term = max(self._value) + 1e-9
        self._times = self._known(dates.TIME_WORDS) if query.asks_when else frozenset()

    def _run(self, slots: Sequence[int]) -> array[int] | None:
        ids = [self._terms[slot].ids for slot in slots]
        return array(NUMBER, [some[0] for some in ids]) if all(ids) else None

    def _numbers(self, run: Sequence[str]) -> array[int] | None:
        ids = self._ids(run)
        return array(NUMBER, [ids[text] for text in run]) if all(text in ids for text in run) else None

    def _known(self, words: Iterable[str]) -> frozenset[int]:
        return frozenset(self._ids([word_term(word) for word in words]).values())

    def _ids(self, terms: Sequence[str]) -> dict[str, int]:
        marks = ", ".join("?" * len(terms))
        return dict(self._db.execute(f"SELECT term, id FROM terms WHERE term IN ({marks})", terms).fetchall())

    def most(self, number: int, share: float) -> float:
        """What a passage of this chunk has at most; keeps what stands above the chunk for when it is scored."""
        w = self._w
        whole = number | WHOLE
        above = {at for at, term in enumerate(self._terms) if _held(term.head, number) or _held(term.head, whole)}
        file = self._files.get(number >> CHUNK_BITS, _NO_FACTS)
        head = sum([self._value[slot] for slot in above])
        shared = w.file * file.score + w.head * head + w.date * self._query.moment.agreement(file.date)
        self._above[number] = above, shared
        body = min(1.0, max(0.0, share - w.first_head * head))
        bonus = self._bonus if body <= self._one_term else self._bonus + self._order_bonus
        return ((w.atom + w.window + w.chunk) * body + shared + bonus) / _TOP

    def chunk(self, number: int, body: array[int], weight: float, least: float) -> list[Candidate]:
        """The passages of one chunk that have `least` or more."""
        atoms = _atoms(body, self._slots)
        w = self._w
        above, shared = self._above[number]
        whole: dict[int, float] = {}
        for atom in atoms:
            for slot, count in atom.counts.items():
                whole[slot] = whole.get(slot, 0.0) + count
        if not self._says_something(above.union(whole)):
            return []
        shared += w.chunk * self._part(whole, w.chunk_k, len(body) / _CHUNK_TOKENS)
        in_head = bool(self._phrases) and self._phrase_above(number)
        found = []
        given = False
        for place, atom in enumerate(atoms):
            if self._excluded and not self._excluded.isdisjoint(body[atom.start : atom.end]):
                continue
            if not atom.counts and (given or whole):
                continue
            given = True
            if self._phrases and not in_head and not all(_holds(body, atom, run) for run in self._phrases):
                continue
            one = self._passage(number, place, atoms, body, above, shared, weight, least)
            if one is not None:
                found.append(one)
        return found

    def _says_something(self, held: set[int]) -> bool:
        """Whether these terms are two of the query's words, a word that is not common, or half of the query."""
        return (
            len(held & self._needed) > 1
            or not all(self._terms[slot].common for slot in held)
            or sum([self._value[slot] for slot in held]) >= _HALF
        )

    def _passage(
        self,
        chunk: int,
        place: int,
        atoms: list[_Atom],
        body: array[int],
        above: set[int],
        shared: float,
        weight: float,
        least: float,
    ) -> Candidate | None:
        w = self._w
        atom = atoms[place]
        around, length = _around(atoms, place, w.neighbour)
        own = w.atom * self._part(atom.counts, w.atom_k, (atom.end - atom.start) / _ATOM_TOKENS)
        window = w.window * self._part(around, w.window_k, length / _WINDOW_TOKENS)
        bonus = w.all if self._needed <= above.union(around) else 0.0
        if len(atom.places) > 1:
            bonus += self._nearness(body, atom)
        if self._phrases:
            bonus += w.phrase
        if atom.signs:
            bonus += w.label if LABEL in atom.signs and body[atom.start] in self._names else 0.0
            bonus += w.question if QUESTION in atom.signs else 0.0
        if self._times and not self._times.isdisjoint(body[atom.start : atom.end]):
            bonus += w.when
        total = max(0.0, min(1.0, (own + window + shared + bonus) * weight / _TOP))
        if total < least or not total:
            return None
        exact = bool(self._phrases) or self._needed <= atom.counts.keys()
        steps = {"atom": own, "window": window, "shared": shared, "bonus": bonus}
        return Candidate(chunk << ATOM_BITS | place, total, steps, exact)

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
        for run, value in self._compounds:
            if _holds(body, atom, run):
                bonus += self._w.phrase * value
        return bonus

    def _phrase_above(self, chunk: int) -> bool:
        row = self._db.execute(
            "SELECT chunks.head, files.head FROM chunks JOIN files ON files.id = chunks.id >> 12 WHERE chunks.id = ?",
            (chunk,),
        ).fetchone()
        texts = [numbers(blob) for blob in row]
        return all(any(_runs(main_terms(text), run) for text in texts) for run in self._phrases)


_NO_FACTS = FileFacts()
_NO_SIGNS: frozenset[int] = frozenset()
_SIGNS = frozenset((END, QUESTION, LABEL))
_NEAR = 3
_HALF = 0.5
_TOP = 1.2
"""The sum of all shares and the usual bonuses: what a perfect passage has."""


def _atoms(body: array[int], slots: Mapping[int, int]) -> list[_Atom]:
    """The atoms of a stored chunk with the query's terms in them."""
    atoms: list[_Atom] = []
    counts: dict[int, float] = {}
    places: list[tuple[int, int]] = []
    start, signs = 0, _NO_SIGNS
    for at, number in compress(enumerate(body), map(slots.__contains__, body)):
        slot = slots[number]
        if slot >= 0:
            counts[slot] = counts.get(slot, 0.0) + 1
            places.append((at, slot))
        elif slot == -1:
            atoms.append(_Atom(counts, places, start, at, signs))
            counts, places, start, signs = {}, [], at + 1, _NO_SIGNS
        else:
            signs |= {number}
    return atoms


def _around(atoms: list[_Atom], place: int, share: float) -> tuple[dict[int, float], int]:
    """The counts of an atom with its neighbours, which count `share`, and their length in terms."""
    atom = atoms[place]
    around = dict(atom.counts)
    length = atom.end - atom.start
    for other in atoms[max(0, place - 1) : place + 2]:
        if other is not atom:
            length += other.end - other.start
            for slot, count in other.counts.items():
                around[slot] = around.get(slot, 0.0) + share * count
    return around, length


def _held(chunks: array[int], chunk: int) -> bool:
    at = bisect_left(chunks, chunk)
    return at < len(chunks) and chunks[at] == chunk


def _holds(body: array[int], atom: _Atom, run: array[int] | None) -> bool:
    """Whether the terms `run` stand in the atom one behind the other."""
    if run is None:
        return False
    part = body[atom.start : atom.end]
    return run[0] in part and run[-1] in part and _runs(main_terms(part), run)


def _runs(main: array[int], run: array[int] | None) -> bool:
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
