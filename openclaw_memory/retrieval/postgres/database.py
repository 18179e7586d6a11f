"""The connection: PGVectorStore for the passages, one table for the files, an advisory lock for a workspace's writer.

Everything that goes into one of PGVectorStore's filters is a name of our own making (letters and digits): it writes
filter values into the SQL text as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from openclaw_memory.errors import MissingExtraError, RetrievalError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from llama_index.vector_stores.postgres import PGVectorStore
    from sqlalchemy.engine import Connection

    from openclaw_memory.workspace import Workspace

_FILES = """
CREATE TABLE IF NOT EXISTS openclaw_memory_files (
    model text NOT NULL, agent text NOT NULL, workspace text NOT NULL, collection text NOT NULL, path text NOT NULL,
    doc text NOT NULL UNIQUE, hash text NOT NULL, stat text NOT NULL, shared boolean NOT NULL, body text NOT NULL,
    kind text NOT NULL, tags text NOT NULL, date text NOT NULL,
    PRIMARY KEY (model, agent, workspace, collection, path)
)
"""


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
        self.store = _store(self._url, f"openclaw_memory_{self.model}", dimension)

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
        return f"data_openclaw_memory_{self.model}"

    @property
    def mine(self) -> dict[str, object]:
        """What the rows of this workspace's files are found by."""
        return {"model": self.model, "agent": self.agent, "workspace": self.workspace}

    @property
    def address(self) -> str:
        """Where it is, without the password."""
        from sqlalchemy.engine import make_url

        return make_url(self._url).render_as_string(hide_password=True)

    def held(self) -> tuple[int, int]:
        """The bytes of the table of passages, and how many of them are this workspace's."""
        sql = (
            f"SELECT pg_total_relation_size('{self.table}'), count(*) FROM {self.table}"
            " WHERE metadata_->>'owner' = :owner AND metadata_->>'workspace' = :workspace"
        )
        ((size, count),) = self.run(sql, {"owner": self.owner, "workspace": self.workspace})
        return int(size), int(count)

    def doc(self, collection: str, path: str) -> str:
        """The id of a file of this workspace."""
        return token(self.model, self.agent, self.workspace, collection, path)

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """One transaction on the table of files. Raises RetrievalError where the server cannot be reached."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self.store._initialize()  # makes the tables; PGVectorStore offers no public way
            with self.store.client.begin() as connection:
                connection.exec_driver_sql(_FILES)
                yield connection
        except SQLAlchemyError as error:
            raise unreachable(self._url, error) from error

    @contextmanager
    def writing(self) -> Iterator[bool]:
        """Hold the writer's lock of this workspace; False where another process holds it. Dies with its connection."""
        from sqlalchemy import text
        from sqlalchemy.exc import SQLAlchemyError

        number = int(token(self.model, self.agent, self.workspace)[1:16], 16)
        try:
            self.store._initialize()
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

    def close(self) -> None:
        """Give the connections back."""
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
    rest = url.split("://", 1)[1]
    return PGVectorStore.from_params(
        connection_string=f"postgresql+psycopg2://{rest}",
        async_connection_string=f"postgresql+asyncpg://{rest}",
        table_name=table,
        embed_dim=dimension,
        hybrid_search=True,
        text_search_config="simple",
        create_engine_kwargs={"pool_pre_ping": True},
    )
