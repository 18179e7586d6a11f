"""How many tokens a model sees in a text, without a model's vocabulary: within 10 % of cl100k_base.

The text is cut as that encoding cuts it before it looks anything up (words with the sign before them, digits in
threes, runs of punctuation, white space), and each piece gets the number of tokens that pieces of its kind have
on average. A Latin word costs by its length, and less in English, which the encoding knows best: how English a
text is, its small words tell. Han, Hangul and other scripts cost by the character. All numbers were fitted
against cl100k_base on Markdown in sixteen languages; `tests/bench/test_tokens.py` measures what is left.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import cache

from openclaw_memory.patterns import pattern
from openclaw_memory.tokens.frequent import HAN, HANGUL

_LATIN = "A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿ"
_SIGNS = r"!-/:-@\[-`{-~\x00-\x08\x0e-\x1b\x7f"  # ASCII punctuation and control characters
_PIECES = pattern(
    rf"[{_SIGNS} ]?[{_LATIN}]+"  # a word, with the sign or space before it
    r"|[0-9]{1,3}"
    rf"| ?[{_SIGNS}]+[\r\n]*"  # punctuation, with the line ends after it
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)"
    r"| (?=[0-9])"
)
_RUN = pattern(r"(.)\1*", re.DOTALL)
_HUMP = pattern(r"[A-Z]+[a-z]*|[a-z]+")
_RULE = pattern("─{9,}")  # eight to a token, where every other sign of a drawing is one

# Tokens of a lower-case word by its length (index 0: no letter); what is longer costs _MORE a letter.
_ENGLISH = (0.0, 1.0, 1.0, 1.01, 1.01, 1.02, 1.03, 1.04, 1.07, 1.10, 1.12, 1.20, 1.35, 1.40, 1.60, 2.00)
_FOREIGN = (0.0, 1.0, 1.0, 1.01, 1.08, 1.24, 1.48, 1.65, 1.70, 1.97, 2.12, 2.28, 2.42, 2.55, 2.70, 2.90)
_CAPITAL = (0.0, 0.0, 0.0, 0.00, 0.05, 0.07, 0.10, 0.10, 0.20, 0.25, 0.30, 0.40, 0.40, 0.40, 0.50, 0.50)  # on top
_MORE = 0.28
_ACCENT = 0.60  # on top, for a word with letters outside ASCII
_FAR, _FAR_LETTER = (
    0.2,
    0.4,
)  # languages with letters beyond Latin-1 (Turkish, Polish): their words, and on top a letter
_BEFORE = {" ": 0.0, "'": 0.0, ".": 0.03, "-": 0.3, "/": 0.4, "(": 0.2}  # on top, by the sign before a word
_BEFORE_ELSE = 0.9

# Small words tell the language.
_ENGLISH_WORDS = "the of and to in is that for it with on was are this be you have not or by at from"
_FOREIGN_WORDS = (
    "de que o os da do em um uma para com por se el la los las en y del le les des et une du der die und das den ist "
    "nicht mit ein von zu il di che och att det som w z na ve bir"
)
_ENGLISH_PIECES, _FOREIGN_PIECES = (
    frozenset(f" {word}" for word in words.split()) for words in (_ENGLISH_WORDS, _FOREIGN_WORDS)
)

# Tokens a character, by the last code point of a block of Unicode.
_BLOCKS = (
    (0x02FF, 1.0),
    (0x03FF, 1.0),
    (0x052F, 0.485),
    (0x058F, 2.1),
    (0x05FF, 1.15),
    (0x077F, 0.82),
    (0x0DFF, 1.45),
    (0x0EFF, 0.95),
    (0x10FF, 2.1),
    (0x1DFF, 2.0),
    (0x206F, 1.0),
    (0x218F, 1.2),
    (0x22FF, 1.6),
    (0x24FF, 1.9),
    (0x257F, 1.0),
    (0x2BFF, 1.9),
    (0x303F, 1.0),
    (0x30FF, 0.91),
    (0x33FF, 1.9),
    (0x9FFF, 2.26),
    (0xABFF, 2.0),
    (0xD7AF, 2.80),
    (0xFEFF, 1.5),
    (0xFFFF, 1.0),
    (0x10FFFF, 2.7),
)
_STARTS = tuple(last for last, _ in _BLOCKS)
_FREQUENT = {**dict.fromkeys(HAN, 0.84), **dict.fromkeys(HANGUL, 0.57), **dict.fromkeys("іїєґІЇЄҐ", 2.2)}


def count(text: str) -> int:
    """The estimated number of tokens of `text`: 0 only for the empty one."""
    pieces = Counter(_PIECES.findall(text))
    english, foreign, fixed = 0.0, 0.0, 0.0
    for piece, times in pieces.items():
        letters = piece if piece[0].isalpha() else piece[1:]
        if letters[:1].isalpha():
            plain, strange = _word(letters)
            before = 0.0 if letters is piece else _BEFORE.get(piece[0], _BEFORE_ELSE)
            english += times * (plain + before)
            foreign += times * (strange + before)
        else:
            fixed += times * _signs(piece.strip())
    accented = [] if text.isascii() else [(piece, times) for piece, times in pieces.items() if not piece.isascii()]
    share = _english_share(pieces, accented)
    fixed += share * english + (1 - share) * foreign * (1 + _FAR * _far_share(accented))
    if not text.isascii():
        fixed += _characters(text)
    return max(round(fixed), 1) if text else 0


@cache
def _of_length(length: int, capital: bool) -> tuple[float, float]:
    """Tokens of a word in English, and in another language."""
    known = min(length, len(_ENGLISH) - 1)
    more = _MORE * (length - known) + (_CAPITAL[known] if capital else 0.0)
    return _ENGLISH[known] + more, _FOREIGN[known] + more


def _word(letters: str) -> tuple[float, float]:
    if letters.islower() or letters.istitle():
        plain, strange = _of_length(len(letters), letters[0].isupper())
    elif letters.isupper():
        plain = strange = max(1.0, 0.27 * len(letters) + 0.2)
    else:
        plain = strange = _mixed(letters)
    if letters.isascii():
        return plain, strange
    more = _ACCENT + _FAR_LETTER * sum(map(_is_far, letters))
    return plain + more, strange + more


def _mixed(letters: str) -> float:
    """Tokens of a word in both cases: about one for each hump of camelCase, more for the noise of base64."""
    humps = len(_HUMP.findall(letters))
    noise = humps > 2 and len(letters) < 3.5 * humps
    return 0.68 * len(letters) if noise else 1.1 * max(humps, 1) + 0.02 * len(letters)


def _signs(signs: str) -> float:
    """Tokens of white space (none left after the strip), one number, or a run of punctuation."""
    if len(signs) < 2 or signs[0].isdigit():
        return 1.0
    runs = sum(1 for _ in _RUN.finditer(signs))
    if runs == 1:
        return 1.0 + 0.1 * (len(signs) > 2) + len(signs) // 64
    return float(runs) if "|" in signs and "-" in signs else 1.0 + 0.35 * (runs - 2) + 0.05


def _english_share(pieces: Counter[str], accented: list[tuple[str, int]]) -> float:
    """How English the Latin words are, 0 to 1; 1 where nothing tells (code, names)."""
    english = sum(pieces[word] for word in _ENGLISH_PIECES & pieces.keys()) + 1
    foreign = sum(pieces[word] for word in _FOREIGN_PIECES & pieces.keys())
    return english / (english + foreign + sum(times for _, times in accented))


def _far_share(accented: list[tuple[str, int]]) -> float:
    """How many of the words with accents have letters that Latin-1 lacks, 0 to 1."""
    far = sum(times for piece, times in accented if any(map(_is_far, piece)))
    return far / max(1, sum(times for _, times in accented))


def _is_far(letter: str) -> bool:
    return "\u0100" <= letter <= "\u024f"


def _characters(text: str) -> float:
    """Tokens of what is neither ASCII nor a Latin letter: other scripts, typography, emoji."""
    short = _RULE.sub(lambda rule: rule[0][: len(rule[0]) // 8], text) if "─" in text else text
    return sum(times * _character(sign) for sign, times in Counter(short).items() if sign > "\x7f")


@cache
def _character(sign: str) -> float:
    if _PIECES.fullmatch(sign):
        return 0.0
    return _FREQUENT.get(sign) or _BLOCKS[bisect_left(_STARTS, ord(sign))][1]
