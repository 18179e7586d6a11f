"""The one analyser: text to terms, for the index, the query, the snippet and the choice of a line.

A text is cut at white space into *chunks* (`Ticket`, `VRN-0417`, `quell_marsh_bittern()`), a chunk at every
run of other signs into *pieces*, each of which is a main term. What a reader might also type goes into the
chunk's extra terms: pieces joined (`vrn0417`), the parts of camelCase and of letters with digits
(`flush`, `pelican`), `ae` for an umlaut, single characters of scripts that are written without spaces.
Main terms keep their order (phrases are runs of them), extra terms have none.

Folding: NFKC, case, accents. Scripts without spaces become overlapping pairs. Emoji are terms; `C++`, `C#` and
`.net` stay. Nothing is an error. Imports nothing of ours but the stemmer and `patterns`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record
from openclaw_memory.retrieval.stem import stem

LONGEST_CHUNK = 400
"""Characters; a longer run of ASCII without a space is a blob (base64, minified code): only its start is read."""
LONGEST_PIECE = 64
_LONGEST_JOINED = 40
_MOST_JOINED = 4

_SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_EMOJI = r"\u2300-\u23ff\u2600-\u27bf\u2b50-\u2b55\U0001f000-\U0001faff"
_MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    r"\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d"
    r"\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c56"
    r"\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d82\u0d83\u0dca-\u0ddf"
)
_PARTS = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LETTERS_AND_DIGITS = pattern(r"[^\W\d_]+|\d+")
_PLURAL_ACRONYM = pattern(r"[A-Z]{2,}s\Z")
_POSSESSIVE = pattern(r"(?<=\w)'[sS](?!\w)")
_ELISION = pattern(r"\b(?:[dlnmtscjDLNMTSCJ]|[qQ]u)'(?=\w{2})")
_APOSTROPHE = pattern(r"(?<=\w)'(?=\w)")
_ALNUM = pattern(r"[A-Za-z0-9]+")
_SPECIAL = pattern(r"\+\+|#(?!\w)|(?:^|[\s(\[\"'`])\.[A-Za-z]")
_DOTTED = pattern(r"[\s(\[\"'`]*(\.[A-Za-z][\w-]*)")
_EDGE = "!\"$%&'()*,-./:;<=>?@[\\]^`{|}~"
_TYPOGRAPHY = str.maketrans(dict.fromkeys("’ʼ＇‘", "'") | dict.fromkeys("“”„«»‹›–—―‐‑−•·→←↔⇒×", ","))
"""Signs as ASCII has them, or one that is no part of a word: what is ASCII then needs no long expression."""
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_ACCENT = pattern(r"[\u0300-\u036f\u064b-\u0652\ufe00-\ufe0f\u200d]+")


@lru_cache(1)
def _pieces() -> re.Pattern[str]:
    """The pieces of a chunk; compiled when the first chunk that is not plain comes along (4 ms)."""
    return re.compile(
        rf"(?P<sign>(?<![A-Za-z0-9])[A-Za-z](?:\+\+|#)(?![\w+#]))"
        rf"|(?P<run>[{_SPACELESS}]+)"
        rf"|(?P<emoji>[{_EMOJI}])"
        rf"|(?P<word>(?:(?![{_SPACELESS}{_EMOJI}_])[\w{_MARKS}])+)"
    )


class Terms(Record):
    """What one chunk says: `main` in order, `extra` in no order and without repeats."""

    main: tuple[str, ...]
    extra: tuple[str, ...] = ()


_NOTHING = Terms(())


def analyse(chunk: str) -> Terms:
    """The terms of one chunk (a run without white space; white space inside is taken as a sign)."""
    if chunk.isascii():
        word = chunk.strip(_EDGE)
        if word.isalpha() and (word[1:].islower() or word.isupper() or len(word) == 1) and "." + word not in chunk:
            return Terms((word_term(word.lower()),)) if len(word) <= LONGEST_PIECE else _NOTHING
        chunk = chunk[:LONGEST_CHUNK]
    return _slow(chunk)


def fold(text: str) -> str:
    """`text` with compatibility forms, case and accents folded."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", folded)))


