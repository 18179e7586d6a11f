"""Which files a user's own queries should find: names as `get` takes them, or a part of a path, which may fit several.

A file is known by where it is on disk, so that one which lies in two collections is found in either.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval import paths
from openclaw_memory.retrieval.addressed import Files, Name, files_of, forms, lent, readings, resolve
from openclaw_memory.retrieval.collections import DATABASE

if TYPE_CHECKING:
    from openclaw_memory.retrieval.hits import Hit
    from openclaw_memory.workspace import Workspace

Places = frozenset[str]


class Expected:
    """The files of an index by what users call them."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._found = folders.load(ws)
        self._files: Files = files_of(ws, self._found)
        self._roots = {one.name: one.root for one in self._found.all}
        self._lent = cache(partial(lent, ws))
        self.places = cache(self._places)

    def _places(self, wanted: str) -> Places:
        """Where what `wanted` names is; none where it names nothing that the index has."""
        for name, *_ in readings(wanted):
            if one := self._exactly(name):
                return self._of([one])
            own = self._of(one for one, _ in self._files if any(name in form for form in forms(self._ws, one)))
            if found := own or self._of(one for one, digest in self._lent() if self._is(one, digest, name)):
                return found
        return frozenset()

    def _exactly(self, name: str) -> Name | None:
        try:
            one = resolve(self._ws, self._found, name, lambda: self._files)
        except UsageError:  # it fits several
            return None
        return one if one is not None and any(one == known for known, _ in self._files) else None

    @staticmethod
    def _is(one: Name, digest: str, wanted: str) -> bool:
        """Whether a file of another agent's is meant: by its address, its id, or a part of its path."""
        named = wanted.removeprefix("#")
        return wanted in paths.address(one.collection.name, one.path) or (len(named) > 5 and digest.startswith(named))

    def _of(self, names: Iterable[Name]) -> Places:
        return frozenset(
            paths.address(one.collection.name, one.path)
            if one.collection.source == DATABASE
            else str((one.collection.root / one.path).resolve())
            for one in names
        )

    def place(self, hit: Hit) -> str:
        """Where the file of a hit is."""
        return hit.file if hit.agent else str((self._roots[hit.collection] / hit.path).resolve())
