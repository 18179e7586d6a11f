"""Vectors by chance, under the default model's name: searching them costs what searching real ones does."""

from __future__ import annotations

from typing import Any

DIMENSION = 384


class Chance:
    """An embedder that embeds nothing."""

    identity = "all-MiniLM-L6-v2-int8/384/plain"
    dimension = DIMENSION

    def embed_documents(self, texts: Any) -> Any:
        """Rows of length 1."""
        import numpy as np

        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), DIMENSION)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Any:
        """A row of length 1."""
        return self.embed_documents([text])[0]
