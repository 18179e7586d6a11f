"""What git lists, parsed: a tree's entries and the differences of two trees. Pure functions over bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from openclaw_memory.git.process import to_text
from openclaw_memory.record import Record

LINK, SUBMODULE = "120000", "160000"


class Blob(Record):
    """One entry of a tree: `mode` in git's six octal digits, `oid` in full."""

    mode: str
    oid: str


class Delta(Record):
    """One path that differs between two trees. A rename is a deletion and an addition.

    `status` is git's letter (A added, D deleted, M modified, T type changed, U unmerged); modes and ids of the
    absent side are zeros.
    """

    path: str
    status: str
    before: Blob
    after: Blob

    @property
    def content(self) -> bool:
        """Whether the content differs (a change of the executable bit alone does not count)."""
        return self.status in "AD" or self.before.oid != self.after.oid


class Listing(Mapping[str, Blob]):
    """The paths of a tree, in git's order, and their blobs. Kept as text until asked for: trees are large."""

    def __init__(self, heads: dict[str, str], unmerged: tuple[str, ...] = ()) -> None:
        self._heads = heads
        self.unmerged = unmerged

    def __getitem__(self, path: str) -> Blob:
        mode, oid = self._heads[path].split(" ")[:2]
        return Blob(mode, oid)

    def __iter__(self) -> Iterator[str]:
        return iter(self._heads)

    def __len__(self) -> int:
        return len(self._heads)

    def __contains__(self, path: object) -> bool:
        return path in self._heads

    def mode(self, path: str) -> str:
        """The mode of an entry. Raises KeyError for a path that is not there."""
        return self._heads[path][:6]

    def blobs(self, oid: str) -> list[str]:
        """The paths of the entries that are the blob `oid`."""
        return [path for path, head in self._heads.items() if head.startswith(oid, 7)]

    def without(self, paths: set[str]) -> Listing:
        """This listing less `paths`."""
        kept = {path: head for path, head in self._heads.items() if path not in paths}
        return Listing(kept, self.unmerged)

    def below(self, prefix: str, inner: tuple[str, ...] = ()) -> Listing:
        """The entries below the folder `prefix` ("" or "folder/"), with paths relative to it, less the `inner` ones."""
        if not prefix and not inner:
            return self
        cut, heads = len(prefix), self._heads.items()
        inside = {path[cut:]: head for path, head in heads if path.startswith(prefix) and not path.startswith(inner)}
        return Listing(inside, tuple(path[cut:] for path in self.unmerged if path.startswith(prefix)))


def staged_listing(data: bytes) -> Listing:
    """`git ls-files -s -z` as a listing; stages 1 to 3 make a path unmerged."""
    records = [record.partition("\t") for record in to_text(data).split("\0")[:-1]]
    heads = {path: head for head, _, path in records if head[-1] == "0"}
    if len(heads) == len(records):
        return Listing(heads)
    return Listing(heads, tuple(dict.fromkeys(path for head, _, path in records if head[-1] != "0")))


def commit_listing(data: bytes) -> Listing:
    """`git ls-tree -r -z --full-tree` as a listing."""
    heads: dict[str, str] = {}
    for record in to_text(data).split("\0")[:-1]:
        head, path = record.split("\t", 1)
        mode, _, oid = head.split(" ")
        heads[path] = f"{mode} {oid}"
    return Listing(heads)


def deltas(data: bytes) -> list[Delta]:
    """`--raw -z --no-renames --full-index` output of diff-index or diff-tree."""
    fields = to_text(data).split("\0")
    found = []
    for head, path in zip(fields[0::2], fields[1::2], strict=False):
        mode, new_mode, oid, new_oid, status = head.lstrip(":").split(" ")
        found.append(Delta(path, status[0], Blob(mode, oid), Blob(new_mode, new_oid)))
    return found
