"""Text made comparable, character by character, so that a place in the folded text leads back to the original.

Case, width, ligatures and accents go; what makes another letter in its script (dakuten, vowel signs, jamo) stays.
Pure; imports nothing of ours.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from itertools import accumulate

_LIKE = {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "’": "'"}


def _is_accent(sign: str) -> bool:
    """Latin, Greek and Cyrillic accents, and the selectors that choose between two drawings of a sign."""
    return "\u0300" <= sign <= "\u036f" or "\ufe00" <= sign <= "\ufe0f"


class _Table(dict[int, str]):
    """A table for `str.translate` that works each character out once."""

    def __missing__(self, code: int) -> str:
        composed = unicodedata.normalize("NFKC", chr(code)).casefold()
        parts = unicodedata.normalize("NFKD", composed).casefold()
        self[code] = folded = "".join(_LIKE.get(part, part) for part in parts if not _is_accent(part))
        return folded


_TABLE = _Table()


def fold(text: str) -> str:
    """`text` in lower case, without accents, compatibility forms resolved, fully decomposed."""
    return text.lower() if text.isascii() else text.translate(_TABLE)


class Places:
    """Where in `text` a place in `fold(text)` lies."""

    def __init__(self, text: str) -> None:
        self._ends = None if text.isascii() else list(accumulate(len(_TABLE[ord(char)]) for char in text))

    def original(self, start: int, end: int) -> tuple[int, int] | None:
        """The span of `text` that was folded to `start`..`end`; None when an end lies inside a character."""
        if self._ends is None:
            return start, end
        first = bisect_right(self._ends, start)
        last = bisect_right(self._ends, end - 1)
        whole = (self._ends[first - 1] if first else 0) == start and self._ends[last] == end
        return (first, last + 1) if whole else None
