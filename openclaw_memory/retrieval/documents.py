"""One document by whatever names it: an address that a search printed, `#id`, a path, a date; and some of its lines.

An exact name comes first; a name that fits several documents is an error that lists them. Nothing outside the
collections' folders is ever read.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache, partial
from os.path import lexists

from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval import masks, paths, read, snippet
from openclaw_memory.retrieval.addressed import (
    ID,
    MOST_NAMED,
    Files,
    Name,
    agents_address,
    borrowed,
    daily,
    exact,
    exists,
    files_of,
    forms,
    lent,
    readings,
    resolve,
)
from openclaw_memory.retrieval.collections import DATABASE, Collection, Collections
from openclaw_memory.retrieval.identity import content_hash
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.present import context_of

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_BESIDE = frozenset(("USER.md", "DREAMS.md", "dreams.md"))


class NotFound(OpenClawMemoryError):
    """No document has that name; the hint suggests near ones."""


class Document(Record):
    """A document, or the part of it that was asked for. `missing` is a daily note that does not exist yet."""

    name: Name
    id: str
    title: str
    text: str
    first: int
    last: int
    lines: int
    context: str = ""
    missing: bool = False

    @property
    def borrowed(self) -> bool:
        """Whether another agent shares it: that it is read counts nowhere here."""
        return self.name.collection.source == DATABASE

    @property
    def file(self) -> str:
        """Its address."""
        return paths.address(self.name.collection.name, self.name.path)


def get(ws: Workspace, token: str, first: int = 0, count: int = 0) -> Document:
    """The document that `token` names, `count` lines from line `first` (or those that the token itself says).

    Raises NotFound, UsageError for a name that fits several, read.Refused for what may not or cannot be read.
    """
    found = folders.load(ws)
    files = cache(partial(files_of, ws, found))
    for name, start, many in readings(token):
        where = resolve(ws, found, name, files)
        if where is not None:
            return _part(found, where, first or start, count or many)
    shared = _shared(ws, token, first, count)
    if shared is not None:
        return shared
    note = _note_to_come(ws, found, token)
    if note is not None:
        return note
    raise NotFound(f"no document is called {token!r}", _hint(files(), token))


def beside(ws: Workspace, path: str, first: int = 0, count: int = 0) -> Document | None:
    """A file that OpenClaw counts as memory though no search looks into it; None where `path` names none.

    Raises NotFound for one that does not exist or is a symlink.
    """
    if path not in _BESIDE:
        return None
    home = Collection("workspace", ws.root, mask=path, source="layout")
    if not exists(home, path):
        raise NotFound(f"there is no {path}", "")
    return _part(folders.load(ws), Name(home, path), first, count)


def _part(found: Collections, name: Name, first: int, count: int) -> Document:
    data = read.content(name.collection, name.path)
    text = read.decode(data, name.path)
    lines = snippet.lines_of(text)
    start = max(1, first)
    chosen = lines[start - 1 : start - 1 + count] if count > 0 else lines[start - 1 :]
    context = context_of(found.notes, name.collection.name, name.path)
    digest = f"#{content_hash(data)[:6]}"
    return Document(name, digest, name.path, "\n".join(chosen), start, start + len(chosen) - 1, len(lines), context)


def _shared(ws: Workspace, token: str, first: int, count: int) -> Document | None:
    """A document that another agent shares through the database; by its address, or the id that a search printed."""
    if not postgres.is_on(ws):
        return None
    for name, start, many in readings(token):
        wanted, address = ID.match(name), agents_address(name)
        one = postgres.shared(ws, *address) if address else postgres.shared_as(ws, wanted[1]) if wanted else None
        if one is not None:
            called, path, text, digest = one
            home = borrowed(ws, address[0] if address else called)
            lines = snippet.lines_of(text)
            begin = max(1, first or start)
            chosen = lines[begin - 1 :][: (count or many) or None]
            last = begin + len(chosen) - 1
            return Document(Name(home, path), f"#{digest[:6]}", path, "\n".join(chosen), begin, last, len(lines))
    return None


def _note_to_come(ws: Workspace, found: Collections, token: str) -> Document | None:
    """A daily note of a day that has none yet: an answer, not an error. It is named as one that exists may be."""
    name = next(filter(None, (_note_named(ws, found, name) for name, *_ in readings(token))), "")
    if not name or lexists(ws.root / name):
        return None
    homes = [one for one in found.all if (ws.root / name).is_relative_to(one.root)]
    homes = [one for one in homes if masks.matcher(one.mask)((ws.root / name).relative_to(one.root).as_posix())]
    default = Collection("memory", (ws.root / name).parent, source="layout")
    home = max(homes, key=lambda one: len(str(one.root)), default=default)
    path = (ws.root / name).relative_to(home.root).as_posix()
    return Document(Name(home, path), "", path, "", 1, 0, 0, missing=True)


def _note_named(ws: Workspace, found: Collections, name: str) -> str:
    """The path in the workspace of the daily note that `name` may be; "" where it is none."""
    address = paths.from_address(name)
    if address is not None:
        roots = (one.root for one in found.all if one.name == address[0] and one.root.is_relative_to(ws.root))
        folder = next(roots, ws.root / address[0]).relative_to(ws.root)
        name = (folder / address[1].lstrip("/")).as_posix()
    forms = (form for given in (name, f"{name}.md") for form in (given, f"{daily(ws)[0]}/{given}"))
    return next((form for form in forms if "\0" not in form and ws.layout.is_daily(form) is not None), "")


def _hint(files: Files, token: str) -> str:
    names = [one.path for one, _ in files]
    if not names:
        return "no file is indexed: `openclaw-memory status` says what is searched"
    wanted = token.rpartition("/")[2].lower()
    ends = {path.rpartition("/")[2].lower(): path for path in names}
    close = [ends[end] for end in get_close_matches(wanted, list(ends), MOST_NAMED, 0.6)]
    return f"did you mean {', '.join(close)}?" if close else "`openclaw-memory ls` lists what there is"


def listed(ws: Workspace, pattern: str) -> tuple[list[Name], dict[str, OpenClawMemoryError]]:
    """The documents that globs and names in a comma list fit, in order; and those parts that fit none, with why."""
    found = folders.load(ws)
    names: dict[Name, None] = {}
    unknown: dict[str, OpenClawMemoryError] = {}
    whole = exact(ws, found, pattern) if "," in pattern else None
    if whole is not None:
        return [whole], {}
    files = cache(partial(files_of, ws, found))
    for part in masks.split(pattern) or [pattern]:
        try:
            names |= dict.fromkeys(_named(ws, found, part, files))
        except OpenClawMemoryError as error:
            unknown[part] = error
    return list(names), unknown


def _named(ws: Workspace, found: Collections, part: str, files: Callable[[], Files]) -> list[Name]:
    if not any(char in part for char in "*?[{"):
        return [get(ws, part).name]
    whole = exact(ws, found, part)  # a name may hold what a glob is made of
    names = [whole] if whole is not None else _globbed(ws, files(), part) or _globbed_lent(ws, part)
    if not names:
        raise NotFound(f"no document fits {part!r}", "`openclaw-memory ls` lists what there is")
    return names


def _globbed(ws: Workspace, files: Files, glob: str) -> list[Name]:
    fits = masks.matcher(glob.removeprefix(paths.SCHEME))
    return [one for one, _ in files if any(map(fits, forms(ws, one))) and exists(one.collection, one.path)]


def _globbed_lent(ws: Workspace, glob: str) -> list[Name]:
    """What others share, by the collection with its agent or without: `ana@memory/*.md`, `handbook/*.md`."""
    fits = masks.matcher(glob.removeprefix(paths.SCHEME))
    names = [(one, *one.collection.name.rpartition("@")[::2]) for one, _ in lent(ws)]
    return [one for one, agent, name in names if fits(f"{agent}@{name}/{one.path}") or fits(f"{name}/{one.path}")]
