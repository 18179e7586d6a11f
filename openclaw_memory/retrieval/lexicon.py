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
from openclaw_memory.retrieval.analyse import LONGEST_PIECE, analyse, is_joined, piece
from openclaw_memory.retrieval.stem import stem

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
_APART = bytes(at if chr(at).isalnum() or at == 10 else 32 for at in range(128)).ljust(256)
"""All that is no letter or digit of ASCII is a blank; the ends of lines stay."""
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


class _Words(dict[str, bytes]):
    """A folded word without signs in it to the number of its term."""

    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, folded: str) -> bytes:
        found = self[folded] = self._numbers[stem(folded)]
        return found


class _Pieces(dict[bytes, bytes]):
    """Piece (see `analyse.piece`) to its main term; and to its extra terms where it has some."""

    def __init__(self, numbers: _Numbers, words: _Words) -> None:
        super().__init__()
        self._numbers = numbers
        self._words = words
        self.extra: dict[bytes, list[bytes]] = {}

    def learn(self, pieces: list[bytes]) -> None:
        """Have all of `pieces` here: at once they are folded in a few calls."""
        new = [spelling for spelling in dict.fromkeys(pieces) if spelling not in self]
        folded = b" ".join(new).lower().decode().split()
        self.update(zip(new, map(self._words.__getitem__, folded), strict=True))
        for spelling in new:
            if not _SIMPLE.match(spelling) and (extra := piece(spelling.decode()).extra):
                self.extra[spelling] = [self._numbers[term] for term in extra]


class Lexicon(dict[bytes, bytes | bytearray]):
    """Spelling to stored terms. Use inside one transaction."""

    def __init__(self, db: sqlite3.Connection, bulk: bool = False) -> None:
        super().__init__()
        self._numbers = _Numbers(db, whole=bulk)
        self._forget()

    def _forget(self) -> None:
        self.clear()
        self.update(_MARKS)
        self._words = _Words(self._numbers)
        self._pieces = _Pieces(self._numbers, self._words)
        self._new: dict[bytes, bytearray] = {}

    def __missing__(self, spelling: bytes) -> bytes | bytearray:
        if len(spelling) > LONGEST_PIECE:
            return self._analysed(spelling)
        found = self[spelling] = self._new[spelling] = bytearray()  # `_learn` fills it: many at once are cheaper
        return found

    def _learn(self) -> None:
        """Analyse the new spellings."""
        plain = []
        for spelling, found in self._new.items():
            if spelling.translate(None, _USUAL) and _SPECIAL.search(spelling):
                found += self._analysed(spelling)
            else:
                plain.append(spelling)
        if plain:
            self._learn_plain(plain)
        self.update(zip(self._new, map(bytes, self._new.values()), strict=True))
        self._new.clear()

    def _analysed(self, spelling: bytes) -> bytes:
        terms = analyse(spelling.decode("utf-8", "replace"))
        numbers = self._numbers
        return _entry(b"".join([numbers[term] for term in terms.main]), [numbers[term] for term in terms.extra])

    def _learn_plain(self, spellings: list[bytes]) -> None:
        """What `analyse` says of spellings that are pieces of letters and digits between other signs."""
        apart = b"\n".join(spellings).translate(_APART)
        self._pieces.learn(apart.split())
        joined = apart.translate(None, b" ").lower().decode()
        main, extra, words = self._pieces.__getitem__, self._pieces.extra, self._words
        for spelling, line, form in zip(spellings, apart.split(b"\n"), joined.split("\n"), strict=True):
            found = self._new[spelling]
            pieces = line.split()
            found += b"".join(map(main, pieces))
            more = [] if extra.keys().isdisjoint(pieces) else [one for at in pieces for one in extra.get(at, ())]
            if is_joined(len(pieces), form):
                more.append(words[form])
            if more:
                found += _extra(more)

    def encode(self, texts: Sequence[str]) -> list[array[int]]:
        """Each text as stored, without an end. Many at once are cheaper than one by one."""
        stored = array(NUMBER)
        spelt = list(map(self.__getitem__, split(_BREAK.join(texts))))
        self._learn()
        stored.frombytes(b"".join(spelt))
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
            self._forget()

    def save(self) -> None:
        """Write the new terms."""
        self._numbers.save()


def _entry(main: bytes, extra: list[bytes]) -> bytes:
    return main + _extra(extra) if extra else main


def _extra(terms: list[bytes]) -> bytes:
    return b"".join((_OPEN, *dict.fromkeys(terms), _CLOSE))


def split(text: str) -> list[bytes]:
    """The spellings of `text`: runs between white space and the signs that never join two words."""
    data = text.encode("utf-8", "surrogateescape").translate(_BLANKS)
    for mark in (b". ", b", ", b": "):
        data = data.replace(mark, b"  ")
    return data.split()