@lru_cache(65536)
def word_term(folded: str) -> str:
    """The term of one folded word without signs in it."""
    return stem(folded)


def terms_of(text: str) -> Terms:
    """The terms of a whole text (a name, a heading, a line): main in order, extra without repeats."""
    main: list[str] = []
    extra: dict[str, None] = {}
    for chunk in text.split():
        found = analyse(chunk)
        main += found.main
        extra.update(dict.fromkeys(found.extra))
    return Terms(tuple(main), tuple(extra))


def _slow(chunk: str) -> Terms:
    text = chunk if chunk.isascii() else unicodedata.normalize("NFKC", chunk).translate(_TYPOGRAPHY)
    if "'" in text:
        text = _APOSTROPHE.sub("", _ELISION.sub("", _POSSESSIVE.sub("", text)))
    if text.isascii() and not _SPECIAL.search(text):
        return _plain(_ALNUM.findall(text))
    main: list[str] = []
    extra: list[str] = []
    joined: list[str] = []
    for match in _pieces().finditer(text):
        piece, kind = match[0], match.lastgroup
        if kind == "word":
            _word(piece, main, extra, joined)
        elif kind == "run":
            _run(piece, main, extra)
        else:
            main.append(piece.lower())
    _join(joined, extra)
    if "." in text and (dotted := _DOTTED.match(text)):
        extra.append(dotted[1].lower())
    return Terms(tuple(main), tuple(dict.fromkeys(extra)))


def _plain(pieces: list[str]) -> Terms:
    """The terms of ASCII pieces, the common case."""
    main: list[str] = []
    extra: list[str] = []
    joined: list[str] = []
    for piece in pieces:
        _word(piece, main, extra, joined)
    _join(joined, extra)
    return Terms(tuple(main), tuple(dict.fromkeys(extra)))


def _join(folded: list[str], extra: list[str]) -> None:
    form = "".join(folded)
    if is_joined(len(folded), form):
        extra.append(stem(form))


def is_joined(pieces: int, form: str) -> bool:
    """Whether so many pieces written as one word, `form`, are an extra term: only a few short ones are."""
    return 1 < pieces <= _MOST_JOINED and len(form) <= _LONGEST_JOINED


class Piece(Record):
    """A piece of letters and digits: its term, the extra terms, and how it is folded. All empty for one too long."""

    main: str = ""
    extra: tuple[str, ...] = ()
    folded: str = ""


def _word(text: str, main: list[str], extra: list[str], joined: list[str]) -> None:
    found = piece(text)
    if found.folded:
        main.append(found.main)
        extra += found.extra
        joined.append(found.folded)


def piece(text: str) -> Piece:
    """A piece of letters and digits: itself, its parts, and its form with umlauts written out."""
    if len(text) > LONGEST_PIECE:
        return Piece()
    if text.isascii():
        lower = text.islower()
        if lower and text.isalpha():
            return Piece(word_term(text), (), text)
        parts = [] if lower or _PLURAL_ACRONYM.match(text) else _PARTS.findall(text)
        if not parts and not text.isalpha():
            parts = _LETTERS_AND_DIGITS.findall(text)
        spelt: tuple[str, ...] = ()
        folded = text.lower()
    else:
        parts = _LETTERS_AND_DIGITS.findall(text)
        spelt = _spelt_out(unicodedata.normalize("NFC", text.lower()))
        folded = fold(text)
    if len(parts) > 1:
        spelt += tuple([word_term(fold(part)) for part in parts])
    return Piece(word_term(folded), spelt, folded) if folded else Piece()


def _spelt_out(lower: str) -> tuple[str, ...]:
    spelt = lower.translate(_UMLAUTS)
    return () if spelt == lower else (stem(fold(spelt)),)


def _run(piece: str, main: list[str], extra: list[str]) -> None:
    """A run of a script without spaces: overlapping pairs in order, and each character by itself."""
    text = unicodedata.normalize("NFC", piece)
    main += [text[at : at + 2] for at in range(max(1, len(text) - 1))]
    if len(text) > 1:
        extra += text
