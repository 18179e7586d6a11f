"""Connections to a database, kept for the life of the process, and what to say of one that fails.

Straight through psycopg2: what a search needs is a fortieth of a second to import, SQLAlchemy and LlamaIndex, which
only writing needs, take a second and a half.
"""

from __future__ import annotations

import select
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from openclaw_memory.errors import MissingExtraError, RetrievalError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.shown import HIDDEN, SECRETS, without_passwords

if TYPE_CHECKING:
    Values = Mapping[str, object]

_MOST_IDLE = 4
_PATIENCE = {"connect_timeout": "10", "keepalives_idle": "30", "tcp_user_timeout": "30000"}
"""What libpq is told where the address does not say it: a server that is gone is noticed within half a minute."""
_ADDRESS = (
    "see that the server runs, and check retrieval.store and the password (PGPASSWORD or ~/.pgpass);"
    " nothing is lost: the next command goes on where this one stopped"
)
_HINTS = {
    "42501": "let its user create in the database: GRANT CREATE ON DATABASE and ON SCHEMA public",
    "58P01": "install pgvector on the server",
    "0A000": "install pgvector on the server",
    "25006": "name a server that takes writes in retrieval.store, not a standby",
    "53100": "free space on the server's disk; what was not written is written by the next command",
    "53300": "let the server take more connections (max_connections), or close others",
    "40P01": "run the command again",
    "42P01": "run the command again: it makes the tables anew",
}
"""By the error's SQLSTATE (PostgreSQL's documentation, appendix A)."""


class Pool:
    """The connections to the database at `url`, for all threads of this process."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = Lock()
        self._idle: list[Any] = []

    def run(self, sql: str, values: Values | None = None) -> list[tuple[Any, ...]]:
        """The rows of one statement, which is a transaction of its own: one message there and one back.

        Raises RetrievalError.
        """
        with self.connection(autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """A cursor in a transaction, which is committed in the end. Raises RetrievalError."""
        with self.connection() as connection, connection, connection.cursor() as cursor:
            yield cursor

    @contextmanager
    def connection(self, autocommit: bool = False) -> Iterator[Any]:
        """A connection of one's own for a while. Raises RetrievalError."""
        import psycopg2

        try:
            connection = self._take()
            try:
                if connection.autocommit != autocommit:
                    connection.autocommit = autocommit
                yield connection
            finally:
                self._give(connection)
        except psycopg2.Error as error:
            raise failed(self.url, error) from error

    @contextmanager
    def locked(self, number: int) -> Iterator[bool]:
        """Hold an advisory lock; False where somebody else holds it. It dies with its connection."""
        with self.connection(autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", (number,))
            got = bool(cursor.fetchone()[0])
            try:
                yield got
            finally:
                if got:
                    cursor.execute("SELECT pg_advisory_unlock(%s)", (number,))

    def close(self) -> None:
        """Close the connections that nobody uses; the next use opens others."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> Any:
        import psycopg2

        while True:
            with self._lock:
                if not self._idle:
                    break
                connection = self._idle.pop()
            if _is_alive(connection):
                return connection
            self.close()  # a server that went away took all of them
        return psycopg2.connect(self.url, **{name: value for name, value in _PATIENCE.items() if name not in self.url})

    def _give(self, connection: Any) -> None:
        import psycopg2

        if connection.closed:
            return
        with suppress(psycopg2.Error):
            if connection.info.transaction_status:
                connection.rollback()
            with self._lock:
                if len(self._idle) < _MOST_IDLE:
                    self._idle.append(connection)
                    return
        connection.close()


_pools: dict[str, Pool] = {}
_making = Lock()


def pool(url: str) -> Pool:
    """The pool of this process for `url`. Raises MissingExtraError without the driver."""
    try:
        import psycopg2  # noqa: F401 (whether it is there)
    except ImportError as error:
        raise MissingExtraError("retrieval.store: postgresql", "postgres") from error
    with _making:
        return _pools.setdefault(url, Pool(url))


def failed(url: str, error: Exception) -> RetrievalError:
    """What to say when the database does not do what it is asked; the password is not said."""
    told = getattr(error, "orig", None) or error  # SQLAlchemy wraps the driver's
    code = getattr(told, "pgcode", None) or ""
    reason = (str(told).strip() or type(told).__name__).splitlines()[0]
    for secret in _secrets(url):
        reason = reason.replace(secret, HIDDEN)
    return RetrievalError(f"the database {without_passwords(url)} failed: {reason}", _HINTS.get(code, _ADDRESS))


def _secrets(url: str) -> list[str]:
    parts = urlsplit(url)
    password = parts.netloc.rpartition("@")[0].partition(":")[2]
    given = [password, unquote(password), *(value for key, value in parse_qsl(parts.query) if key in SECRETS)]
    return [secret for secret in given if secret]


def _is_alive(connection: Any) -> bool:
    """Whether nothing came from the server since: all that it says to one who asks nothing is that it goes."""
    if connection.closed:
        return False
    try:
        return not select.select([connection.fileno()], [], [], 0)[0]
    except (OSError, ValueError):  # more descriptors than select takes, or none
        return False
