"""Query documents: lines of `lex:`, `vec:`, `hyde:` and `intent:`, as QMD reads them; anything else is one question."""

from __future__ import annotations

import re

from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record

_LINE = pattern(r"[ \t]*(lex|vec|hyde|intent|expand):[ \t]*(.*)", re.IGNORECASE)


class QueryDocument(Record):
    """What to look for by words, by meaning, and what it is for (which only weighs)."""

    lex: tuple[str, ...] = ()
    vec: tuple[str, ...] = ()
    intent: str = ""


def parse_document(text: str) -> QueryDocument:
    """The document that `text` is. A plain text is looked for by words and by meaning."""
    found: dict[str, list[str]] = {"lex": [], "vec": [], "intent": []}
    plain: list[str] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            plain.append(line)
        elif match[2].strip():
            kind = match[1].lower()
            for key in {"hyde": ("vec",), "expand": ("lex", "vec")}.get(kind, (kind,)):
                found[key].append(match[2].strip())
    rest = " ".join(" ".join(plain).split())
    if rest and not found["lex"] and not found["vec"]:
        return QueryDocument((rest,), (rest,), " ".join(found["intent"]))
    lex = (*([rest] if rest else ()), *found["lex"])
    return QueryDocument(lex, tuple(found["vec"]), " ".join(found["intent"]))
