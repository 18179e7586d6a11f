"""Terms as numbers: what the index stores of a text. One cache a batch, so that each spelling is analysed once.

A stored text is a row of unsigned 32-bit numbers: the main terms of each atom in order, extra terms between `OPEN` and
`CLOSE` behind the spelling they belong to, and `END` behind each atom. Numbers below `FIRST` are signs, not terms.
Texts are cut and looked up in C where the extension is there (`native`), else by `spellings`: to the byte the same.
"""

from __future__ import annotations

import sqlite3
from array import array
from sys import byteorder

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.retrieval.native._speed import Speller
    from openclaw_memory.retrieval.spellings import Spellings

END, OPEN, CLOSE, QUESTION, LABEL, FIRST = 0, 1, 2, 3, 4, 16
NUMBER = "I"
"""The array type of all numbers in the index."""
SIZE = 4
"""Bytes of one."""
BETWEEN = " \0 "
"""Stands between atoms that are encoded together; no text of a page holds it."""
ASKS = " \0q"
"""Stands at the end of an atom that is a question."""
LABELLED = " \0l"
"""Stands at the end of an atom that begins with a label (`Name: ...`)."""
SIGNS = {b"\0": END, b"\0q": QUESTION, b"\0l": LABEL}
"""How the signs that stand in a text are spelt."""
_BLANKS = bytes.maketrans(b'\n!"()[]{}<>|`*;?~\\', b" " * 18)
_MOST_KEPT = 400_000
_MOST_TERMS = 1 << 28
"""More than any folder has, and few enough to be counted in a row."""


def stored(*numbers: int) -> bytes:
    """Numbers as the index has them."""
    return array(NUMBER, numbers).tobytes()


class Numbers(dict[str, bytes]):
    """Term to its number as stored; a new term gets the next number. With `whole`, all old terms are here."""

    def __init__(self, db: sqlite3.Connection, whole: bool) -> None:
        super().__init__()
        self._db = db
        self._new: list[tuple[int, str]] = []
        self._whole = whole
        least, most = db.execute("SELECT MIN(id), MAX(id) FROM terms").fetchone()
        if most is not None and not FIRST <= least <= most < _MOST_TERMS:
            raise sqlite3.DatabaseError(f"the table of terms is malformed: it has the numbers {least} to {most}")
        self._next = FIRST if most is None else most + 1
        if whole:
            self.update((term, stored(number)) for number, term in db.execute("SELECT id, term FROM terms"))

    def __missing__(self, term: str) -> bytes:
        number = 0 if self._whole else self._lookup(term)
        if not number:
            number, self._next = self._next, self._next + 1
            self._new.append((number, term))
        found = self[term] = number.to_bytes(SIZE, byteorder)
        return found

    def _lookup(self, term: str) -> int:
        row = self._db.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()
        return int(row[0]) if row else 0

    def save(self) -> None:
        """Write the new terms."""
        self._db.executemany("INSERT INTO terms VALUES (?, ?)", self._new)
        self._new.clear()


class Lexicon:
    """Texts to what is stored of them. Use inside one transaction.

    With `bulk` all terms of the index are read at once, else one by one as they are met.
    """

    def __init__(self, db: sqlite3.Connection, bulk: bool = False) -> None:
        self._numbers = Numbers(db, whole=bulk)
        self._spellings = _spellings(self._numbers)

    def encode(self, texts: list[str]) -> list[bytes]:
        """Each text as stored, without an end. Many at once are cheaper than one by one."""
        return self._spellings.encode(texts)

    def trim(self) -> None:
        """Forget the spellings when they are many; between two files."""
        if self._spellings.size > _MOST_KEPT:
            self._spellings.forget()

    def save(self) -> None:
        """Write the new terms."""
        self._numbers.save()


def _spellings(numbers: Numbers) -> Spellings | Speller:
    from openclaw_memory.retrieval.native import speed

    if speed is None:
        from openclaw_memory.retrieval.spellings import Spellings

        return Spellings(numbers)
    from os import urandom

    from openclaw_memory.retrieval.analyse import analyse
    from openclaw_memory.retrieval.stem import rules

    made: Speller = speed.Speller(numbers, analyse, rules(), SIGNS, int.from_bytes(urandom(8)))
    return made


def split(text: str) -> list[bytes]:
    """The spellings of `text`: runs between white space and the signs that never join two words."""
    data = text.encode("utf-8", "surrogateescape").translate(_BLANKS)
    for mark in (b". ", b", ", b": "):
        data = data.replace(mark, b"  ")
    return data.split()
