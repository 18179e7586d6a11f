"""Which document a name means: an address, an id, a path from anywhere, the end of one, a day.

Looks at the disk, and at the index where the disk does not say it. Nothing outside the collections' folders is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from os.path import isfile, realpath
from pathlib import Path

from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import aside, fresh, masks, paths, store
from openclaw_memory.retrieval.collections import DATABASE, Collection, Collections
from openclaw_memory.retrieval.postgres import entry as postgres

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

ID = re.compile(r"#?([0-9a-f]{6,40})\Z")
_LINES = re.compile(r"#L(\d+)(?:-L?(\d+)(?:\.\d+)?)?\Z")
"""With the number that the id of a LlamaIndex node may have behind its lines."""
_COUNT = re.compile(r":(\d+)(?::(\d+))?\Z")
_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")
MOST_NAMED = 5
"""Documents that an error or a hint lists."""


class Name(Record):
    """A document in a collection."""

    collection: Collection
    path: str


Files = list[tuple[Name, str]]
"""Documents, with the hash of their content."""


def readings(token: str) -> list[tuple[str, int, int]]:
    """(name, first line, number of lines): the token as it stands, then with a line suffix taken off."""
    found = [(token, 0, 0)]
    if lines := _LINES.search(token):
        start, end = sorted((int(lines[1]), int(lines[2] or lines[1])))
        found.append((token[: lines.start()], start, end - start + 1))
    if counted := _COUNT.search(token):
        found.append((token[: counted.start()], int(counted[1]), int(counted[2] or 0)))
    return found


def resolve(ws: Workspace, found: Collections, name: str, files: Callable[[], Files]) -> Name | None:
    """The document that `name` means; `files` gives those of the index. Raises UsageError where it fits several."""
    where = exact(ws, found, name)
    if where is None and _DAY.match(name):
        notes = (exact(ws, found, f"{folder}/{name}.md") for folder in daily(ws))
        where = next(filter(None, notes), None)
    return where or (None if paths.from_address(name) else _by_index(files(), name))


def exact(ws: Workspace, found: Collections, name: str) -> Name | None:
    """The document whose path or address `name` is; without its ending, too. Looks at the disk alone."""
    address = paths.from_address(name)
    if address is not None:
        collection = next((one for one in found.all if one.name == address[0]), None)
        given = (address[1], paths.unescaped(address[1]))
        options = (*given, *(form for path in given for form in _longer(path)))
        return (
            next((Name(collection, path) for path in options if exists(collection, path)), None) if collection else None
        )
    for form in (name, *_longer(name)):
        names = [Name(one, path) for one in found.all for path in _paths_in(ws, one, form) if exists(one, path)]
        if names:
            return _only(list(dict.fromkeys(names)), name, same_file=True)
    return None


def daily(ws: Workspace) -> tuple[str, ...]:
    """The folders of daily notes."""
    return ws.layout.daily or ("memory",)


def _longer(name: str) -> tuple[str, str]:
    """What `people/jane` may stand for: a note, or the summary in an entity's folder."""
    return f"{name}.md", f"{name}/summary.md"


def _paths_in(ws: Workspace, one: Collection, name: str) -> list[str]:
    """What `name` may be below the collection's folder: as it stands, by the collection's name, by the workspace."""
    options = [name.removeprefix("./")]
    if name.startswith(f"{one.name}/"):
        options.append(name[len(one.name) + 1 :])
    for base in (ws.root, None):
        full = (base / name) if base is not None else None
        if full is not None and full.is_relative_to(one.root) and full != one.root:
            options.append(full.relative_to(one.root).as_posix())
    if name.startswith("/") and name.startswith(f"{one.root}/"):
        options.append(name[len(str(one.root)) + 1 :])
    if Path(name).is_absolute() and "\0" not in name:  # a folder above it may have two names, by a link
        full, root = Path(realpath(name)), Path(realpath(one.root))
        if full.is_relative_to(root) and full != root:
            options.append(full.relative_to(root).as_posix())
    return options


def exists(one: Collection | None, path: str) -> bool:
    """Whether the collection has that file: inside its folder, not a symlink, wanted by its mask."""
    if one is None or not path or path.startswith("/") or "\0" in path or ".." in path.split("/"):
        return False
    full = one.root / path
    if not masks.matcher(one.mask)(path) or not isfile(full):  # noqa: PTH113 - False for a name that is too long, too
        return False
    return one.follow or not _through_link(one, path)


def _through_link(one: Collection, path: str) -> bool:
    full = one.root
    for part in path.split("/"):
        full = full / part
        if full.is_symlink():
            return True
    return False


def _only(names: list[Name], token: str, same_file: bool = False) -> Name:
    """The one document; several that are one file on disk count as one."""
    if len(names) == 1 or (same_file and len({(one.collection.root / one.path).resolve() for one in names}) == 1):
        return names[0]
    listed = ", ".join(paths.address(one.collection.name, one.path) for one in names[:MOST_NAMED])
    raise UsageError(f"{token!r} fits {len(names)} documents", f"say which: {listed}")


@store.healing
def files_of(ws: Workspace, found: Collections) -> Files:
    """What is searched, with the hash of its content, in order; the index is brought up to date first."""
    if postgres.is_on(ws):
        rows = postgres.files(ws)
    else:
        with aside.reading(ws, found, fresh.freshen(ws, found), fresh.BUDGET) as (db, _):
            rows = db.execute("SELECT collection, path, hash FROM files").fetchall() if db is not None else []
    known = {one.name: one for one in found.all}
    every = [(name, paths.restored(path), digest) for name, path, digest in rows if name in known]
    return [(Name(known[name], path), digest) for name, path, digest in sorted(every)]


def lent(ws: Workspace) -> Files:
    """What other agents share through the database; none without one."""
    if not postgres.is_on(ws):
        return []
    return [(Name(borrowed(ws, name), path), digest) for name, path, digest, *_ in postgres.lent(ws)]


def borrowed(ws: Workspace, name: str) -> Collection:
    """The collection of another agent, `<agent>@<collection>`, which has no folder here."""
    return Collection(name, ws.state_path / "shared", source=DATABASE)


def forms(ws: Workspace, one: Name) -> tuple[str, str, str]:
    """A document's path in its collection, with the collection, and in the workspace ("" outside of it)."""
    full = one.collection.root / one.path
    inside = one.collection.source != DATABASE and full.is_relative_to(ws.root)
    return one.path, f"{one.collection.name}/{one.path}", full.relative_to(ws.root).as_posix() if inside else ""


def agents_address(name: str) -> tuple[str, str] | None:
    """(collection, path) of what is an address, or begins with another agent's collection: `ana@memory/tea.md`."""
    return paths.from_address(f"{paths.SCHEME}{name}" if "@" in name.partition("/")[0] else name)


def _by_index(rows: Files, name: str) -> Name | None:
    """By id, or by the end of a path (`jane.md`, `people/jane`)."""
    if wanted := ID.match(name):
        fits = [one for one, digest in rows if digest.startswith(wanted[1]) and exists(one.collection, one.path)]
        if fits:
            return fits[0]
    ends = tuple(f"/{form}" for form in (name, *_longer(name)))
    fits = [one for one, _ in rows if f"/{one.path}".endswith(ends) and exists(one.collection, one.path)]
    return _only(fits, name) if fits else None
