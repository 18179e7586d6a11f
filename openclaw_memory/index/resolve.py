"""Which file a written path means: from the file's folder, the workspace root and `memory/`, and Obsidian's way.

Pure: knows the workspace by its list of files only.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Status: TypeAlias = "Literal['ok', 'dead', 'wrong-case', 'ambiguous', 'external', 'pattern']"

_PATTERN = pattern(r"[*?{}<>\[\]]|\$(?!\()|\.\.\.|…|YYYY|\bMM\b|XXX|\b(?:your|some|my)[-_]")
_ARCHIVE = pattern(r"(?:\A|/)(?:archive|archives|_archive|\d*-?archives?)/", re.I)


_LONGEST = 4096  # characters of a path: no file system has longer ones
_DEEPEST = 16  # folders of a workspace path that an absolute path is tried for


class Resolved(Record):
    """What a written path means: `path` is workspace-relative ("" when none), `base` the folder it was relative to.

    `candidates` are all files that fit; more than one with status "ok" means that an archived twin lost.
    """

    status: Status
    path: str
    base: str = ""
    candidates: tuple[str, ...] = ()


class Resolver:
    """Looks written paths up among the workspace's files (and, for those not listed, in `exists`)."""

    def __init__(
        self,
        files: Collection[str],
        exists: Callable[[str], bool] | None = None,
        *,
        base: str = "auto",
        gone: Collection[str] = (),
    ) -> None:
        """`base` is what paths are relative to where several fit (`index.link_base`); `gone` are files that were
        there before: a path that fits no other means one of them."""
        self.base = base
        self.gone = gone
        self.files = files if isinstance(files, (set, frozenset, dict)) else frozenset(files)
        self.exists = exists
        self._folders: frozenset[str] | None = None
        self._folded: dict[str, list[str]] | None = None
        self._stems: dict[str, list[str]] | None = None

    def resolve(self, target: str, folder: str = "", *, wiki: bool = False) -> Resolved:
        """What `target`, written in a file of `folder`, means. A wikilink may leave folders and `.md` out."""
        if not folder and target.startswith("memory/") and target in self.files and "/." not in target:
            return Resolved("ok", target)
        if len(target) > _LONGEST:
            return Resolved("external", "")
        if target.startswith(("/", "~", "file:")) or target[1:3] in (":/", ":\\"):
            return self._outside(target)
        hits = self._hits(target, folder)
        if not hits and wiki:
            hits = self._hits(target + ".md", folder) or self._by_stem(target)
            return self._choose(hits, target)
        if len(hits) == 1:
            path, base = next(iter(hits.items()))
            return Resolved("ok", path, base)
        return self._choose(hits, target, folder)

    def has(self, path: str) -> bool:
        """Whether `path` (posix, relative to the root) is a file, or with a trailing slash a folder."""
        if path in self.files:
            return True
        if path.endswith("/"):
            return path in self.folders
        return self.exists is not None and bool(path) and self.exists(path)

    @property
    def folders(self) -> frozenset[str]:
        """The folders that hold files, each with its trailing slash."""
        if self._folders is None:
            found: set[str] = set()
            for path in self.files:
                cut = path.rfind("/")
                while cut > 0 and path[: cut + 1] not in found:
                    found.add(path[: cut + 1])
                    cut = path.rfind("/", 0, cut)
            self._folders = frozenset(found)
        return self._folders

    def _hits(self, target: str, folder: str) -> dict[str, str]:
        """{path: base} of the files that `target` fits, from each base in turn."""
        hits: dict[str, str] = {}
        bases = dict.fromkeys((folder, "", "memory"))
        chosen = None if self.base == "auto" else {"root": "", "file": folder}.get(self.base, self.base)
        if chosen is not None and not target.startswith("."):
            bases = {chosen: None, **bases}
        if target.startswith("memory/") and folder != "memory":
            del bases["memory"]
        for base, path in _placed(target, bases):
            if path and path not in hits and self.has(path):
                hits[path] = base
                if target.startswith(".") or base == chosen:
                    break
        if not hits and not target.endswith("/"):
            return self._hits(target + "/", folder) if "." not in posixpath.basename(target) and target else {}
        return hits

    def _outside(self, target: str) -> Resolved:
        """An absolute or home path: a file of this workspace if its end names one, else outside."""
        parts = target.replace("\\", "/").split("/")
        for at in range(max(1, len(parts) - _DEEPEST), len(parts) - 1):
            path = "/".join(parts[at:])
            if self.has(path):
                return Resolved("ok", path, "/".join(parts[:at]) + "/", (path,))
        return Resolved("external", "")

    def _choose(self, hits: dict[str, str], target: str, folder: str = "") -> Resolved:
        live = {path: base for path, base in hits.items() if not _ARCHIVE.search(path)}
        if len(live) == 1 or len(hits) == 1:
            path, base = next(iter((live or hits).items()))
            return Resolved("ok", path, base, tuple(sorted(hits)))
        if hits:
            return Resolved("ambiguous", "", "", tuple(sorted(hits)))
        if _PATTERN.search(target):
            return Resolved("pattern", "")
        twins = self._other_case(target, folder)
        if twins:
            return Resolved("wrong-case" if len(twins) == 1 else "ambiguous", twins[0], "", tuple(twins))
        was = next((path for _, path in _placed(target, (folder, "", "memory")) if path in self.gone), "")
        return Resolved("dead", was or _normal(target))

    def _other_case(self, target: str, folder: str) -> list[str]:
        if self._folded is None:
            self._folded = _grouped((path.casefold(), path) for path in (*self.files, *self.folders))
        found: dict[str, None] = {}
        for base in (folder, "", "memory"):
            path = _normal(f"{base}/{target}" if base else target).casefold()
            found.update(dict.fromkeys(self._folded.get(path, ())))
        return list(found)

    def _by_stem(self, target: str) -> dict[str, str]:
        """Files whose path ends in `target`, as Obsidian finds them: case-blind, `.md` left out."""
        if self._stems is None:
            self._stems = _grouped((_stem(path), path) for path in self.files if path.endswith(".md"))
        wanted = target.strip().casefold().removesuffix(".md")
        tail = "/" + wanted
        found = self._stems.get(wanted.rpartition("/")[2], ())
        return {path: "" for path in found if ("/" + path.casefold().removesuffix(".md")).endswith(tail)}


def _placed(target: str, bases: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(base, the path from the root that `target` is when relative to it)."""
    plain = target.isascii() and "./" not in target and "//" not in target
    for base in bases:
        joined = f"{base}/{target}" if base else target
        yield base, joined if plain else _normal(joined)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".md").casefold()


def _normal(path: str) -> str:
    """`path` without `.` and `..`, its trailing slash kept; "" when it leaves the workspace."""
    normal = posixpath.normpath(path)
    if normal.startswith("../") or normal in ("..", ".", "/"):
        return ""
    return normal + "/" if path.endswith("/") else normal
