"""A file as it is to be written: what its row says, and its passages. Reads the file, and nothing of the database."""

from __future__ import annotations

import json

from openclaw_memory import fsio
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import read
from openclaw_memory.retrieval.identity import Stat, content_hash
from openclaw_memory.retrieval.index import Source, describe
from openclaw_memory.retrieval.kinds import kind_of
from openclaw_memory.retrieval.postgres import nodes
from openclaw_memory.retrieval.postgres.difference import Row, Work
from openclaw_memory.retrieval.postgres.rows import plain, stat_text, stored
from openclaw_memory.retrieval.postings import WHOLE

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_NOTHING: dict[str, object] = {
    **dict.fromkeys(("title", "body", "kind", "tags", "date"), ""),
    "names": "[]",
    "chunks": 0,
    "passages": 0,
}


class Draft(Record):
    """`says` is what its row has beside what every row has; a file with a `problem` has nothing to say."""

    collection: str
    path: str
    stat: Stat
    hash: str
    shared: bool
    says: dict[str, object] = _NOTHING
    passages: tuple[nodes.Passage, ...] = ()
    problem: str = ""
    same: bool = False
    """What is known of it is still true."""

    @property
    def file(self) -> dict[str, str]:
        """What each passage says of its file."""
        title = str(self.says["title"])
        return {"collection": self.collection, "path": stored(self.path), "title": title, "hash": self.hash}

    @property
    def row(self) -> dict[str, object]:
        """Its row, but whose it is."""
        whole = {"shared": self.shared, "stat": stat_text(self.stat), "problem": plain(self.problem)}
        return {**self.says, **self.file, **whole}


def draft(ws: Workspace, work: Work, known: Row | None, shared: bool, force: bool) -> Draft:
    """The file of `work`; read as a whole only where it says something else than is `known`, or with `force`."""
    collection, path = work.collection, work.found.path
    stat = work.found.stat._replace(racy=fsio.is_racy(work.found.stat.mtime_ns, fsio.clock()))
    one = Draft(collection.name, path, stat, "", shared)
    try:
        data = read.content(collection, path)
        one = one._replace(hash=content_hash(data))
        if known and (known.hash, known.shared, known.problem) == (one.hash, shared, "") and not force:
            return one._replace(same=True)
        text = plain(read.decode(data, path))
        page = read.page_of(text, path)
    except read.Refused as error:
        return one._replace(problem=error.message)
    source = Source(collection.name, path, stat, one.hash, kind_of(ws, collection, path), page)
    told = describe(source)
    made = tuple(nodes.passages(page, source, told))
    says = {
        "title": plain(told.title),
        "body": text,
        "kind": source.kind,
        "tags": told.tags,
        "date": told.date,
        "names": json.dumps(told.names),
        "chunks": len(page.chunks),
        "passages": sum(part.chunk != WHOLE for part in made),
    }
    return one._replace(says=says, passages=made)
