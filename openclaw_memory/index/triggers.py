"""Trigger words: how they are written in cells and comments, what they may hold, how they compare.

Pure; imports nothing of ours but the errors and the word lists.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from openclaw_memory.errors import UsageError
from openclaw_memory.index.words import says_nothing
from openclaw_memory.patterns import pattern

_SEPARATOR = pattern(r"[,、，;；\n]|<br ?/?>|\s[/·|]\s|\s•\s")
_QUOTES = "\"'`“”„‘’«»「」『』*_"
_REFUSED = pattern(r"[,、，;；\r\n]|-->|<!--|--!>")


def split(text: str, *, cell: bool = True) -> tuple[str, ...]:
    """The triggers that a cell or comment lists: `"Ana", "boss"; e-commerce / checkout`, in order, none twice.

    A `cell` may say that there are none (`none yet`, `—`); a word in a longer list is a trigger, whatever it says.
    """
    if cell and says_nothing(text):
        return ()
    found = (word.strip().strip(_QUOTES).strip() for word in _SEPARATOR.split(text))
    return unique(word for word in found if word.strip("-–—…. "))


def unique(words: Iterable[str]) -> tuple[str, ...]:
    """`words` without those that compare equal to an earlier one."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(key(word), word)
    return tuple(first.values())


def key(word: str) -> str:
    """What two triggers are compared by: NFKC and casefold, with single spaces."""
    folded = word.casefold() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()
    return " ".join(folded.split())


def checked(words: Iterable[str]) -> tuple[str, ...]:
    """`words` trimmed and unique, fit to be written.

    Raises UsageError for an empty one and for one with a comma, a semicolon, a line break or `-->`.
    """
    trimmed = [" ".join(word.split(" ")).strip() for word in words]
    for word in trimmed:
        if not word:
            raise UsageError("a trigger is empty", "give words that say when to read the file")
        if found := _REFUSED.search(word):
            raise UsageError(
                f"the trigger {word!r} holds {found[0]!r}, which ends a trigger in the index",
                "give each trigger its own --trigger",
            )
    return unique(trimmed)
