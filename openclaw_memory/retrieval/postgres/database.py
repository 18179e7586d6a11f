"""One database as a workspace sees it: PGVectorStore for the passages, `schema`'s tables, locks for its writers.

Everything that names a table or goes into PGVectorStore's filters is a name of our own making (letters and digits).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Any

from openclaw_memory.errors import MissingExtraError, RetrievalError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.postgres import connection, schema
from openclaw_memory.retrieval.vectors import unrelated
from openclaw_memory.shown import without_passwords

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode
    from llama_index.vector_stores.postgres import PGVectorStore

    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.postgres.connection import Values
    from openclaw_memory.workspace import Workspace

_ready: set[tuple[str, str]] = set()
"""Addresses and tables that were looked at, for the life of the process."""
_stores: dict[tuple[str, str], PGVectorStore] = {}
_baselines: dict[tuple[str, str], float] = {}
_preparing = Lock()


def token(*parts: str) -> str:
    """A name for `parts` that is safe in any SQL text: `n` and 24 hex digits."""
    joined = "\0".join(parts).encode("utf-8", "surrogateescape")
    return "n" + hashlib.blake2b(joined, digest_size=12).hexdigest()


class Database:
    """The database of `ws`, with the passages for the model `identity`. Connects when first used.

    Every method that does raises RetrievalError where the server cannot be reached or refuses.
    """

    def __init__(self, ws: Workspace, identity: str, dimension: int) -> None:
        self.agent = ws.config.retrieval.agent
        self.workspace = token(str(ws.root.resolve()))
        self.identity = identity
        self.model = token(identity)
        self.dimension = dimension
        self._url = ws.config.retrieval.store
        self._name = f"openclaw_memory_{self.model}"
        self._key = (self._url, self._name)
        self._pool = connection.pool(self._url)

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
        return without_passwords(self._url)

    def doc(self, collection: str, path: str) -> str:
        """The id of a file of this workspace."""
        return token(self.model, self.agent, self.workspace, collection, path)

    def run(self, sql: str, values: Values | None = None) -> list[tuple[Any, ...]]:
        """The rows of one statement, which is a transaction of its own."""
        with self._prepared():
            return self._pool.run(sql, values)

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """A cursor in a transaction, which is committed in the end."""
        with self._prepared(), self._pool.transaction() as cursor:
            yield cursor

    @contextmanager
    def _prepared(self) -> Iterator[None]:
        self._prepare()
        try:
            yield
        except RetrievalError:
            _ready.discard(self._key)  # somebody may have dropped the tables
            raise

    def writing(self) -> AbstractContextManager[bool]:
        """Hold the lock of those who index this workspace; False where another process holds it."""
        return self._locked(self.model, self.agent, self.workspace, "files")

    def embedding(self) -> AbstractContextManager[bool]:
        """The same for those who compute its vectors."""
        return self._locked(self.model, self.agent, self.workspace, "vectors")

    def indexing(self) -> AbstractContextManager[bool]:
        """The same for those who make an index of all vectors in the table."""
        return self._locked(self.model, "index")

    def alone(self, *statements: str) -> None:
        """Run what no transaction takes: VACUUM, CREATE INDEX CONCURRENTLY."""
        with self._pool.connection(autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def vacuum(self, *tables: str) -> None:
        """Give the space of what was deleted back, and count what there is."""
        self.alone(*(f"VACUUM (ANALYZE) {table}" for table in tables))

    @property
    def store(self) -> PGVectorStore:
        """LlamaIndex's store of the passages, for what writes them."""
        if self._key not in _stores:
            _stores[self._key] = _store(self._url, self._name, self.dimension)
        return _stores[self._key]

    def add(self, nodes: list[TextNode]) -> None:
        """Put passages into PGVectorStore's table."""
        from sqlalchemy.exc import SQLAlchemyError

        self._prepare()
        try:
            self.store.add(list(nodes))
        except SQLAlchemyError as error:
            raise connection.failed(self._url, error) from error

    def baseline(self, embedder: Embedder) -> float:
        """The cosine that this model gives to what has nothing in common; reckoned once for each database."""
        if self._key not in _baselines:
            name = f"baseline {self.model}"
            read = "SELECT value FROM openclaw_memory_meta WHERE key = %(name)s"
            if not (rows := self.run(read, {"name": name})):
                write = "INSERT INTO openclaw_memory_meta VALUES (%(name)s, %(value)s) ON CONFLICT DO NOTHING"
                self.run(write, {"name": name, "value": repr(unrelated(embedder))})
                rows = self.run(read, {"name": name})
            _baselines[self._key] = float(rows[0][0])
        return _baselines[self._key]

    def close(self) -> None:
        """Give the connections back; the next use opens others."""
        self._pool.close()
        store = _stores.get(self._key)
        if store is not None and store.client is not None:
            store.client.dispose()

    def _locked(self, *what: str) -> AbstractContextManager[bool]:
        self._prepare()
        return self._pool.locked(int(token(*what)[1:16], 16))

    def _prepare(self) -> None:
        """Make or upgrade the tables, once a process."""
        with _preparing:
            if self._key in _ready:
                return
            with self._pool.transaction() as cursor:
                current = schema.is_current(cursor, self.table)
            if not current:
                self._make()
            _ready.add(self._key)

    def _make(self) -> None:
        store = self.store
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._pool.transaction() as cursor:
                schema.lock(cursor)
                schema.prepare(cursor)
            with (
                self._pool.transaction() as cursor
            ):  # another one: the store makes its table on a connection of its own
                schema.lock(cursor)
                store._is_initialized = False  # the table may have been dropped since
                store._initialize()  # makes it; PGVectorStore offers no public way
                schema.prepare_passages(cursor, self.table)
        except SQLAlchemyError as error:
            raise connection.failed(self._url, error) from error


def _store(url: str, table: str, dimension: int) -> PGVectorStore:
    try:
        from llama_index.vector_stores.postgres import PGVectorStore
    except ImportError as error:
        raise MissingExtraError("retrieval.store: postgresql", "postgres") from error
    made = PGVectorStore.from_params(
        connection_string=_driver(url, "psycopg2"),
        async_connection_string=_driver(url, "asyncpg"),
        table_name=table,
        embed_dim=dimension,
        hybrid_search=True,
        text_search_config="simple",
        create_engine_kwargs={"pool_pre_ping": True},
    )
    made.initialization_fail_on_error = True
    return made


def _driver(url: str, name: str) -> str:
    return f"postgresql+{name}://{url.split('://', 1)[1]}"
