"""Which triggers a message hits, and where: ten thousand of them against a page of text in milliseconds.

A trigger and the message are both folded (case, width, accents) and lose their spaces, hyphens and underscores.
Every place of the message where a word, a sign or a character of an unspaced script begins is then looked up in
one dictionary, once for each length that any trigger with the same first two characters has. What is found must
begin and end where words do, but for a plural; and a trigger is never found across a space that it has not itself.
Pure; imports nothing of ours but `folding`. No regular expression is made of a trigger.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cache, cached_property
from itertools import takewhile

from openclaw_memory.context.folding import Places, fold
from openclaw_memory.record import Record

# Scripts without spaces between words, or with endings hung on them: Thai to Tibetan, Burmese, jamo, Khmer, radicals
# and kana to Han, more jamo, Hangul, compatibility Han, and the Han beyond U+FFFF.
_UNSPACED = (
    (0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF), (0x2E80, 0x2FFF), (0x3005, 0x3007),
    (0x3021, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
# Beside line ends, what may stand between the parts of a trigger.
_SEPARATORS = (
    "_-\u00ad\u200b\u200c\u200d\u2010\u2011\u2012\u2013\u2014\u2015 \t\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"
)
_DROP = dict.fromkeys(map(ord, _SEPARATORS))
_BREAK = re.compile(r"[\s_]+")
_PLURAL_ENDS = "s", "u", "i"  # before an s that is no plural: class, status, analysis
_NO_PLURAL = "news"


@cache
def _atoms(ascii_only: bool) -> re.Pattern[str]:
    """What finds words, characters of unspaced scripts, and signs; for ASCII one that costs less to compile."""
    if ascii_only:
        return re.compile(r"[a-z0-9]+|[!-,./:-@[-^`{-~\x00-\x08\x0e-\x1b\x7f]")
    unspaced = "".join(f"{chr(first)}-{chr(last)}" for first, last in _UNSPACED)
    return re.compile(rf"[^\W_{unspaced}]+|[^\n{re.escape(_SEPARATORS)}]")


class Hit(Record):
    """A trigger in the message; `owner` is what was given with it, `text` the message from `start` to `end`."""

    owner: str
    trigger: str
    start: int
    end: int
    text: str


def find(pairs: Sequence[tuple[str, str]], message: str) -> list[Hit]:
    """The first place in `message` of each trigger of the (owner, trigger) pairs, in their order."""
    text = _Text(message)
    # All triggers at once, a line each. (One that is in an index holds no line break.)
    folded = fold("\n".join(trigger.replace("\n", " ") for _, trigger in pairs)).split("\n")
    keys = "\n".join(folded).translate(_DROP).split("\n")
    found: dict[int, tuple[int, int]] = {}
    for at in (at for at, key in enumerate(keys) if not key and folded[at].strip()):  # `--` and its like
        if (start := text.folded.find(folded[at])) >= 0:
            found[at] = start, start + len(folded[at])
    by_key = _possible(keys, text)
    for start, key in _candidates(by_key, text):
        wanted = [at for at in by_key[key] if at not in found]
        if wanted and (span := text.span(start, key)):
            found.update((at, span) for at in wanted if text.may_span(span, folded[at]))
    return [_hit(pairs[at], found[at], text) for at in sorted(found)]


def _possible(keys: list[str], text: _Text) -> dict[str, list[int]]:
    """Which triggers a key belongs to; only keys whose first characters begin somewhere in the text."""
    compact = text.compact
    heads = {compact[start : start + length] for start in text.starts for length in (1, 2, 3)}
    by_key: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        if key[:3] in heads:
            for form in _forms(key):
                by_key.setdefault(form, []).append(at)
    return by_key


def _candidates(by_key: Collection[str], text: _Text) -> Iterator[tuple[int, str]]:
    """Every (place, key) where the compact text reads as the key."""
    lengths: dict[str, set[int]] = {}
    for key in by_key:
        lengths.setdefault(key[:2], set()).add(len(key))
    compact = text.compact
    for start in text.starts:
        head = compact[start : start + 2]
        for length in lengths.get(head, ()):
            key = compact[start : start + length]
            if key in by_key and len(key) == length:
                yield start, key
        if len(head) == 2 and head[0] in by_key:
            yield start, head[0]


def _hit(pair: tuple[str, str], span: tuple[int, int], text: _Text) -> Hit:
    start, end = text.places.original(*span) or span
    return Hit(*pair, start, end, text.message[start:end])


class _Text:
    """The message: `folded`, and without its separators `compact`; `starts` says where in this a match may begin."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.folded = fold(message)
        self.starts: list[int] = []
        self._atoms: list[int] = []  # the same places in the folded text
        parts, length = [], 0
        for found in _atoms(self.folded.isascii()).finditer(self.folded):
            atom = found[0]
            self._atoms.append(found.start())
            self.starts.append(length)
            parts.append(atom)
            length += len(atom)
        self.compact = "".join(parts)

    @cached_property
    def places(self) -> Places:
        """The way back to the message; only needed once something was found."""
        return Places(self.message)

    def span(self, start: int, key: str) -> tuple[int, int] | None:
        """Where in the folded text `key`, found at `start` of the compact one, stands; None when inside a word.

        A plural ending is taken in.
        """
        first, last = self._place(start), self._place(start + len(key) - 1) + 1
        if any(_is_word(sign) or _is_unspaced(sign) for sign in key):  # else it is signs: no word to cut through
            last = self._ends(last, key) if self._begins(first) else 0
        return (first, last) if last and self.places.original(first, last) else None

    def may_span(self, span: tuple[int, int], trigger: str) -> bool:
        """Whether `trigger` has a separator wherever the match has a space; hyphens may come and go."""
        found = self.folded[slice(*span)]
        if not _BREAK.search(found):
            return True
        own = {len(trigger[:at].translate(_DROP)) for at, sign in enumerate(trigger) if sign in _SEPARATORS}
        return all(
            len(found[: match.start()].replace("\n", "").translate(_DROP)) in own
            or (_is_unspaced(found[match.start() - 1]) and _is_unspaced(found[match.end()]))
            for match in _BREAK.finditer(found)
        )

    def _place(self, compact: int) -> int:
        atom = bisect_right(self.starts, compact) - 1
        return self._atoms[atom] + compact - self.starts[atom]

    def _begins(self, first: int) -> bool:
        before, here = self.folded[first - 1 : first] if first else "", self.folded[first]
        if not before or _is_unspaced(here):
            return True
        return not _is_word(before) and not (_is_mark(before) and _is_word(here))

    def _ends(self, last: int, key: str) -> int:
        """The end of the match: `last`, or behind a plural ending; 0 when a word goes on there."""
        here, after = self.folded[last - 1], self.folded[last : last + 1]
        if not after:
            return last
        if _is_mark(after):
            return 0
        if _is_word(here):
            return self._plural(last, key)
        inside = not _is_unspaced(here) and _is_word(after) and not after.isdigit()  # c++x, but c++20 is c++
        return 0 if inside else last

    def _plural(self, last: int, key: str) -> int:
        rest = "".join(takewhile(_is_word, self.folded[last : last + 3]))
        if not rest:
            return last
        if rest == "s" and len(key) > 1 and key[-1] != "s" and not key.endswith(_NO_PLURAL[:-1]):
            return last + 1
        return last + 2 if rest == "es" and _takes_es(key) else 0


