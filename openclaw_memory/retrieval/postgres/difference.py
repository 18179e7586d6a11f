"""What differs between the disk and the rows of one workspace. Reads only."""

from __future__ import annotations

from openclaw_memory import fsio
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval import read
from openclaw_memory.retrieval.collections import Collection
from openclaw_memory.retrieval.identity import Stat, content_hash
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.postgres.rows import restored, stat_of
from openclaw_memory.retrieval.report import CollectionStatus
from openclaw_memory.retrieval.scan import Difference, Found, scan

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_ROWS = """
SELECT collection, path, hash, stat, shared, problem FROM openclaw_memory_files
WHERE model = %(model)s AND agent = %(agent)s AND workspace = %(workspace)s
"""


class Row(Record):
    """What the database knows of a file."""

    hash: str
    stat: Stat
    shared: bool
    problem: str


class Work(Record):
    """A file to look into."""

    collection: Collection
    found: Found


class Look:
    """What differs between the disk and the rows. Reads only, and files that are in doubt (`racy`) as well."""

    def __init__(self, ws: Workspace, database: Database, force: bool = False) -> None:
        self._shared = ws.config.retrieval.shared
        rows = database.run(_ROWS, database.mine)
        self.known = {
            (name, restored(path)): Row(digest, stat_of(stat), shared, problem)
            for name, path, digest, stat, shared, problem in rows
        }
        self.looked_at = fsio.clock()
        self.differences = [scan(None, one) for one in folders.load(ws).all]
        self.touched: dict[tuple[str, str], Stat] = {}
        """Files that turned out to be the same, and need no second look any more."""
        names = {one.collection.name for one in self.differences}
        self.gone = sorted(key for key in self.known if key[0] not in names)
        self.work: list[Work] = []
        for difference in self.differences:
            self.gone += sorted(self._gone(difference))
            self.work += [
                Work(difference.collection, one)
                for one in difference.found
                if force or not self._same(difference.collection, one)
            ]

    @property
    def same(self) -> int:
        """Files that need not be read."""
        return len(self.known) - len(self.gone) - sum((c.name, f.path) in self.known for c, f in self.work)

    @property
    def missing(self) -> tuple[str, ...]:
        """What could not be walked, and why."""
        return tuple(problem for one in self.differences for problem in one.problems)

    def standing(self, seen: Difference) -> CollectionStatus:
        """One collection: its files in the database, and how many differ on disk."""
        one = seen.collection
        held = sum(name == one.name for name, _ in self.known)
        changed = sum(work.collection is one for work in self.work)
        pending = len(self._gone(seen)) + changed
        problem = "; ".join(seen.problems)
        return CollectionStatus(one.name, str(one.root), one.mask, one.included, held, pending, seen.links, problem)

    def is_shared(self, collection: Collection) -> bool:
        """Whether the config lets others read it."""
        return collection.name in self._shared

    def _gone(self, seen: Difference) -> set[tuple[str, str]]:
        name, there = seen.collection.name, {found.path for found in seen.found}
        return {key for key in self.known if key[0] == name and key[1] not in there and not seen.hides(key[1])}

    def _same(self, collection: Collection, one: Found) -> bool:
        key = collection.name, one.path
        row = self.known.get(key)
        if row is None or (row.stat._replace(racy=False), row.shared) != (one.stat, self.is_shared(collection)):
            return False
        if row.stat.racy:
            try:
                if content_hash(read.content(collection, one.path)) != row.hash:
                    return False
            except read.Refused:
                if not row.problem:
                    return False
            if not fsio.is_racy(one.stat.mtime_ns, self.looked_at):
                self.touched[key] = one.stat
        return True


def standing(ws: Workspace, database: Database) -> tuple[CollectionStatus, ...]:
    """How the rows of each collection stand to the disk. Reads only."""
    look = Look(ws, database)
    return tuple(look.standing(one) for one in look.differences)


def problems(database: Database) -> tuple[str, ...]:
    """The files that cannot be read, as `collection/path: why`."""
    rows = sorted(database.run(_ROWS, database.mine))
    return tuple(f"{name}/{restored(path)}: {problem}" for name, path, _, _, _, problem in rows if problem)
