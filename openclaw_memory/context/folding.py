"""Text made comparable, so that a place in the folded text still leads back to the original.

Case, width, ligatures and accents go; what makes another letter in its script (dakuten, vowel signs, jamo) stays.
Pure; imports nothing of ours.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import accumulate
from unicodedata import normalize

from openclaw_memory.patterns import pattern

# Accents of Latin, Greek and Cyrillic, selectors between two drawings of a sign, and letters that do not decompose.
_REPLACED = pattern("[\u0300-\u036f\ufe00-\ufe0føłđıæœ’]")
_LIKE = {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "’": "'"}


def fold(text: str) -> str:
    """`text` in lower case, without accents, compatibility forms resolved, fully decomposed.

    Folds character by character: the folded text is as long as its characters, folded one by one, are together.
    """
    if text.isascii():
        return text.lower()
    plain = normalize("NFKD", normalize("NFKD", text).casefold())
    return _REPLACED.sub(lambda found: _LIKE.get(found[0], ""), plain)


@cache
def _length(char: str) -> int:
    return len(fold(char))


class Places:
    """Where in `text` a place in `fold(text)` lies."""

    def __init__(self, text: str) -> None:
        self._ends = None if text.isascii() else list(accumulate(map(_length, text)))

    def original(self, start: int, end: int) -> tuple[int, int] | None:
        """The span of `text` that was folded to `start`..`end`; None when an end lies inside a character."""
        if self._ends is None:
            return start, end
        first = bisect_right(self._ends, start)
        last = bisect_right(self._ends, end - 1)
        whole = (self._ends[first - 1] if first else 0) == start and self._ends[last] == end
        return (first, last + 1) if whole else None
