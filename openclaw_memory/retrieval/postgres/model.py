"""Which model's passages a search looks at, known without loading the model; loaded where a vector is needed.

Our own models say it themselves; what an endpoint or a folder holds only they know, so the database remembers it by
what the config calls them. Without a model a workspace has passages for words alone.
"""

from __future__ import annotations

import json
from functools import cached_property

from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import embedders
from openclaw_memory.retrieval.postgres import connection, schema
from openclaw_memory.retrieval.postgres.database import Database, token

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.workspace import Workspace

_WORDS_ONLY = "words", 1
_READ = "SELECT value FROM openclaw_memory_meta WHERE key = %(key)s"
_WRITE = """
INSERT INTO openclaw_memory_meta VALUES (%(key)s, %(value)s) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""

_known: dict[tuple[str, str], tuple[str, int]] = {}
"""What databases remember, as far as this process has seen it."""


class Model:
    """The model of a workspace: `embedder`, or the config's. Raises RetrievalError where the database is away."""

    def __init__(self, ws: Workspace, embedder: Embedder | None = None) -> None:
        self._ws = ws
        self._loaded = embedder
        self.why_not = ""
        """Why there is none."""

    @cached_property
    def database(self) -> Database:
        """The database with this model's passages."""
        return Database(self._ws, *self._identity())

    @cached_property
    def _choice(self) -> embedders.Choice:
        return embedders.choose(self._ws.config.retrieval.embedder)

    @property
    def is_there(self) -> bool:
        """Whether the config has one, as far as can be said without loading it."""
        if self._loaded is None and not self._choice.name:
            self.why_not = self._choice.reason
        return not self.why_not

    def embedder(self) -> Embedder | None:
        """The model itself, or None (see `why_not`). What it says of itself counts, whatever was known of it before."""
        if self._loaded is None and self.is_there:
            try:
                self._loaded = embedders.load(self._ws.config.retrieval)
            except OpenClawMemoryError as error:
                self.why_not = error.message
            else:
                self.__dict__.pop("database", None)
        return self._loaded

    def _identity(self) -> tuple[str, int]:
        told = embedders.stated(self._choice.name)
        if self._loaded is not None:
            found = self._loaded.identity, self._loaded.dimension
            if not told and self._choice.name:
                self._remember(found)
            return found
        if told or not self._choice.name:
            return told or _WORDS_ONLY
        return self._remembered() or (self._identity() if self.embedder() is not None else _WORDS_ONLY)

    @property
    def _key(self) -> str:
        config = self._ws.config.retrieval
        return f"embedder {token(config.embedder, config.model, config.endpoint)}"

    def _remembered(self) -> tuple[str, int] | None:
        with connection.pool(self._ws.config.retrieval.store).transaction() as cursor:
            if not schema.is_current(cursor):
                return None
            cursor.execute(_READ, {"key": self._key})
            row = cursor.fetchone()
        if row is None:
            return None
        identity, dimension = json.loads(row[0])
        return str(identity), int(dimension)

    def _remember(self, found: tuple[str, int]) -> None:
        name = self._ws.config.retrieval.store, self._key
        if _known.get(name) != found and self._remembered() != found:
            Database(self._ws, *found).run(_WRITE, {"key": self._key, "value": json.dumps(found)})
        _known[name] = found
