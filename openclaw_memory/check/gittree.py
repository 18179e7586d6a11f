"""One workspace in git: in the staged tree or in a commit. Reads blobs; of the disk only what git left there."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from openclaw_memory.errors import GitError
from openclaw_memory.git import Blob, Delta, Listing, Objects, Repo, rev6
from openclaw_memory.git.trees import LINK, SUBMODULE
from openclaw_memory.subject import Kind, Status

LIMIT = 8 << 20  # bytes of a file that a rule reads; a memory file is a few kilobytes
FACTS_LIMIT = 64 << 20  # facts files are for programs, and may hold 100,000 facts


def limit_of(path: str) -> int:
    """How many bytes of `path` a rule reads at most."""
    return FACTS_LIMIT if path.endswith((".json", ".jsonl", ".yaml", ".yml")) else LIMIT


class GitTree:
    """A `Tree` (see `subject`) over a listing and the changes that led to it, both relative to the workspace."""

    def __init__(
        self,
        repo: Repo,
        objects: Objects,
        prefix: str,
        listing: Listing,
        deltas: Sequence[Delta],
        *,
        kind: Kind,
        merge: bool,
    ) -> None:
        self.kind = kind
        self.merge = merge
        self._repo = repo
        self._objects = objects
        self._prefix = prefix
        self._listing = listing
        self._deltas = {delta.path: delta for delta in deltas if delta.content}

    @property
    def paths(self) -> Collection[str]:
        return self._listing

    @property
    def changes(self) -> Mapping[str, Status]:
        return {path: _status(delta) for path, delta in self._deltas.items()}

    def read(self, path: str) -> bytes:
        if path not in self._listing:
            raise GitError(f"{self._prefix}{path} is not in this tree")
        return self._text(self._listing[path], path)

    def before(self, path: str) -> bytes | None:
        delta = self._deltas.get(path)
        if delta is None:
            return self._text(self._listing[path], path) if path in self._listing else None
        return None if delta.status == "A" else self._text(delta.before, path)

    def rev(self, path: str) -> str:
        blob = self._listing[path]
        if blob.mode == SUBMODULE:
            return ""
        return blob.oid[:6] if self._repo.format == "sha1" else rev6(self._objects.raw(blob.oid))

    def link(self, path: str) -> str | None:
        blob = self._listing.get(path)
        if blob is None or blob.mode != LINK:
            return None
        return self._objects.raw(blob.oid, LIMIT).decode(errors="surrogateescape")

    def alien(self, path: str) -> bool:
        modes = {delta.before.mode for delta in (self._deltas.get(path),) if delta}
        if path in self._listing:
            modes.add(self._listing.mode(path))
        return not modes.isdisjoint((LINK, SUBMODULE))

    def exists(self, path: str) -> bool:
        if path in self._listing:
            return True
        cut = path.rfind("/")
        while cut > 0:
            if path[:cut] in self._listing:
                return self._listing.mode(path[:cut]) == SUBMODULE
            cut = path.rfind("/", 0, cut)
        return False

    def ignored(self, paths: Iterable[str]) -> dict[str, str]:
        cut = len(self._prefix)
        found = self._repo.ignored([self._prefix + path for path in paths])
        there = os.path.join(self._repo.top, self._prefix)  # of what is nowhere no rule is to blame
        return {path[cut:]: rule for path, rule in found.items() if os.path.lexists(os.path.join(there, path[cut:]))}

    def left_out(self, path: str) -> bool:
        here = os.path.join(self._repo.top, self._prefix + path)
        return self.kind == "staged" and path not in self._listing and os.path.isfile(here)

    def _text(self, blob: Blob, path: str) -> bytes:
        if blob.mode == SUBMODULE:
            return b""
        if blob.mode == LINK:
            return self._objects.raw(blob.oid, LIMIT)
        return self._objects.text(blob.oid, self._prefix + path, limit_of(path))


def _status(delta: Delta) -> Status:
    return "A" if delta.status == "A" else "D" if delta.status == "D" else "M"
