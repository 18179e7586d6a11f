"""Spellings to stored terms in plain Python: what `native/speller.c` does where there is no compiler."""

from __future__ import annotations

from array import array

from openclaw_memory.patterns import pattern
from openclaw_memory.retrieval.analyse import LONGEST_PIECE, analyse, is_joined, piece
from openclaw_memory.retrieval.lexicon import CLOSE, NUMBER, OPEN, SIGNS, Numbers, split, stored
from openclaw_memory.retrieval.stem import stem

_BREAK, _BREAK_SIGN = " \0b ", 5
"""Stands between texts that are encoded together."""
_APART = bytes(at if chr(at).isalnum() or at == 10 else 32 for at in range(128)).ljust(256)
"""All that is no letter or digit of ASCII is a blank; the ends of lines stay."""
_SPECIAL = pattern(rb"[\x80-\xff']|\+\+|#(?!\w)|\A\.[A-Za-z]")
"""What only the analyser can read; all else is pieces of letters and digits between other signs."""
_USUAL = bytes(set(range(128)) - set(b"'+#."))
"""What is special nowhere: a spelling of nothing else need not be searched."""
_MARKS = {spelling: stored(sign) for spelling, sign in (*SIGNS.items(), (b"\0b", _BREAK_SIGN))}
_OPEN, _CLOSE = stored(OPEN), stored(CLOSE)
_SIMPLE = pattern(rb"(?:[A-Za-z]?[a-z]*|[A-Z]+s?|[0-9]+)\Z")
"""A piece without extra terms: of one part."""


class _Words(dict[str, bytes]):
    """A folded word without signs in it to the number of its term."""

    def __init__(self, numbers: Numbers) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, folded: str) -> bytes:
        found = self[folded] = self._numbers[stem(folded)]
        return found


class _Pieces(dict[bytes, bytes]):
    """Piece (see `analyse.piece`) to its main term; and to its extra terms where it has some."""

    def __init__(self, numbers: Numbers, words: _Words) -> None:
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


class Spellings(dict[bytes, bytes | bytearray]):
    """Spelling to stored terms."""

    def __init__(self, numbers: Numbers) -> None:
        super().__init__()
        self._numbers = numbers
        self.forget()

    @property
    def size(self) -> int:
        """Spellings that are kept."""
        return len(self)

    def forget(self) -> None:
        """Forget the spellings."""
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

    def encode(self, texts: list[str]) -> list[bytes]:
        """Each text as stored. Many at once are cheaper than one by one."""
        found = array(NUMBER)
        spelt = list(map(self.__getitem__, split(_BREAK.join(texts) + " ")))
        self._learn()
        found.frombytes(b"".join(spelt))
        parts = []
        start = 0
        for _ in texts[1:]:
            end = found.index(_BREAK_SIGN, start)
            parts.append(found[start:end].tobytes())
            start = end + 1
        parts.append(found[start:].tobytes())
        return parts


def _entry(main: bytes, extra: list[bytes]) -> bytes:
    return main + _extra(extra) if extra else main


def _extra(terms: list[bytes]) -> bytes:
    return b"".join((_OPEN, *dict.fromkeys(terms), _CLOSE))
