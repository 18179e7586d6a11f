"""The folders that are searched: the layout's defaults, `memory.paths` of the config, and what the user added.

What the user adds is kept in `.openclaw-memory/collections.json`, local to this machine: adding a folder outside the
workspace by hand is the consent that a config which came with a clone cannot give.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.errors import FormatError, UsageError, WorkspaceError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import masks, store
from openclaw_memory.retrieval.transcripts import MASK

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

FILE = "collections.json"
DEFAULT_MASK = "**/*.{md,markdown},**/items.json"
DATABASE = "database"


class Collection(Record):
    """A folder with the files of it that are searched. `mask` is a comma list of globs below the folder."""

    name: str
    root: Path
    mask: str = DEFAULT_MASK
    included: bool = True
    """Whether a search without `-c` looks into it."""
    source: str = "user"
    """`layout`, `config` or `user`; `DATABASE` for one that another agent shares."""
    follow: bool = False
    """Follow symlinks that stay inside the folder."""
    low_trust: bool = False
    """Session transcripts: never in results unless asked for by name."""


class Note(Record):
    """What a collection or a folder of it is about, or all of it (a collection of ""); shown with results."""

    collection: str
    prefix: str
    text: str


class Added(Record):
    """What the user added."""

    collections: tuple[Collection, ...] = ()
    notes: tuple[Note, ...] = ()
    excluded: tuple[str, ...] = ()


class Collections(Record):
    """All collections of a workspace, with sentences about those that could not be taken."""

    all: tuple[Collection, ...]
    notes: tuple[Note, ...]
    warnings: tuple[str, ...]

    def named(self, name: str) -> Collection:
        """The collection of that name. Raises UsageError with the names there are."""
        found = next((one for one in self.all if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in self.all) or "none"
            raise UsageError(
                f"the collection {name!r} does not exist", f"there are: {names}; `collection add` makes one"
            )
        return found


def load(ws: Workspace) -> Collections:
    """The collections of `ws`."""
    added = read(ws)
    warnings: list[str] = []
    found: dict[str, Collection] = {}
    for one in (*added.collections, *_defaults(ws), *_configured(ws, warnings)):
        if one.name not in found:
            found[one.name] = one._replace(included=one.included and one.name not in added.excluded)
    return Collections(tuple(found.values()), added.notes, tuple(warnings))


def _defaults(ws: Workspace) -> list[Collection]:
    if not ws.config.memory.include_default_memory:
        return []
    index = ws.config.index.path
    found = [Collection("memory-root", ws.root, index, source="layout")] if (ws.root / index).exists() else []
    folders = [Collection(top.replace("/", "-"), ws.root / top, source="layout") for top in ws.layout.roots]
    missing = {one.name for one in folders if not one.root.is_dir()}
    gone = missing - (_indexed(ws) if missing else set())
    return found + [one for one in folders if one.name not in gone]


def _indexed(ws: Workspace) -> set[str]:
    """The collections that the index has files of: a folder that vanishes is an error, not an empty folder."""
    with store.reading(store.path_in(ws.state_path)) as db:
        return {row[0] for row in db.execute("SELECT DISTINCT collection FROM files")} if db else set()


def _configured(ws: Workspace, warnings: list[str]) -> list[Collection]:
    found = []
    for at, entry in enumerate(ws.config.memory.paths, 1):
        root = _below(ws.root, entry.path)
        name = entry.name or root.name or f"path-{at}"
        if not ws.config.trusted and not root.resolve().is_relative_to(ws.root.resolve()):
            warnings.append(f"memory.paths {entry.path!r} is outside the workspace: `openclaw-memory trust` allows it")
            continue
        if wrong := masks.wrong(entry.pattern):
            warnings.append(f"memory.paths {entry.path!r}: the pattern {entry.pattern!r} {wrong}")
        found.append(Collection(name, root, entry.pattern, source="config"))
    return found


def _below(root: Path, path: str) -> Path:
    return (root / Path(path).expanduser()).absolute()


def read(ws: Workspace) -> Added:
    """What the user added. Raises FormatError for a file that is broken."""
    path = ws.state_path / FILE
    return fsio.unchanged(str(path), "collections", lambda: _read(ws, path), Added())


def _read(ws: Workspace, path: Path) -> Added:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return Added()
    except OSError as error:
        hint = f"check the owner and mode of {ws.state_path}"
        raise WorkspaceError(f"{path} cannot be read: {error.strerror}", hint) from error
    try:
        data = json.loads(fsio.read(path))
        collections = tuple(
            Collection(
                one["name"],
                Path(one["path"]),
                one["mask"],
                follow=bool(one.get("follow", False)),
                low_trust=bool(one.get("transcripts", False)),
            )
            for one in data["collections"]
        )
        notes = tuple(Note(one["collection"], one["prefix"], one["text"]) for one in data["notes"])
        return Added(collections, notes, tuple(data["excluded"]))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is broken: {error}", f"put it right, or remove it: rm '{path}'") from error


@contextmanager
def changing(ws: Workspace) -> Iterator[None]:
    """Hold what the user added, to read and write it: of two that change it at once none is lost."""
    with fsio.locked(ws.state_dir / "collections.lock"):
        yield


def write(ws: Workspace, added: Added) -> None:
    """Keep what the user added, durably. For who holds `changing`."""
    data = {
        "version": 1,
        "collections": [
            {
                "name": one.name,
                "path": str(one.root),
                "mask": one.mask,
                "follow": one.follow,
                "transcripts": one.low_trust,
            }
            for one in added.collections
        ],
        "notes": [note._asdict() for note in added.notes],
        "excluded": sorted(set(added.excluded)),
    }
    text = json.dumps(data, indent=2, ensure_ascii=True) + "\n"
    fsio.write(ws.state_dir / FILE, text.encode())


def add(
    ws: Workspace, root: Path, name: str = "", mask: str = "", follow: bool = False, transcripts: bool = False
) -> Collection:
    """Add the folder `root`; `transcripts`: of session transcripts, which only a search that names them looks into.

    Raises UsageError for a name that is taken or bad, WorkspaceError for no folder.
    """
    root = Path(os.path.abspath(root.expanduser()))  # noqa: PTH100  # without `..`, with symlinks as they are named
    if not root.is_dir():
        raise WorkspaceError(f"{root} is no folder", "name an existing folder: collection add PATH --name NAME")
    if mask and (wrong := masks.wrong(mask)):
        raise UsageError(f"the mask {mask!r} {wrong}", 'globs are below the folder, e.g. --mask "**/*.md,*.txt"')
    with changing(ws):
        name = _free(ws, name or root.name)
        added = read(ws)
        usual = MASK if transcripts else DEFAULT_MASK
        made = Collection(name, root, mask or usual, follow=follow, low_trust=transcripts)
        write(ws, added._replace(collections=(*added.collections, made)))
    return made


def remove(ws: Workspace, name: str) -> Collection:
    """Forget a collection that the user added; one that the layout gives cannot go, and is excluded.

    Older hosts remove `memory-root` and add its file by a name of their own. Raises UsageError for one of the config.
    """
    if load(ws).named(name).source == "layout":
        return include(ws, name, False)
    with changing(ws):
        gone = _mine(ws, name)
        added = read(ws)
        left = tuple(one for one in added.collections if one.name != name)
        notes = tuple(note for note in added.notes if note.collection != name)
        excluded = tuple(other for other in added.excluded if other != name)
        write(ws, Added(left, notes, excluded))
    return gone


def rename(ws: Workspace, old: str, new: str) -> Collection:
    """Give a collection of the user another name."""
    with changing(ws):
        renamed = _mine(ws, old)._replace(name=_free(ws, new))
        added = read(ws)
        collections = tuple(renamed if other.name == old else other for other in added.collections)
        notes = tuple(note._replace(collection=new) if note.collection == old else note for note in added.notes)
        excluded = tuple(new if other == old else other for other in added.excluded)
        write(ws, Added(collections, notes, excluded))
    return renamed


def include(ws: Workspace, name: str, included: bool) -> Collection:
    """Say whether a search without `-c` looks into the collection `name`."""
    with changing(ws):
        one = load(ws).named(name)
        added = read(ws)
        excluded = set(added.excluded) - {name} if included else {*added.excluded, name}
        write(ws, added._replace(excluded=tuple(sorted(excluded))))
    return one._replace(included=included)


def _free(ws: Workspace, name: str) -> str:
    """`name`, where a collection can be called so. Raises UsageError."""
    if not name.isprintable() or not name.strip() or "/" in name or name.startswith(("-", ".")):
        raise UsageError(f"{name!r} is no name for a collection", "use a word without slashes")
    taken = next((one for one in load(ws).all if one.name == name), None)
    if taken is not None:
        raise UsageError(f"the collection {name!r} already exists: {taken.root}", "choose another name")
    return name


def _mine(ws: Workspace, name: str) -> Collection:
    one = load(ws).named(name)
    if one.source != "user":
        where = "the layout" if one.source == "layout" else "openclaw-memory.yaml"
        raise UsageError(f"the collection {name!r} comes from {where}", f"`collection exclude {name}` leaves it out")
    return one
