"""Which files a search may return: by collection, path, tag, kind, heat and date. Narrowed before ranking."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import heats
from openclaw_memory.retrieval.analyse import fold
from openclaw_memory.retrieval.heats import Heats, by_file
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.paths import restored
from openclaw_memory.retrieval.query import Filters

if TYPE_CHECKING:
    from openclaw_memory.retrieval.collections import Collections
    from openclaw_memory.workspace import Workspace


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
    chosen = {collections.named(name).name for name in (*names, *filters.collection)}
    if not chosen:
        chosen = {one.name for one in collections.all if one.included and not one.low_trust}
    plain = filters._replace(collection=()) == Filters()
    if plain and chosen >= {one.name for one in collections.all}:
        return Scope()
    marks = ", ".join("?" * len(chosen))
    rows = db.execute(
        f"SELECT id, collection, path, kind, tags, date FROM files WHERE collection IN ({marks})", sorted(chosen)
    )
    if plain:
        return Scope(frozenset(row[0] for row in rows))
    warmth = Heats(ws, now) if filters.heat else None
    facts = by_file(heats.facts(db)) if warmth else {}
    roots = {one.name: one.root for one in collections.all}
    files, some = set(), {}
    for number, collection, stored, kind, tags, day in rows:
        path = restored(stored)
        rel = relative(ws.root, roots[collection], path)
        if not fits(ws, filters, About(path, rel, kind, tags, day)):
            continue
        if warmth and number in facts:
            held = facts[number].items()
            some[number] = frozenset(chunk for chunk, fact in held if warmth.of_fact(rel, fact) in filters.heat)
            fitting = bool(some[number])
        else:
            fitting = warmth is None or warmth.of_file(rel) in filters.heat
        if fitting:
            files.add(number)
    return Scope(frozenset(files), some)


class About(Record):
    """What filters look at: a file's path below its collection and below the workspace, and what is known of it."""

    path: str
    rel: str
    kind: str
    tags: str
    day: str


def fits(ws: Workspace, filters: Filters, file: About) -> bool:
    """Whether the filters let a file through (those of collection and heat aside)."""
    path, day = file.path, file.day
    if filters.path and not any(fold(part) in fold(path) for part in filters.path):
        return False
    if filters.tag and not any(f" {fold(tag)} " in f" {fold(file.tags)} " for tag in filters.tag):
        return False
    if filters.kind and not _is_of(ws, filters.kind, file.kind, file.rel):
        return False
    if filters.after and not (day and day >= filters.after):
        return False
    return not filters.before or bool(day and day < filters.before)


def _is_of(ws: Workspace, names: tuple[str, ...], kind: str, rel: str) -> bool:
    """Whether a file is of a kind that is named, in singular or plural; facts are also of their entity's kind."""
    kinds = {kind, ws.layout.kind_of(rel) or ""} if kind == "fact" else {kind}
    return any(not kinds.isdisjoint(_plurals(name.casefold())) for name in names)


def _plurals(name: str) -> tuple[str, ...]:
    return (name, f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies", "people" if name == "person" else name)


def relative(root: Path, folder: Path, path: str) -> str:
    """`path` below `folder` as a path below `root`; a full path where it is elsewhere."""
    full = folder / path
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else str(full)
