"""Which detail files a message calls for, best first. Pure: entries, a message and heat in, candidates out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from openclaw_memory.context.triggers import Hit, find
from openclaw_memory.index import Entry
from openclaw_memory.record import Record

_HEAT = {"hot": 2, "warm": 1}  # cold, unknown and never folded are the same here: no reason to come first
_IMPORTANCE = 5  # of an entry that states none, as the host has it


class Candidate(Record):
    """An entry that the message calls for, with the hits of its triggers (one for each place in the message)."""

    entry: Entry
    hits: tuple[Hit, ...]


def called_for(
    entries: Iterable[Entry], stated: Mapping[str, tuple[str, ...]], message: str, heat: Mapping[str, str]
) -> list[Candidate]:
    """The entries with a trigger in `message`: one of the index, or one that the file has `stated` itself.

    Ranked by distinct triggers hit, length of the longest trigger hit, importance, and heat; then by path. Two
    triggers found at the very same place (`catalog`, `catalogs`) count once.
    """
    by_path = {entry.path: entry for entry in entries}
    pairs = [(path, trigger) for path, entry in by_path.items() for trigger in (*entry.triggers, *stated.get(path, ()))]
    places: dict[str, dict[tuple[int, int], Hit]] = {}
    for hit in find(pairs, message):
        places.setdefault(hit.owner, {}).setdefault((hit.start, hit.end), hit)
    found = [Candidate(by_path[path], tuple(hits[place] for place in sorted(hits))) for path, hits in places.items()]
    return sorted(found, key=lambda candidate: _rank(candidate, heat))


def _rank(candidate: Candidate, heat: Mapping[str, str]) -> tuple[int, int, int, int, str]:
    entry, hits = candidate
    importance = _IMPORTANCE if entry.importance is None else entry.importance
    longest = max(len(hit.trigger) for hit in hits)
    return -len(hits), -longest, -importance, -_HEAT.get(heat.get(entry.path, ""), 0), entry.path
