"""The connection: PGVectorStore for the passages, `schema`'s tables, an advisory lock for a workspace's writer.

Everything that goes into one of PGVectorStore's filters is a name of our own making (letters and digits): it writes
filter values into the SQL text as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

from openclaw_memory.errors import MissingExtraError, RetrievalError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.postgres import schema
from openclaw_memory.retrieval.vectors import unrelated

if TYPE_CHECKING:
    from llama_index.vector_stores.postgres import PGVectorStore
    from sqlalchemy.engine import Connection

    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.workspace import Workspace

_ready: set[tuple[str, str]] = set()
_stores: dict[tuple[str, str], PGVectorStore] = {}
"""By address and table, for the life of the process: to connect and to look at the tables costs more than a query."""
_preparing = Lock()


def token(*parts: str) -> str:
    """A name for `parts` that is safe in any SQL text: `n` and 24 hex digits."""
    joined = "\0".join(parts).encode("utf-8", "surrogateescape")
    return "n" + hashlib.blake2b(joined, digest_size=12).hexdigest()


class Database:
    """One database as one workspace of one agent sees it. Connects when first used. Raises RetrievalError."""

    def __init__(self, ws: Workspace, identity: str, dimension: int) -> None:
        self.agent = ws.config.retrieval.agent
        self.workspace = self.name_of(ws)
        self.model = token(identity)
        self._url = ws.config.retrieval.store
        self._name = f"openclaw_memory_{self.model}"
        self._key = (self._url, self._name)
        with _preparing:
            if self._key not in _stores:
                _stores[self._key] = _store(self._url, self._name, dimension)
        self.store = _stores[self._key]

    @staticmethod
    def name_of(ws: Workspace) -> str:
        """The workspace's name as filters take it."""
        return token(str(ws.root.resolve()))

    @property
    def owner(self) -> str:
        """The agent's name as filters take it."""
        return token(self.agent)

    @property
    def table(self) -> str:
        """The table of passages, as PGVectorStore calls it."""
        return f"data_{self._name}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells it from other views of databases."""
        return (*self._key, self.agent, self.workspace)

    @property
    def mine(self) -> dict[str, object]:
        """What the rows of this workspace's files are found by."""
        return {"model": self.model, "agent": self.agent, "workspace": self.workspace}

    @property
    def address(self) -> str:
        """Where it is, without the password."""
        from sqlalchemy.engine import make_url

        return make_url(self._url).render_as_string(hide_password=True)

    def held(self) -> tuple[int, int, int]:
        """The bytes of the table of passages; of this workspace's, how many chunks and how many passages they are."""
        sql = (
            "SELECT pg_total_relation_size(CAST(:table AS regclass)), (SELECT COALESCE(SUM(chunks), 0)"
            " FROM openclaw_memory_files WHERE model = :model AND agent = :agent AND workspace = :workspace),"
            f" (SELECT COUNT(*) FROM {self.table} WHERE metadata_->>'owner' = :owner"
            " AND metadata_->>'workspace' = :workspace AND metadata_->>'first' IS NOT NULL)"
        )
        ((size, chunks, passages),) = self.run(sql, {**self.mine, "owner": self.owner, "table": self.table})
        return int(size), int(chunks), int(passages)

    def doc(self, collection: str, path: str) -> str:
        """The id of a file of this workspace."""
        return token(self.model, self.agent, self.workspace, collection, path)

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """One transaction. Raises RetrievalError where the server cannot be reached, or is of a newer version."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self._prepare()
            with self.store.client.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise unreachable(self._url, error) from error

    def _prepare(self) -> None:
        """Make or upgrade the tables, once a process: in one transaction, which a second starter waits for."""
        from sqlalchemy import NullPool, create_engine

        with _preparing:
            if self._key in _ready:
                return
            with create_engine(_driver(self._url, "psycopg2"), poolclass=NullPool).begin() as connection:
                schema.prepare(connection)
                self.store._initialize()  # makes its table; PGVectorStore offers no public way
            _ready.add(self._key)

    @contextmanager
    def writing(self) -> Iterator[bool]:
        """Hold the writer's lock of this workspace; False where another process holds it. Dies with its connection."""
        from sqlalchemy import text
        from sqlalchemy.exc import SQLAlchemyError

        number = int(token(self.model, self.agent, self.workspace)[1:16], 16)
        try:
            self._prepare()
            with self.store.client.connect() as connection:
                got = connection.execute(text("SELECT pg_try_advisory_lock(:n)"), {"n": number}).scalar_one()
                try:
                    yield bool(got)
                finally:
                    if got:
                        connection.execute(text("SELECT pg_advisory_unlock(:n)"), {"n": number})
        except SQLAlchemyError as error:
            raise unreachable(self._url, error) from error

    def run(self, sql: str, values: Mapping[str, object]) -> list[Any]:
        """The rows of one statement, in a transaction of its own."""
        from sqlalchemy import text

        with self.session() as connection:
            result = connection.execute(text(sql), dict(values))
            return list(result) if result.returns_rows else []

    def baseline(self, embedder: Embedder) -> float:
        """The cosine that this model gives to what has nothing in common; reckoned once for each database."""
        name = f"baseline {self.model}"
        read = "SELECT value FROM openclaw_memory_meta WHERE key = :name"
        if not (rows := self.run(read, {"name": name})):
            write = "INSERT INTO openclaw_memory_meta VALUES (:name, :value) ON CONFLICT DO NOTHING"
            self.run(write, {"name": name, "value": repr(unrelated(embedder))})
            rows = self.run(read, {"name": name})
        return float(rows[0][0])

    def close(self) -> None:
        """Give the connections back; the next use opens others."""
        if self.store.client is not None:
            self.store.client.dispose()


def unreachable(url: str, error: Exception) -> RetrievalError:
    """What to say when the database does not answer; the password is not said."""
    from sqlalchemy.engine import make_url

    reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    where = make_url(url).render_as_string(hide_password=True)
    return RetrievalError(f"the database {where} failed: {reason}", "check retrieval.store, and that the server runs")


def _store(url: str, table: str, dimension: int) -> PGVectorStore:
    try:
        from llama_index.vector_stores.postgres import PGVectorStore
    except ImportError as error:
        raise MissingExtraError("retrieval.store: postgresql", "postgres") from error
    return PGVectorStore.from_params(
        connection_string=_driver(url, "psycopg2"),
        async_connection_string=_driver(url, "asyncpg"),
        table_name=table,
        embed_dim=dimension,
        hybrid_search=True,
        text_search_config="simple",
        create_engine_kwargs={"pool_pre_ping": True},
    )


def _driver(url: str, name: str) -> str:
    return f"postgresql+{name}://{url.split('://', 1)[1]}"
