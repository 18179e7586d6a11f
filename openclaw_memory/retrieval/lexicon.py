"""Terms as numbers: what the index stores of a text. One cache a batch, so that each spelling is analysed once.

A stored text is a row of unsigned 32-bit numbers: the main terms of each atom in order, extra terms between `OPEN` and
`CLOSE` behind the spelling they belong to, and `END` behind each atom. Numbers below `FIRST` are signs, not terms.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from sys import byteorder

from openclaw_memory.patterns import pattern
from openclaw_memory.retrieval.analyse import LONGEST_PIECE, analyse, joined, piece, word_term

END, OPEN, CLOSE, QUESTION, LABEL, BREAK, FIRST = 0, 1, 2, 3, 4, 5, 16
NUMBER = "I"
"""The array type of all numbers in the index."""
BETWEEN = " \0 "
"""Stands between atoms that are encoded together; no text of a page holds it."""
ASKS = " \0q"
"""Stands at the end of an atom that is a question."""
LABELLED = " \0l"
"""Stands at the end of an atom that begins with a label (`Name: ...`)."""
_BREAK = " \0b "
"""Stands between texts that are encoded together."""
_BLANKS = bytes.maketrans(b'\n!"()[]{}<>|`*;?~\\', b" " * 18)
_APART = bytes(at if chr(at).isalnum() else 32 for at in range(128)).ljust(256)
"""All that is no letter or digit of ASCII is a blank."""
_SPECIAL = pattern(rb"[\x80-\xff']|\+\+|#(?!\w)|\A\.[A-Za-z]")
"""What only the analyser can read; all else is pieces of letters and digits between other signs."""
_USUAL = bytes(set(range(128)) - set(b"'+#."))
"""What is special nowhere: a spelling of nothing else need not be searched."""


def _stored(*numbers: int) -> bytes:
    return array(NUMBER, numbers).tobytes()


_SIGNS = ((b"\0", END), (b"\0q", QUESTION), (b"\0l", LABEL), (b"\0b", BREAK))
_MARKS = {mark: _stored(sign) for mark, sign in _SIGNS}
_OPEN, _CLOSE = _stored(OPEN), _stored(CLOSE)
_MOST_KEPT = 400_000
_SIMPLE = pattern(rb"(?:[A-Za-z]?[a-z]*|[A-Z]+s?|[0-9]+)\Z")
"""A piece without extra terms: of one part."""


class _Numbers(dict[str, bytes]):
    """Term to its number as stored; a new term gets the next number. With `whole`, all old terms are here."""

    def __init__(self, db: sqlite3.Connection, whole: bool) -> None:
        super().__init__()
        self._db = db
        self._new: list[tuple[int, str]] = []
        self._whole = whole
        if whole:
            self.update((term, _stored(number)) for number, term in db.execute("SELECT id, term FROM terms"))
        self._next = max(FIRST, (db.execute("SELECT MAX(id) FROM terms").fetchone()[0] or 0) + 1)

    def __missing__(self, term: str) -> bytes:
        found = self[term] = (self._lookup(term) or self._make(term)).to_bytes(4, byteorder)
        return found

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


class _Pieces(dict[bytes, bytes]):
    """Piece (see `analyse.piece`) to its main term; and its folded form, and its extra terms where it has some."""

    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self._numbers = numbers
        self.folded: dict[bytes, str] = {}
        self.extra: dict[bytes, list[bytes]] = {}

    def __missing__(self, spelling: bytes) -> bytes:
        folded = self.folded[spelling] = spelling.lower().decode()
        if not _SIMPLE.match(spelling) and (extra := piece(spelling.decode()).extra):
            self.extra[spelling] = [self._numbers[term] for term in extra]
        found = self[spelling] = self._numbers[word_term(folded)]
        return found


class Lexicon(dict[bytes, bytes]):
    """Spelling to stored terms. Use inside one transaction."""

    def __init__(self, db: sqlite3.Connection, bulk: bool = False) -> None:
        super().__init__(_MARKS)
        self._numbers = _Numbers(db, whole=bulk)
        self._pieces = _Pieces(self._numbers)

    def __missing__(self, spelling: bytes) -> bytes:
        if len(spelling) > LONGEST_PIECE:
            return self._analysed(spelling)
        if spelling.translate(None, _USUAL) and _SPECIAL.search(spelling):
            found = self._analysed(spelling)
        else:
            found = self._plain(spelling.translate(_APART).split())
        self[spelling] = found
        return found

    def _analysed(self, spelling: bytes) -> bytes:
        terms = analyse(spelling.decode("utf-8", "replace"))
        numbers = self._numbers
        return _entry(b"".join([numbers[term] for term in terms.main]), [numbers[term] for term in terms.extra])

    def _plain(self, spellings: list[bytes]) -> bytes:
        """What `analyse` says of a spelling of these pieces, as stored."""
        pieces = self._pieces
        main = b"".join(map(pieces.__getitem__, spellings))
        extra = []
        if not pieces.extra.keys().isdisjoint(spellings):
            extra = [number for spelling in spellings for number in pieces.extra.get(spelling, ())]
        if len(spellings) > 1 and (term := joined(list(map(pieces.folded.__getitem__, spellings)))):
            extra.append(self._numbers[term])
        return _entry(main, extra) if extra else main

    def encode(self, texts: Sequence[str]) -> list[array[int]]:
        """Each text as stored, without an end. Many at once are cheaper than one by one."""
        stored = array(NUMBER)
        stored.frombytes(b"".join(map(self.__getitem__, split(_BREAK.join(texts)))))
        found = []
        start = 0
        for _ in texts[1:]:
            end = stored.index(BREAK, start)
            found.append(stored[start:end])
            start = end + 1
        found.append(stored[start:])
        return found

    def trim(self) -> None:
        """Forget the spellings when they are many; between two files."""
        if len(self) > _MOST_KEPT:
            self.clear()
            self.update(_MARKS)
            self._pieces = _Pieces(self._numbers)

    def save(self) -> None:
        """Write the new terms."""
        self._numbers.save()


def _entry(main: bytes, extra: list[bytes]) -> bytes:
    return b"".join((main, _OPEN, *dict.fromkeys(extra), _CLOSE)) if extra else main


def split(text: str) -> list[bytes]:
    """The spellings of `text`: runs between white space and the signs that never join two words."""
    data = text.encode("utf-8", "surrogateescape").translate(_BLANKS)
    for mark in (b". ", b", ", b": "):
        data = data.replace(mark, b"  ")
    return data.split()
