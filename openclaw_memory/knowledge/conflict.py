"""Facts files and `decay.json` that git left half merged: both sides read, nothing of either lost. Pure.

Two machines that both add a fact always conflict, since both write behind the last one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from openclaw_memory.facts.model import CANONICAL, Fact
from openclaw_memory.knowledge.factsfile import FactsFile, Values, load


def sides(data: bytes) -> tuple[bytes, bytes] | None:
    """(ours, theirs) of a file with conflict markers, the base of a three-way one left out; None without markers."""
    if not (data.startswith(b"<<<<<<< ") or b"\n<<<<<<< " in data):
        return None
    ours, theirs = bytearray(), bytearray()
    state = "both"
    for line in data.splitlines(keepends=True):
        marker = _marker(line, state)
        if marker:
            state = marker
            continue
        if state in ("both", "ours"):
            ours += line
        if state in ("both", "theirs"):
            theirs += line
    return bytes(ours), bytes(theirs)


def _marker(line: bytes, state: str) -> str:
    """The state after a marker line, "" for any other line."""
    if line.startswith(b"<<<<<<< ") and state == "both":
        return "ours"
    if line.startswith(b"||||||| ") and state == "ours":
        return "base"
    if line.rstrip() == b"=======" and state in ("ours", "base"):
        return "theirs"
    return "both" if line.startswith(b">>>>>>> ") and state == "theirs" else ""


def rows(side: bytes) -> list[dict[str, object]]:
    """The objects of a file with one a line: the cut may have left a comma too many or too few."""
    found = []
    for line in side.decode("utf-8", "surrogateescape").splitlines():
        try:
            row = json.loads(line.strip().rstrip(","))
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            found.append(row)
    return found


def joined(data: bytes, path: str) -> bytes | None:
    """The facts of both sides of `data` in one file, in our coat; None where it has no conflict.

    A fact that both have keeps the later access, the higher count, and is superseded if one side says so. Facts that
    only they have stand behind ours, also under an id that we gave to another fact (`repair` renumbers it).
    Raises FormatError where a side cannot be parsed.
    """
    both = sides(data)
    if both is None:
        return None
    ours, theirs = (load(_closed(side), path) for side in both)
    places = {(fact.id, fact.text): at for at, fact in enumerate(ours.facts)}
    changes: dict[int, Values] = {}
    added: list[Values] = []
    for fact in theirs.facts:
        at = places.get((fact.id, fact.text))
        if at is None:
            added.append(dict(values(fact)))
        elif news := _news(ours.facts[at], fact):
            changes[at] = news
    return _written(ours, changes, added)


def _closed(side: bytes) -> bytes:
    """A side of a JSON list whose last comma the cut left dangling (or missing) is put right by the reader's rules."""
    text = side.rstrip()
    if not text.endswith(b"]"):
        return side
    body = text[:-1].rstrip()
    return body[:-1] + side[len(body) :] if body.endswith(b",") else side


def _news(ours: Fact, theirs: Fact) -> Values:
    """What their version of a fact adds to ours."""
    news: dict[str, object] = {}
    if theirs.access_count > ours.access_count:
        news["accessCount"] = theirs.access_count
    if str(theirs.last_accessed or "") > str(ours.last_accessed or ""):
        news["lastAccessed"] = theirs.last_accessed
    if ours.active and not theirs.active:
        news |= {"status": "superseded", "supersededBy": theirs.superseded_by}
    return news


def values(fact: Fact) -> Iterator[tuple[str, object]]:
    """A fact's record under canonical keys, unknown keys as they are."""
    from openclaw_memory.facts.model import key_names

    names = {written: name for name, written in key_names(fact.record).items()}
    for key, value in fact.record.items():
        yield names.get(key, key), value


def _written(ours: FactsFile, changes: dict[int, Values], added: list[Values]) -> bytes:
    ordered = [{**{key: row[key] for key in CANONICAL if key in row}, **row} for row in added]
    return ours.rewrite(changes, ordered)
