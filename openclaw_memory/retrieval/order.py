"""Best first, and of equals the first by name: never by the numbers of files, which only say what was indexed when.

So an index that grew over months and one that was built anew give the same answers. Names are looked up for equals
alone. Imports no numpy and no LlamaIndex.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise, repeat
from operator import rshift

from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.memory import remembered

_MANY = 500
_REMEMBERED = 200_000
"""Files whose places are remembered: 100 bytes each."""
_FILE_BITS = ATOM_BITS + CHUNK_BITS


def ordered(db: sqlite3.Connection, candidates: Iterable[Candidate]) -> list[Candidate]:
    """`candidates`, best first."""
    found = sorted(candidates, key=lambda one: (-one.score, one.passage))
    tied = {one.passage >> _FILE_BITS for pair in pairwise(found) if pair[0].score == pair[1].score for one in pair}
    if len(tied) < 2:
        return found
    place = _places(db, tied)
    return sorted(found, key=lambda one: (-one.score, place.get(one.passage >> _FILE_BITS, 0), one.passage))


def first(db: sqlite3.Connection, scores: Mapping[int, float], most: int, bits: int = 0, spare: int = 0) -> list[int]:
    """The `most` keys of `scores` with the highest ones, in no certain order; `key >> bits` is the file of a key.

    All others that say as much as the last of them are there too, where these are no more than `spare`.
    """
    if len(scores) <= most:
        return list(scores)
    values = sorted(scores.values(), reverse=True)
    least = values[most - 1]
    found = [key for key, score in scores.items() if score >= least]
    if len(found) <= most + spare:
        return found
    above = [key for key in found if scores[key] > least] if values[0] > least else []
    edge = sorted(key for key in found if scores[key] == least) if above else sorted(found)
    return above + _first_by_name(db, edge, most - len(above), bits)


def _first_by_name(db: sqlite3.Connection, keys: list[int], most: int, bits: int) -> list[int]:
    """The first `most` of sorted keys, by their files' names, and then as they are sorted."""
    found: list[int] = []
    for file in _by_name(db, set(map(rshift, keys, repeat(bits)))):
        start = bisect_left(keys, file << bits)
        found += keys[start : bisect_left(keys, (file + 1) << bits, start)]
        if len(found) >= most:
            break
    return found[:most]


def _by_name(db: sqlite3.Connection, files: AbstractSet[int]) -> Iterable[int]:
    """`files` by collection and path; of many, no more are looked up than are taken."""
    if len(files) > _MANY and not getattr(db, "snapshot", None):
        rows = db.execute("SELECT id FROM files ORDER BY collection, path")
        return (file for (file,) in rows if file in files)
    return sorted(files, key=_places(db, files).__getitem__)


def _places(db: sqlite3.Connection, files: AbstractSet[int]) -> Mapping[int, int]:
    """File to its place among `files` (or among all, where they are many or remembered) by collection and path."""
    known: dict[int, int] = remembered(db, "places", _REMEMBERED)
    if files <= known.keys():
        return known
    if len(files) > _MANY or getattr(db, "snapshot", None):  # a process that stays looks them up once
        everything = db.execute("SELECT id FROM files ORDER BY collection, path")
        known.update((number, place) for place, (number,) in enumerate(everything))
        return known
    marks = ", ".join("?" * len(files))
    some = db.execute(f"SELECT id FROM files WHERE id IN ({marks}) ORDER BY collection, path", sorted(files))
    return {number: place for place, (number,) in enumerate(some)}
