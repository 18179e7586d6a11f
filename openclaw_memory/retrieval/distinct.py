"""Copies of one text do not fill an answer: a passage that says what a better one says goes behind the others.

A kind of maximal marginal relevance (Carbonell & Goldstein, 1998) in which only near-copies are alike: passages on
one subject are what was asked for. Nothing is left out, so `--all` still shows every copy.
"""

from __future__ import annotations

import sqlite3
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator

from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexicon import FIRST
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.named import NAMES
from openclaw_memory.retrieval.texts import texts

ALIKE = 0.9
"""The Jaccard index of their terms from which two passages are copies, unless they differ in a number."""
COPY = 0.6
"""What the score of the first copy is multiplied by; that of the second twice, and so on."""
_LOOKED_AT = 50
"""Passages that later ones are compared with, and so the most that are moved: enough for any page of results."""

_REMEMBERED = 2048
"""Passages whose terms are remembered: 3 kB each."""
_SIGNS = frozenset(range(FIRST))
_NOTHING: frozenset[int] = frozenset()


def distinct(db: sqlite3.Connection, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """`candidates` (best first) with copies behind, as they are asked for; a copy has the step `copy`."""
    terms = _Terms(db)
    order = sorted((-one.score, place, one) for place, one in enumerate(candidates))
    kept: list[frozenset[int]] = []
    names: list[str] = []
    copies: Counter[int] = Counter()
    for after, (_, place, one) in enumerate(order, 1):
        if "copy" not in one.steps and len(kept) < _LOOKED_AT:
            own, name = terms.of(one.passage), terms.name(one)
            near = (at for at, other in enumerate(kept) if own and terms.alike(own, other))
            like = next((at for at in near if not (name and names[at]) or name == names[at]), None)
            if like is not None:
                copies[like] += 1
                less = COPY ** copies[like]
                copy = one._replace(score=one.score * less, steps={**one.steps, "copy": less})
                insort(order, (-copy.score, place, copy), lo=after)  # which this loop comes to later
                continue
            kept.append(own)
            names.append(name)
        yield one


class _Terms:
    """The terms of passages, and whether two of them say the same."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: dict[int, frozenset[int]] = remembered(db, "distinct", _REMEMBERED)

    def of(self, passage: int) -> frozenset[int]:
        """The terms of a passage; none where it is not there."""
        found = self._known.get(passage)
        if found is None:
            chunk, place = passage >> ATOM_BITS, passage & ((1 << ATOM_BITS) - 1)
            text = texts(self._db, [chunk]).get(chunk)
            held = text is not None and place < len(text.ends)
            found = frozenset(text.atom(place)) - _SIGNS if text is not None and held else _NOTHING
            self._known[passage] = found
        return found

    def name(self, one: Candidate) -> str:
        """What a passage is called that was found for its name alone: of two names, texts alike are no copies."""
        if NAMES.isdisjoint(one.steps):
            return ""
        read = "SELECT title, heading FROM chunks JOIN files ON files.id = chunks.id >> ? WHERE chunks.id = ?"
        return "\n".join(self._db.execute(read, (CHUNK_BITS, one.passage >> ATOM_BITS)).fetchone())

    def alike(self, a: frozenset[int], b: frozenset[int]) -> bool:
        """Whether they are copies: a text with another number or date in it is another text."""
        if a == b:
            return True
        if min(len(a), len(b)) < ALIKE * max(len(a), len(b)) or len(a & b) < ALIKE * len(a | b):
            return False
        differ = sorted(a ^ b)
        marks = ", ".join("?" * len(differ))
        found = self._db.execute(f"SELECT term FROM terms WHERE id IN ({marks})", differ)
        return not any(character.isdigit() for (term,) in found for character in term)
