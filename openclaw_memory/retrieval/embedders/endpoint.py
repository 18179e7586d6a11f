"""Embeddings from an OpenAI-compatible endpoint (`POST {url}/embeddings`), with nothing but the standard library.

The key comes from the environment variable the config names, never from a file. No default address: without one
in a trusted config nothing is ever sent anywhere.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.embedders.base import clean

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders.base import Vectors

BATCH = 64  # texts a request
TRIES = 3


class EndpointError(OpenClawMemoryError):
    """The embeddings endpoint did not answer, or not with vectors."""


class Endpoint:
    """`model` at `url` (its part before `/embeddings`); the dimension is learnt from one probe."""

    def __init__(self, url: str, model: str, key_env: str = "", timeout: float = 30.0) -> None:
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._timeout = timeout
        self._headers = {"Content-Type": "application/json"}
        if key_env:
            self._headers["Authorization"] = f"Bearer {os.environ.get(key_env, '')}"
        self.dimension = int(self._embed(["dimension"]).shape[1])
        self.identity = f"{model}/{self.dimension}/plain"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. Raises EndpointError."""
        import numpy as np

        parts = [self._embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
        rows: Vectors = np.concatenate(parts) if parts else np.empty((0, self.dimension), np.float32)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`. Raises EndpointError."""
        row: Vectors = self._embed([text])[0]
        return row

    def _embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        answer = self._post({"model": self._model, "input": [clean(text) for text in texts]})
        try:
            data = sorted(answer["data"], key=lambda item: item["index"])
            rows = np.array([item["embedding"] for item in data], np.float32)
            if rows.shape[0] != len(texts) or rows.ndim != 2:
                raise ValueError(f"{rows.shape[0]} vectors for {len(texts)} texts")
        except (KeyError, TypeError, ValueError) as error:
            raise EndpointError(f"{self._url} did not answer with vectors: {error}", "check retrieval.model") from error
        unit: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return unit

    def _post(self, payload: dict[str, object]) -> Any:
        body = json.dumps(payload).encode()
        request = urllib.request.Request(self._url, body, self._headers)
        for left in reversed(range(TRIES)):
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                    return json.load(answer)
            except (OSError, ValueError) as error:
                if left == 0 or (isinstance(error, urllib.error.HTTPError) and error.code < 500):
                    hint = "check retrieval.endpoint, and that the server runs"
                    raise EndpointError(f"{self._url} failed: {error}", hint) from error
        raise AssertionError("unreachable")
