"""What the second step of the leg of words knows of a query, whichever way it is done: its terms, weights and bonuses.

Imports neither numpy nor LlamaIndex.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence

from openclaw_memory.record import Record
from openclaw_memory.retrieval import dates
from openclaw_memory.retrieval.analyse import word_term
from openclaw_memory.retrieval.lexicon import CLOSE, END, LABEL, NUMBER, OPEN, QUESTION
from openclaw_memory.retrieval.query import Query

ATOM_TOKENS, WINDOW_TOKENS, CHUNK_TOKENS = 30.0, 75.0, 150.0
"""Lengths that count as usual, in terms."""
NEAR = 3
"""How many places from each other terms still are near each other."""
HALF = 0.5
TOP = 1.2
"""The sum of all shares and the usual bonuses: what a perfect passage has."""
_SIGNS = frozenset((END, QUESTION, LABEL))


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


class Compound(Record):
    """Words of a query that were typed as one: their numbers, what they are worth, and their slots."""

    run: array[int]
    value: float
    slots: set[int]


class Excluded:
    """The words and runs of words that no passage may hold, as the index knows them; false where there are none."""

    def __init__(self, db: sqlite3.Connection, wanted: Sequence[Sequence[str]]) -> None:
        runs = [run for run in (run_of(db, texts) for texts in wanted) if run is not None]
        self.words = frozenset(run[0] for run in runs if len(run) == 1)
        self.runs = [run for run in runs if len(run) > 1]

    def __bool__(self) -> bool:
        return bool(self.words or self.runs)

    def within(self, part: array[int]) -> bool:
        """Whether a stored text holds one of them."""
        return not self.words.isdisjoint(part) or any(holds(part, run) for run in self.runs)


class Asked:
    """A query as the index knows it: its terms by their places (slots), what each is worth, and what earns a bonus."""

    def __init__(self, db: sqlite3.Connection, query: Query, terms: Sequence[Found]) -> None:
        self.terms = terms
        total = sum(term.weight for term in terms)
        self.value = [term.weight * term.factor / total for term in terms]
        self.slots = {number: slot for slot, term in enumerate(terms) for number in term.ids}
        slot_of = {term.text: slot for slot, term in enumerate(query.terms)}
        pairs = zip(query.sequence, query.sequence[1:], strict=False)
        self.pairs = {(slot_of[a], slot_of[b]) for a, b in pairs if a in slot_of and b in slot_of}
        runs = [[slot_of[text] for text in run if text in slot_of] for run in query.compounds]
        self.compounds = [one for one in map(self._compound, runs) if one is not None]
        self.needed = {slot for slot, term in enumerate(query.terms) if term.weight == 1.0}
        self.names = {number for name in query.names if name in slot_of for number in terms[slot_of[name]].ids}
        self.times = self._times(db) if query.asks_when else frozenset()

    @staticmethod
    def _times(db: sqlite3.Connection) -> frozenset[int]:
        return frozenset(ids_of(db, [word_term(word) for word in dates.TIME_WORDS]).values())

    def _compound(self, slots: Sequence[int]) -> Compound | None:
        """None where no text holds one of the terms."""
        ids = [self.terms[slot].ids for slot in slots]
        if not ids or not all(ids):
            return None
        run = array(NUMBER, [some[0] for some in ids])
        return Compound(run, sum(self.value[slot] for slot in slots), {self.slots[number] for number in run})

    def as_one(self, part: array[int]) -> float:
        """What the words are worth that were typed as one and stand as one in a stored text."""
        worth = 0.0
        for compound in self.compounds:
            if holds(part, compound.run):
                worth += compound.value
        return worth

    def worth(self, slots: Iterable[int]) -> float:
        """What terms are worth; added up in their order, as `arrays.passages` does, so that equals are equal."""
        worth = 0.0
        for slot in sorted(slots):
            worth += self.value[slot]
        return worth


def holds(part: array[int], run: array[int] | None) -> bool:
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
    size, at = len(run), 0
    while run[0] in main[at:]:
        at = main.index(run[0], at) + 1
        if main[at - 1 : at - 1 + size] == run:
            return True
    return False


def main_terms(stored: array[int]) -> array[int]:
    """The main terms of a stored text: without what stands between `OPEN` and `CLOSE`."""
    found, start = array(NUMBER), 0
    for _ in range(stored.count(OPEN)):
        end = stored.index(OPEN, start)
        found += stored[start:end]
        start = stored.index(CLOSE, end) + 1
    found += stored[start:]
    return array(NUMBER, [number for number in found if number not in _SIGNS])
