"""The normal form of a fact's text: what makes two facts the same, and what makes them contradict. Pure.

Careful on purpose: words are kept in order and only what carries no meaning goes, so a negation, a number, a sign
or a symbol (`C` and `C++`, `5` and `-5`) always keeps two facts apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WRAPPING = "\"'`*_()[]{}«»“”‘’„「」『』【】《》<>"
_ENDING = ".,;:!?…。，、；：！？"
_ARTICLES = frozenset({"the"})
_CONTRACTIONS = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "ain't": "is not",
}  # fmt: skip
_NEGATIONS = (
    "not no never none nothing without não nao nunca sem nem jamais nada nenhum nenhuma sin ningún ninguno nicht kein "
    "keine keinen nie niemals ohne ne pas plus jamais sans aucun non не нет никогда без inte aldrig utan"
)
NEGATIONS = frozenset(_NEGATIONS.split())
_NEGATED_CJK = re.compile(r"不|没有|沒有|没|沒|未|无|無|非|别|ません|ない|なかった|안 |않|못")
_AUXILIARIES = frozenset({"do", "does", "did"})
_NUMBER = re.compile(r"^[+-]?\d[\d.,:/%-]*$")


@lru_cache(maxsize=8)  # the functions below ask for one text in turn
def words(text: str) -> tuple[str, ...]:
    """The words of `text` in normal form: NFKC, casefolded, contractions opened, outer marks and `the` dropped."""
    plain = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found: list[str] = []
    for raw in plain.split():
        found += _word(raw)
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _word(raw: str) -> tuple[str, ...]:
    word = raw.lstrip(_WRAPPING)
    bare = word.rstrip(_WRAPPING + _ENDING)
    if not bare:
        return (raw,) if any(char.isalnum() for char in raw) else ()
    if bare in _ARTICLES:
        return ()
    opened = _CONTRACTIONS.get(bare) or (bare[:-3] + " not" if bare.endswith("n't") else bare)
    return tuple(opened.split())


def normal(text: str) -> str:
    """The key under which two texts are the same fact."""
    return " ".join(words(text)) or text.strip()


def claim(text: str) -> tuple[str, bool]:
    """What `text` is about with negations taken out, and whether it denies it: two facts with one key and
    different answers contradict each other."""
    parts = [_part(word) for word in words(text)]
    return " ".join(bare for bare, _ in parts if bare), sum(denies for _, denies in parts) % 2 == 1


@lru_cache(maxsize=1 << 14)
def _part(word: str) -> tuple[str, bool]:
    """What a word adds to a claim, and whether it turns it round."""
    if word in NEGATIONS or word in _AUXILIARIES:
        return "", word in NEGATIONS
    bare, times = _NEGATED_CJK.subn("", word)
    return bare[:-1] if len(bare) > 3 and bare.endswith("s") else bare, times % 2 == 1


def numberless(text: str) -> tuple[str, str]:
    """`text` with its one number masked, and that number; ("", "") where it holds none or several: two facts with
    one mask and two numbers may contradict each other."""
    found = words(text)
    numbers = [word for word in found if not word.isalpha() and _NUMBER.match(word)]
    if len(numbers) != 1 or len(found) < 3:
        return "", ""
    return " ".join("#" if word == numbers[0] else word for word in found), numbers[0]
