"""What legs give and what a search answers: plain values."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.paths import address

if TYPE_CHECKING:
    from typing import Protocol

    from openclaw_memory.retrieval.query import Query
    from openclaw_memory.retrieval.scope import Scope

    class Leg(Protocol):
        """One way of finding passages."""

        def __call__(self, db: sqlite3.Connection, query: Query, scope: Scope, limit: int) -> list[Candidate]:
            """The best `limit` passages inside `scope`, best first."""


CHUNK_BITS = 12
"""A file has at most 4,096 chunks: id = file << 12 | place."""
ATOM_BITS = 6
"""A chunk has at most 64 atoms: passage = chunk << 6 | place."""
PART = (1 << (ATOM_BITS + CHUNK_BITS)) - 1
"""What of a passage's number says where in its file it stands."""


class Candidate(Record):
    """A passage that a leg found. `score` is absolute, 0 to 1, and can be compared between queries."""

    passage: int
    score: float
    steps: Mapping[str, float] = {}
    """How the score came about, for `--explain`: {"bm25": 0.41, "title": 0.1, ...}."""
    exact: bool = False
    """Every term of the query, or its phrase, is in the passage: no minimum score cuts it."""


class Hit(Record):
    """One row of an answer. Lines count from 1 and are those of the file on disk."""

    collection: str
    path: str
    start_line: int
    end_line: int
    line: int
    title: str
    heading: str
    score: float
    snippet: str
    context: str
    id: str
    """`#` and 6 hex digits of the content's hash, for `get`."""
    body: str = ""
    """The whole file, where it was asked for."""
    kind: str = ""
    date: str = ""
    explain: Mapping[str, object] = {}
    part: int = 0
    """Where in its file it stands, if the passage before it lies in the same lines (facts or pieces of one line)."""
    agent: str = ""
    """The agent that shares it through a database; "" for what is this workspace's own."""

    @property
    def file(self) -> str:
        """`qmd://<collection>/<path>`, which `get` takes; `<agent>@<collection>` where another agent shares it."""
        return address(f"{self.agent}@{self.collection}" if self.agent else self.collection, self.path)


class Freshness(Record):
    """How much the answer can be trusted to be what is on disk."""

    state: str
    """`fresh`: everything on disk was looked at; `partial`: the time was over; `stale`: nothing could be written."""
    pending: int = 0
    """Files that are new or changed and not indexed yet."""
    notes: tuple[str, ...] = ()
    """Sentences for the user: missing roots, unreadable files, who holds the lock."""
    unwritable: bool = False
    """Whether the index cannot be written: a read-only folder, a full disk."""


class Answer(Record):
    """What a search gives."""

    hits: tuple[Hit, ...]
    fresh: Freshness
    legs: tuple[str, ...] = ("lexical",)
    notes: tuple[str, ...] = ()
    """Sentences for the user, said once: no embedder, a leg that is paused, a filter that means nothing."""
