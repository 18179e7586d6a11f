"""`items.json` to chunks: one a fact, with its entity, category and status, and the lines it stands on.

Reads a JSON array, an object with one array in it, or a JSON value a line; anything else is taken as plain text,
so that it is found at least. The schema is the business of others; here every form is read.
"""

from __future__ import annotations

import json

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import dates
from openclaw_memory.retrieval.chunks import Atom, Chunk, Page, page, plain

if TYPE_CHECKING:
    from typing import Any

_TEXTS = ("fact", "content", "text", "statement", "value")
_DAYS = ("timestamp", "date", "created", "created_at", "createdAt")
_RELATED = ("relatedEntities", "related_entities", "related")
SUPERSEDED = 0.6
"""A superseded fact is history: it is found, behind what holds now."""


def page_of(text: str, path: str) -> Page:
    """The facts of the file `path` in chunks."""
    entity = _entity(path)
    try:
        facts = list(_facts(text))
    except (ValueError, RecursionError):  # no JSON, or nested deeper than Python reads
        facts = []
    if not facts:
        return page(text)
    lines = _Lines(text)
    chunks = [_chunk(entity, fact, lines.at(start), lines.at(end - 1)) for fact, start, end in facts]
    return Page(
        [chunk for chunk in chunks if chunk.atoms[0].text], {"title": f"{entity} facts"}, "", text.count("\n") + 1
    )


def text_of(fact: dict[str, Any]) -> str:
    """The sentence of a fact, whatever its key is called; "" where there is none (a redacted one)."""
    return next((str(fact[key]) for key in _TEXTS if isinstance(fact.get(key), str) and fact[key].strip()), "")


def _chunk(entity: str, fact: dict[str, Any], first: int, last: int) -> Chunk:
    status = str(fact.get("status") or "active")
    category = str(fact.get("category") or "")
    related: list[object] = next((fact[key] for key in _RELATED if isinstance(fact.get(key), list)), [])
    day = next((dates.date_in(str(fact[key])) for key in _DAYS if fact.get(key)), "")
    said = text_of(fact)
    around = " ".join(str(part).replace("/", " ") for part in (fact.get("id", ""), *related))
    text = f"{said} {around} {dates.words(day)}" if said else ""
    weight = SUPERSEDED if status == "superseded" else 1.0
    heading = tuple(plain(part) for part in (entity, category, status) if part)
    return Chunk(heading, [Atom(first, last, plain(text))], weight)


def _entity(path: str) -> str:
    """`people/jane` of `.../people/jane/items.json`."""
    return "/".join(path.split("/")[:-1][-2:]) or "facts"


def _facts(text: str) -> list[tuple[dict[str, Any], int, int]]:
    """(fact, start, end) of each object that is an entry of the outermost array, or of each line."""
    decoder = json.JSONDecoder()
    start = text.find("[")
    opening = text.find("{")
    if start < 0 or (0 <= opening < start and _is_value(decoder, text, opening)):
        return _lines_of_json(decoder, text)
    found: list[tuple[dict[str, Any], int, int]] = []
    at = start + 1
    while True:
        at = _skip(text, at)
        if at >= len(text) or text[at] == "]":
            return found
        value, end = decoder.raw_decode(text, at)
        if isinstance(value, dict):
            found.append((value, at, end))
        at = end


def _is_value(decoder: json.JSONDecoder, text: str, at: int) -> bool:
    """Whether a whole object stands at `at` with another behind it (JSON lines), not a wrapper of an array."""
    value, _ = decoder.raw_decode(text, at)
    return not any(isinstance(part, list) and any(isinstance(x, dict) for x in part) for part in value.values())


def _lines_of_json(decoder: json.JSONDecoder, text: str) -> list[tuple[dict[str, Any], int, int]]:
    found = []
    at = _skip(text, 0)
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        if isinstance(value, dict):
            found.append((value, at, end))
        at = _skip(text, end)
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,\ufeff":
        at += 1
    return at


class _Lines:
    """Offsets to line numbers, for offsets that only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def at(self, offset: int) -> int:
        """The line that `offset` is in."""
        if offset > self._at:
            self._line += self._text.count("\n", self._at, offset)
            self._at = offset
        return self._line
