"""`items.json` to chunks: one a fact, with its entity, category and status, and the lines it stands on.

Reads a JSON array, an object with one array in it, or a JSON value a line; anything else is taken as plain text,
so that it is found at least. What a fact is, `facts.model` knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from openclaw_memory.facts import model
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import dates
from openclaw_memory.retrieval.chunks import Atom, Chunk, Page, fit, page
from openclaw_memory.retrieval.plain import plain

if TYPE_CHECKING:
    from typing import Any

    from openclaw_memory.facts.model import Fact

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
    read = model.linked([model.from_record(fact) for fact, _, _ in facts])
    chunks = [
        _chunk(entity, fact, lines.at(start), lines.at(end - 1))
        for fact, (_, start, end) in zip(read, facts, strict=True)
    ]
    said = fit([chunk for chunk in chunks if chunk.atoms[0].text])
    return Page(said, {"title": f"{entity} facts"}, "", text.count("\n") + 1)


def text_of(fact: Fact) -> str:
    """The sentence of a fact; "" where there is none (a redacted one)."""
    return "" if fact.redacted else fact.text.strip()


def _chunk(entity: str, fact: Fact, first: int, last: int) -> Chunk:
    day = dates.date_in(str(fact.timestamp)) if fact.timestamp else ""
    said = text_of(fact)
    around = " ".join(part.replace("/", " ") for part in (fact.id, *fact.related))
    text = f"{said} {around} {dates.words(day)}" if said else ""
    heading = tuple(plain(part) for part in (entity, fact.category, fact.status) if part)
    return Chunk(heading, [Atom(first, last, plain(text))], 1.0 if fact.active else SUPERSEDED, fact)


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


def sentence(lines: Sequence[str], first: int, last: int, name: str) -> str:
    """The fact with the id `name` as a sentence with its category and status; several may stand on one line."""
    source = "\n".join(lines[first - 1 : last])
    found = [model.from_record(record) for record in _records(source)]
    fact = next((one for one in found if plain(one.id) == name), found[0] if found else None)
    if fact is None:
        return source
    about = ", ".join(str(part) for part in (fact.category, fact.status, fact.timestamp) if part)
    return f"{text_of(fact)} ({about})"


def _records(source: str) -> Iterator[Any]:
    """The JSON objects in some lines of a file, as far as they can be read."""
    start = source.find("{")
    while start >= 0:
        try:
            record, end = json.JSONDecoder().raw_decode(source, start)
        except (ValueError, RecursionError):
            return
        yield record
        start = source.find("{", end)


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