def _forms(key: str) -> tuple[str, ...]:
    """The key of a trigger, and its singular where it is a plural."""
    if not key.endswith("s") or len(key) < 4 or key[-2] in _PLURAL_ENDS or key.endswith(_NO_PLURAL):
        return (key,)
    if not all(map(_is_word, key[-4:-1])):
        return (key,)
    return (key, key[:-1], key[:-2]) if key[-2] == "e" and _takes_es(key[:-2]) else (key, key[:-1])


def _takes_es(stem: str) -> bool:
    """boxes, vendedores; but Tim is not in times, nor Jon in Jones."""
    return stem.endswith(("s", "x", "z", "ch", "sh")) or (len(stem) > 4 and stem[-1] in "rlnd" and stem.isalpha())


def _is_unspaced(sign: str) -> bool:
    code = ord(sign)
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)


def _is_word(sign: str) -> bool:
    return sign.isalnum() and not _is_unspaced(sign)


def _is_mark(sign: str) -> bool:
    """Whether it makes one letter with the one before it: a vowel sign, a dakuten, the end of a Hangul syllable."""
    if sign.isascii():
        return False
    if _is_unspaced(sign):
        return "\u1160" <= sign <= "\u11ff" or sign in "\u3099\u309a"
    return unicodedata.category(sign)[0] == "M"
