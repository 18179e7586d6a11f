"""Which files a search may return: by collection, path, tag, kind, heat and date. Narrowed before ranking."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import heats
from openclaw_memory.retrieval.analyse import fold
from openclaw_memory.retrieval.heats import Fact, Heats, by_file
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.memory import remembered
from openclaw_memory.retrieval.paths import below, restored
from openclaw_memory.retrieval.query import Filters

if TYPE_CHECKING:
    from typing import Any

    from openclaw_memory.retrieval.collections import Collections
    from openclaw_memory.workspace import Workspace

_SCOPES = 16
"""Filters whose files are remembered: 40 bytes a file."""


class Scope(Record):
    """The files that count: `files` holds their numbers, None means all of the index.

    `facts`: of a file that counts for some of its facts alone, the chunks of these.
    """

    files: frozenset[int] | None = None
    facts: Mapping[int, frozenset[int]] = {}

    def holds(self, file: int) -> bool:
        """Whether the file counts."""
        return self.files is None or file in self.files

    def lets(self, chunk: int) -> bool:
        """Whether a chunk of a file that counts does, too."""
        some = self.facts.get(chunk >> CHUNK_BITS)
        return some is None or chunk in some

    def firsts(self, file: int) -> Iterable[int]:
        """The chunks that stand for a file that counts: its first, or its facts that count."""
        return sorted(self.facts.get(file, (file << CHUNK_BITS,)))


class About(Record):
    """What filters look at: a file as a store knows it, its path below its collection, and what is known of it."""

    file: Any
    """Its number, or the id of its document."""
    collection: str
    path: str
    folded: str
    """The path as `fold` has it."""
    kind: str
    tags: str
    """Folded, with a blank before and behind each."""
    day: str
    own: bool = True
    """Not another agent's."""


def scope(
    db: sqlite3.Connection,
    ws: Workspace,
    collections: Collections,
    names: tuple[str, ...],
    filters: Filters,
    now: str = "",
) -> Scope:
    """The scope of a search in the collections `names` (those included by default, where there are none).

    Heat is that of `now` (ISO; "" is the present): facts have their own, whatever their file has.
    """
    chosen = frozenset(collections.named(name).name for name in (*names, *filters.collection))
    if not chosen:
        chosen = frozenset(one.name for one in collections.all if one.included and not one.low_trust)
    filters = filters._replace(collection=())
    if filters == Filters() and chosen.issuperset(one.name for one in collections.all):
        return Scope()
    if filters.kind or filters.heat:  # they depend on the layout, the day and other files, too
        return _scope(db, ws, collections, chosen, filters, now)
    known: dict[tuple[frozenset[str], Filters], Scope] = remembered(db, "scopes", _SCOPES)
    key = chosen, filters
    if key not in known:
        known[key] = _scope(db, ws, collections, chosen, filters, now)
    return known[key]


def _scope(
    db: sqlite3.Connection, ws: Workspace, collections: Collections, chosen: frozenset[str], filters: Filters, now: str
) -> Scope:
    """The files of the collections `chosen` that the filters let through."""
    if filters == Filters():
        marks = ", ".join("?" * len(chosen))
        rows = db.execute(f"SELECT id FROM files WHERE collection IN ({marks})", sorted(chosen))
        return Scope(frozenset(number for (number,) in rows))
    homes = {one.name: below(ws.root, one.root) for one in collections.all if one.name in chosen}

    def rel(one: About) -> str:
        return homes[one.collection](one.path)

    found = fitting(ws, filters, [one for one in _abouts(db) if one.collection in chosen], rel)
    if not filters.heat:
        return Scope(frozenset([one.file for one in found]))
    return _as_hot(found, Heats(ws, now), by_file(heats.facts(db)), filters.heat, rel)


def _abouts(db: sqlite3.Connection) -> Sequence[About]:
    """All files of an index; a process that stays reads them once."""
    known: dict[str, Sequence[About]] = remembered(db, "abouts", 1)
    if "" not in known:
        rows = db.execute("SELECT id, collection, path, kind, tags, date FROM files")
        known[""] = abouts((file, name, restored(path), *told, True) for file, name, path, *told in rows)
    return known[""]


def abouts(rows: Iterable[tuple[Any, ...]]) -> list[About]:
    """The files of these rows, which are as an `About` is, with tags as they were written and no folded path."""
    files = list(rows)
    paths, tags = (_folded([row[at] for row in files]) for at in (2, 4))
    return [
        About(file, collection, path, folded, kind, f" {tagged} ", day, own)
        for (file, collection, path, kind, _, day, own), folded, tagged in zip(files, paths, tags, strict=True)
    ]


def _folded(texts: Sequence[str]) -> list[str]:
    """`fold` of many texts, which hold no NUL, in one call."""
    return fold("\0".join(texts)).split("\0") if texts else []


def _as_hot(
    files: Iterable[About],
    warmth: Heats,
    facts: Mapping[int, Mapping[int, Fact]],
    wanted: tuple[str, ...],
    rel: Callable[[About], str],
) -> Scope:
    """Those of `files` that have one of the heats `wanted`; of a file of facts, those facts that do."""
    numbers, some = set(), {}
    for one in files:
        if one.file in facts:
            held = facts[one.file].items()
            hot = frozenset(chunk for chunk, fact in held if warmth.of_fact(rel(one), fact) in wanted)
            if not hot:
                continue
            some[one.file] = hot
        elif warmth.of_file(rel(one)) not in wanted:
            continue
        numbers.add(one.file)
    return Scope(frozenset(numbers), some)


def fitting(ws: Workspace, filters: Filters, files: Iterable[About], rel: Callable[[About], str]) -> list[About]:
    """Those of `files` that the filters (of collection and heat aside) let through, in their order.

    One filter after the other, as a loop over many files with all of them inside takes three times as long. `rel`
    says where in the workspace a file is.
    """
    found = list(files)
    if filters.kind:
        kinds = frozenset(kind for name in filters.kind for kind in _plurals(name.casefold()))
        of = ws.layout.kind_of  # facts are also of their entity's kind
        found = [one for one in found if one.kind in kinds or (one.kind == "fact" and of(rel(one)) in kinds)]
    if filters.after:
        found = [one for one in found if one.day >= filters.after]
    if filters.before:
        found = [one for one in found if one.day and one.day < filters.before]
    if filters.path:
        part, *more = map(fold, filters.path)
        found = [one for one in found if part in one.folded or (more and any(also in one.folded for also in more))]
    if filters.tag:
        tag, *more = (f" {fold(tag)} " for tag in filters.tag)
        found = [one for one in found if tag in one.tags or (more and any(also in one.tags for also in more))]
    return found


def _plurals(name: str) -> tuple[str, ...]:
    """The kinds that a name may mean, in singular or plural."""
    return (name, f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies", "people" if name == "person" else name)
