"""What is shown of a passage: its lines as they stand on disk, shortened around the words that were looked for."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from openclaw_memory.patterns import pattern
from openclaw_memory.retrieval.analyse import analyse
from openclaw_memory.retrieval.lexicon import split

_ANNOTATION = pattern(r"\s*<!--\s*(?:trigger|importance|rev|project|openclaw-memory)\b[^>]*-->")
_CUT = "…"


def lines_of(text: str) -> list[str]:
    """The lines of a file, as `get` counts them: LF, CRLF and CR end one, nothing else does."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removeprefix("\ufeff").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def snippet(lines: Sequence[str], first: int, last: int, terms: AbstractSet[str], most: int) -> str:
    """Lines `first` to `last` (from 1), without the index's annotations, at most `most` characters around the terms."""
    text = "\n".join(lines[first - 1 : last])
    text = (_ANNOTATION.sub("", text) if "<!--" in text else text).strip("\n")
    if len(text) <= most:
        return text
    at = offset_of(text, terms)
    start = max(0, min(at - most // 3, len(text) - most))
    if start:
        space = text.find(" ", start, start + 40)
        start = space + 1 if space >= 0 else start
    end = start + most - 2
    return (_CUT if start else "") + text[start:end] + (_CUT if end < len(text) else "")


def best_line(lines: Sequence[str], first: int, last: int, terms: AbstractSet[str]) -> int:
    """The line of a passage that holds most different terms; the first of them."""
    if first == last:
        return first
    counts = [(len(terms & terms_in(lines[at - 1])), -at) for at in range(first, min(last, len(lines)) + 1)]
    return -max(counts)[1] if counts else first


@lru_cache(1 << 12)
def terms_in(text: str) -> frozenset[str]:
    """All terms of a text; a process that stays shows the same lines again and again."""
    found: frozenset[str] = frozenset()
    return found.union(*map(_terms_of, split(text)))


@lru_cache(1 << 14)
def _terms_of(spelling: bytes) -> tuple[str, ...]:
    """The terms of one spelling; a process that stays shows the same words again and again."""
    terms = analyse(spelling.decode("utf-8", "replace"))
    return terms.main + terms.extra


def offset_of(text: str, terms: AbstractSet[str]) -> int:
    """Where the first word with one of `terms` stands; 0 where none does."""
    at = 0
    for word in text.split():
        at = text.find(word, at)
        if terms & terms_in(word):
            return at
        at += len(word)
    return 0
