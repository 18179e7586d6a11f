"""Terms as numbers: what the index stores of a text. One cache a batch, so that each spelling is analysed once.

A stored text is a row of unsigned 32-bit numbers: the main terms of each atom in order, extra terms between `OPEN` and
`CLOSE` behind the spelling they belong to, and `END` behind each atom. Numbers below `FIRST` are signs, not terms.
"""

from __future__ import annotations

import sqlite3
from array import array
from sys import byteorder

from openclaw_memory.retrieval.analyse import analyse, word_term

END, OPEN, CLOSE, QUESTION, LABEL, FIRST = 0, 1, 2, 3, 4, 16
NUMBER = "I"
"""The array type of all numbers in the index."""
BETWEEN = " \0 "
"""Stands between atoms that are encoded together; no text of a page holds it."""
ASKS = " \0q"
"""Stands at the end of an atom that is a question."""
LABELLED = " \0l"
"""Stands at the end of an atom that begins with a label (`Name: ...`)."""
_BLANKS = bytes.maketrans(b'!"()[]{}<>|`*;?~\\', b" " * 17)
_MARKS = {mark: array(NUMBER, [sign]).tobytes() for mark, sign in ((b"\0", END), (b"\0q", QUESTION), (b"\0l", LABEL))}
_LONGEST_KEPT = 60  # bytes of a spelling that is worth a place in the cache
_MOST_KEPT = 400_000


class Lexicon(dict[bytes, bytes]):
    """Spelling to stored main terms; new terms get the next number. Use inside one transaction."""

    def __init__(self, db: sqlite3.Connection, bulk: bool = False) -> None:
        super().__init__(_MARKS)
        self._db = db
        self._ids: dict[str, int] = {}
        self._new: list[tuple[int, str]] = []
        self._whole = bulk
        if bulk:
            self._ids = {term: number for number, term in db.execute("SELECT id, term FROM terms")}
        last = db.execute("SELECT MAX(id) FROM terms").fetchone()[0]
        self._next = max(FIRST, (last or 0) + 1)

    def __missing__(self, spelling: bytes) -> bytes:
        number = self.number
        if spelling.isalpha() and spelling.islower() and len(spelling) <= _LONGEST_KEPT:
            found = self[spelling] = number(word_term(spelling.decode())).to_bytes(4, byteorder)
            return found
        terms = analyse(spelling.decode("utf-8", "replace"))
        numbers = [number(term) for term in terms.main]
        if terms.extra:
            numbers += [OPEN, *map(number, terms.extra), CLOSE]
        found = array(NUMBER, numbers).tobytes()
        if len(spelling) <= _LONGEST_KEPT:
            self[spelling] = found
        return found

    def trim(self) -> None:
        """Forget the spellings when they are many; between two files."""
        if len(self) > _MOST_KEPT:
            self.clear()
            self.update(_MARKS)

    def number(self, term: str) -> int:
        """The number of `term`, a new one if need be."""
        found = self._ids.get(term)
        if found is None:
            found = self._ids[term] = self._lookup(term) or self._make(term)
        return found

    def encode(self, text: str) -> bytes:
        """`text` as stored, without an end."""
        return b"".join(map(self.__getitem__, split(text)))

    def _lookup(self, term: str) -> int:
        if self._whole:
            return 0
        row = self._db.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()
        return int(row[0]) if row else 0

    def _make(self, term: str) -> int:
        number, self._next = self._next, self._next + 1
        self._new.append((number, term))
        return number

    def save(self) -> None:
        """Write the new terms."""
        self._db.executemany("INSERT INTO terms VALUES (?, ?)", self._new)
        self._new.clear()


def split(text: str) -> list[bytes]:
    """The spellings of `text`: runs between white space and the signs that never join two words."""
    data = text.encode("utf-8", "surrogateescape").translate(_BLANKS)
    if b". " in data or b", " in data or b": " in data or b"\n" in data:
        for mark in (b". ", b", ", b": ", b".\n", b",\n", b":\n"):
            data = data.replace(mark, b"  ")
    return data.split()
