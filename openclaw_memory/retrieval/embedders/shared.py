"""One model for several threads, one of which computes vectors behind the others and can be told to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from openclaw_memory.errors import ModelError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders.base import Embedder, Vectors

_AT_ONCE = 4
_PAUSE = 0.005


class Shared:
    """An embedder for several threads: models share buffers between calls. A query goes before the next documents."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._waiting = 0
        self._stopped = False
        self.identity = embedder.identity
        self.dimension = embedder.dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. A few at a time, so that nobody waits for many. Raises ModelError after `stop`."""
        import numpy as np

        parts = []
        for at in range(0, max(1, len(texts)), _AT_ONCE):
            while self._waiting and not self._stopped:
                time.sleep(_PAUSE)
            if self._stopped:
                raise ModelError("the process ends before these vectors are computed", "the next one computes them")
            with self._lock:
                parts.append(self._embedder.embed_documents(texts[at : at + _AT_ONCE]))
        return np.concatenate(parts)

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`."""
        self._waiting += 1
        try:
            with self._lock:
                return self._embedder.embed_query(text)
        finally:
            self._waiting -= 1

    def warm(self) -> None:
        """What the embedder does while nobody waits, where it has something to do then."""
        with self._lock:
            getattr(self._embedder, "warm", lambda: None)()

    def stop(self) -> None:
        """Compute no more documents. A process that ends while a model runs in a thread of it is aborted."""
        self._stopped = True
