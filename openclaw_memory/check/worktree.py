"""One workspace as it is on disk: every file is judged. git is asked only where there is a repository."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from openclaw_memory import fsio
from openclaw_memory.check import baseline
from openclaw_memory.check.engine import judge
from openclaw_memory.check.gittree import limit_of
from openclaw_memory.check.report import Report
from openclaw_memory.errors import GitError, WorkspaceError
from openclaw_memory.git import Repo, TooLarge
from openclaw_memory.git.revs import worktree_revs
from openclaw_memory.subject import Family, Kind, Status, Subject
from openclaw_memory.workspace import Workspace

_SKIPPED = ("node_modules", "__pycache__")


class WorkTree:
    """A `Tree` (see `subject`) over the files of a workspace on disk."""

    kind: Kind = "worktree"
    changes: Mapping[str, Status] | None = None
    merge = False

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._root = os.path.realpath(ws.root)

    @cached_property
    def paths(self) -> Collection[str]:
        return dict.fromkeys(sorted(self._walk("")))

    def _walk(self, folder: str) -> Iterator[str]:
        try:
            entries = sorted(os.scandir(os.path.join(self._root, folder)), key=lambda entry: entry.name)
        except OSError as error:
            where = folder or "the workspace"
            raise WorkspaceError(f"cannot list {where}: {error.strerror}", "check its mode and owner") from error
        for entry in entries:
            path = folder + entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif not _hidden(entry.name):
                yield from self._walk(f"{path}/")

    def read(self, path: str) -> bytes:
        full = self._ws.path(path)
        limit = limit_of(path)
        if os.path.isfile(full) and os.path.getsize(full) > limit:
            raise TooLarge(f"{path} is larger than {limit:,} bytes", "make it smaller")
        try:
            return fsio.read(full, limit, binary=True)
        except WorkspaceError as error:
            said = (words.replace(str(full), path) for words in (error.message, error.hint))
            raise WorkspaceError(*said) from error

    def before(self, path: str) -> bytes | None:
        if self._repo is None:
            return None
        name = f"HEAD:{self._repo.prefix(self._root)}{path}"
        oid = self._repo.run("rev-parse", "-q", "--verify", name, ok=(0, 1, 128)).decode().strip()
        if not oid:
            return None
        with self._repo.objects() as objects:
            return objects.text(oid, path)

    def rev(self, path: str) -> str:
        return self._revs.get(path, "")

    @cached_property
    def _revs(self) -> dict[str, str]:
        return worktree_revs(self._root, [path for path in self.paths if path.endswith(".md")])

    def link(self, path: str) -> str | None:
        full = os.path.join(self._root, path)
        return os.readlink(full) if os.path.islink(full) else None

    def alien(self, path: str) -> bool:
        full = os.path.join(self._root, path)
        return os.path.islink(full) or os.path.lexists(os.path.join(full, ".git"))

    def exists(self, path: str) -> bool:
        if path in self.paths:
            return True
        skipped = any(_hidden(part) for part in path.split("/")) or self.alien(path.split("/", 1)[0])
        return skipped and os.path.lexists(os.path.join(self._root, path))

    def ignored(self, paths: Iterable[str]) -> dict[str, str]:
        if self._repo is None:
            return {}
        prefix = self._repo.prefix(self._root)
        return {path[len(prefix) :]: rule for path, rule in self._repo.ignored(prefix + path for path in paths).items()}

    def left_out(self, path: str) -> bool:
        return False

    @cached_property
    def _repo(self) -> Repo | None:
        try:
            return Repo.find(self._root)
        except GitError:
            return None


def worktree(ws: Workspace, families: Sequence[Family] = (), *, known: bool = True, where: str = "") -> Report:
    """Judge the workspace on disk. With `known` the findings of its baseline are only counted.

    `where` is how its folder is reached from where paths are shown ("" or with a slash at its end).

    Raises WorkspaceError or GitError where it cannot be read.
    """
    if (ws.root / ws.config.index.path).is_dir():
        raise WorkspaceError(f"{ws.config.index.path} is a folder, not a file", "rename the folder")
    subject = Subject(WorkTree(ws), ws.config, ws.layout, lambda: ws.now().date(), where.rstrip("/"))
    found = judge(subject, families)
    count = 0
    if found and known:
        found, count = baseline.apply(found, _known(ws))
    return Report(where, "", tuple(found), count)


def _known(ws: Workspace) -> Counter[tuple[str, str, str]]:
    path = ws.config.check.baseline
    if not path or not ws.path(path).exists():
        return Counter()
    return baseline.read(fsio.read(ws.path(path)), path)


def _hidden(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED
