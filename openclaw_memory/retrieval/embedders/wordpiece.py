"""BERT's tokens of one short ASCII text, from the vocabulary file alone: a process with one question needs no more.

The library `tokenizers` reads the whole vocabulary first, which takes longer than all the rest. A test holds both to
the same tokens. Source: Devlin et al., "BERT" (2018): words and signs, each as the longest pieces that are known.
"""

from __future__ import annotations

import re
from pathlib import Path

_LONGEST_WORD = 100
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
_WORD = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"
_SPECIAL = (_UNKNOWN, _START, _END, "[PAD]", "[MASK]")


class WordPiece:
    """The vocabulary in the file at `path`: one piece a line, its number is that of the line."""

    def __init__(self, path: Path) -> None:
        self._pieces = b"\n%b\n" % path.read_bytes().strip(b"\n")

    def tokens(self, text: str, most: int) -> list[int] | None:
        """At most `most` tokens of `text`, with those around it; None for a text that the library must read."""
        if not text.isascii() or any(special in text for special in _SPECIAL):
            return None
        found = [token for word in _WORD.findall(_CONTROL.sub("", text).lower()) for token in self._of(word)]
        return [self._number(_START), *found[: most - 2], self._number(_END)]

    def _of(self, word: str) -> list[int]:
        found: list[int] = []
        at = 0
        while at < len(word) <= _LONGEST_WORD:
            start = "##" if at else ""
            ends = range(len(word), at, -1)
            longest = next(((end, number) for end in ends if (number := self._number(start + word[at:end])) >= 0), None)
            if longest is None:
                break
            at = longest[0]
            found.append(longest[1])
        return found if at == len(word) else [self._number(_UNKNOWN)]

    def _number(self, piece: str) -> int:
        """The number of a piece; -1 where it is none."""
        at = self._pieces.find(b"\n%b\n" % piece.encode("ascii"))
        return self._pieces.count(b"\n", 0, at) if at >= 0 else -1
