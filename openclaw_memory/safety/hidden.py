"""Characters that a person does not see: tags, zero-width runs, direction overrides, escape codes.

What Unicode needs them for is let through: flags (UTS #51, ED-14), joined emoji, joiners of Arabic and Indic
scripts, balanced direction marks in lines that run right to left, variation selectors after what they vary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openclaw_memory.safety.hits import Hit, line_of

_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f"
_ANY = (
    "[\x00-\x08\x0e-\x1f\x7f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]|[\ufe00-\ufe0f]{2,}"
)
_TAG = "[\U000e0000-\U000e007f]+"
_RUN = "[\u200b-\u200d\u2060-\u2064\ufeff\u180e]{4,}"
_IN_WORD = "(?<=[A-Za-z])[\u200b-\u200d\u2060\ufeff\u180e\u3164\u115f\u1160\uffa0\u034f]+(?=[A-Za-z])"
_OVERRIDE = "[\u202d\u202e]"
_OPENING, _CLOSING = "\u202a\u202b\u2066\u2067\u2068", "\u202c\u2069"
_VARIATIONS = (
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}|(?<![\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]+"
)
_CONTROL = "[\x00-\x08\x0e-\x1f\x7f\ufff9-\ufffb]+"
_CONTROLS = [chr(code) for code in (*range(9), *range(14, 32), 127)]
_KINDS = (
    ("tag characters", _TAG),
    ("a run of zero-width characters", _RUN),
    ("zero-width characters inside a word", _IN_WORD),
    ("a direction override", _OVERRIDE),
    ("stacked variation selectors", _VARIATIONS),
    ("control characters", _CONTROL),
)


def hidden(text: str) -> list[Hit]:
    """The places of `text` where something is hidden, one a line and kind, with the code points."""
    if text.isascii() and not any(char in text for char in _CONTROLS):
        return []  # most files: no pattern is compiled
    if not re.search(_ANY, text):
        return []
    found: dict[tuple[int, str], Hit] = {}
    for hit in (*_matches(text), *_unbalanced(text)):
        found.setdefault((hit.line, hit.kind), hit)
    return sorted(found.values())


def _matches(text: str) -> Iterator[Hit]:
    plain = re.sub(_FLAG, lambda flag: "x" * len(flag[0]), text)
    for kind, pattern in _KINDS:
        for match in re.finditer(pattern, plain):
            yield Hit(line_of(text, match.start()), kind, _points(match[0]))


def _unbalanced(text: str) -> Iterator[Hit]:
    """Embeddings and isolates that are not closed in their line, or stand where nothing runs right to left."""
    if not re.search(f"[{_OPENING}{_CLOSING}]", text):
        return
    from unicodedata import bidirectional

    for number, line in enumerate(text.split("\n"), 1):
        marks = [char for char in line if char in _OPENING + _CLOSING]
        if not marks:
            continue
        depth = sum(1 if char in _OPENING else -1 for char in marks)
        if depth or not any(bidirectional(char) in ("R", "AL") for char in line):
            yield Hit(number, "direction marks", _points("".join(marks)))


def _points(chars: str) -> str:
    shown = " ".join(f"U+{ord(char):04X}" for char in chars[:4])
    return f"{shown} …" if len(chars) > 4 else shown
