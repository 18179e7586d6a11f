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
from openclaw_memory.retrieval.analyse import LONGEST_CHUNK, analyse, joined, piece

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
_LONGEST_KEPT = 60  # bytes of a spelling that is worth a place in the cache
_MOST_KEPT = 400_000


_Piece = tuple[bytes, bytes, list[bytes], str]
"""A piece (see `analyse.piece`) as stored: all of it, its main term, its extra terms; and its folded form."""


class Lexicon(dict[bytes, bytes]):
    """Spelling to stored terms; new terms get the next number. Use inside one transaction."""

    def __init__(self, db: sqlite3.Connection, bulk: bool = False) -> None:
        super().__init__(_MARKS)
        self._db = db
        self._ids: dict[str, bytes] = {}
        self._pieces: dict[bytes, _Piece] = {}
        self._new: list[tuple[int, str]] = []
        self._whole = bulk
        if bulk:
            self._ids = {term: _stored(number) for number, term in db.execute("SELECT id, term FROM terms")}
        last = db.execute("SELECT MAX(id) FROM terms").fetchone()[0]
        self._next = max(FIRST, (last or 0) + 1)

    def __missing__(self, spelling: bytes) -> bytes:
        if spelling.translate(None, _USUAL) and _SPECIAL.search(spelling):
            terms = analyse(spelling.decode("utf-8", "replace"))
            found = _entry(b"".join(map(self._number, terms.main)), list(map(self._number, terms.extra)))
        else:
            found = self._plain(spelling[:LONGEST_CHUNK].translate(_APART).split())
        if len(spelling) <= _LONGEST_KEPT:
            self[spelling] = found
        return found

    def _plain(self, spellings: list[bytes]) -> bytes:
        """What `analyse` says of a spelling that is not special, as stored."""
        known = self._pieces
        pieces = [known.get(spelling) or self._piece(spelling) for spelling in spellings]
        if len(pieces) == 1:
            return pieces[0][0]
        folded = [piece[3] for piece in pieces if piece[3]]
        extra = [number for piece in pieces for number in piece[2]]
        if len(folded) > 1 and (term := joined(folded)):
            extra.append(self._number(term))
        return _entry(b"".join([piece[1] for piece in pieces]), extra)

    def _piece(self, spelling: bytes) -> _Piece:
        term, terms, folded = piece(spelling.decode())
        main = self._number(term) if folded else b""
        extra = [self._number(part) for part in terms]
        found = _entry(main, extra), main, extra, folded
        if len(spelling) <= _LONGEST_KEPT:
            self._pieces[spelling] = found
        return found

    def _number(self, term: str) -> bytes:
        """The number of `term` as stored, a new one if need be."""
        found = self._ids.get(term)
        if found is None:
            found = self._ids[term] = (self._lookup(term) or self._make(term)).to_bytes(4, byteorder)
        return found

    def trim(self) -> None:
        """Forget the spellings when they are many; between two files."""
        if len(self) > _MOST_KEPT:
            self.clear()
            self._pieces.clear()
            self.update(_MARKS)

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


def _entry(main: bytes, extra: list[bytes]) -> bytes:
    return b"".join((main, _OPEN, *dict.fromkeys(extra), _CLOSE)) if extra else main


def split(text: str) -> list[bytes]:
    """The spellings of `text`: runs between white space and the signs that never join two words."""
    data = text.encode("utf-8", "surrogateescape").translate(_BLANKS)
    for mark in (b". ", b", ", b": "):
        data = data.replace(mark, b"  ")
    return data.split()
