"""Which files a search may return: by collection, path, tag, kind, heat and date. Narrowed before ranking."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.analyse import fold
from openclaw_memory.retrieval.paths import restored
from openclaw_memory.retrieval.query import Filters

if TYPE_CHECKING:
    from openclaw_memory.retrieval.collections import Collections
    from openclaw_memory.workspace import Workspace


class Scope(Record):
    """The files that count: `files` holds their numbers, None means all of the index."""

    files: frozenset[int] | None = None

    def holds(self, file: int) -> bool:
        """Whether the file counts."""
        return self.files is None or file in self.files


def scope(
    db: sqlite3.Connection, ws: Workspace, collections: Collections, names: tuple[str, ...], filters: Filters
) -> Scope:
    """The scope of a search in the collections `names` (those included by default, where there are none)."""
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
    warmth = heats(ws) if filters.heat else {}
    roots = {one.name: one.root for one in collections.all}
    files = set()
    for number, collection, stored, kind, tags, day in rows:
        path = restored(stored)
        rel = relative(ws.root, roots[collection], path)
        if fits(ws, filters, About(path, rel, kind, tags, day, warmth.get(rel, ""))):
            files.add(number)
    return Scope(frozenset(files))


class About(Record):
    """What filters look at: a file's path below its collection and below the workspace, and what is known of it."""

    path: str
    rel: str
    kind: str
    tags: str
    day: str
    heat: str


def fits(ws: Workspace, filters: Filters, file: About) -> bool:
    """Whether the filters let a file through (the collection's aside)."""
    path, day = file.path, file.day
    if filters.path and not any(fold(part) in fold(path) for part in filters.path):
        return False
    if filters.tag and not any(f" {fold(tag)} " in f" {fold(file.tags)} " for tag in filters.tag):
        return False
    if filters.kind and not _is_of(ws, filters.kind, file.kind, file.rel):
        return False
    if filters.heat and file.heat not in filters.heat:
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


def heats(ws: Workspace) -> dict[str, str]:
    """Path to temperature, as the decay file says; nothing where there is none yet."""
    try:
        data = json.loads((ws.root / "memory/decay.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    rows = data.get("files", data) if isinstance(data, dict) else data
    if isinstance(rows, dict):
        return {path: str(row.get("temperature", "")) for path, row in rows.items() if isinstance(row, dict)}
    return {
        str(row["path"]): str(row.get("temperature", "")) for row in rows if isinstance(row, dict) and "path" in row
    }


def relative(root: Path, folder: Path, path: str) -> str:
    """`path` below `folder` as a path below `root`; a full path where it is elsewhere."""
    full = folder / path
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else str(full)
