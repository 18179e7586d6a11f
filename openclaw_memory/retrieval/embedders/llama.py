"""Both directions between our embedders and LlamaIndex's `BaseEmbedding`: thin, with no logic of their own.

Importing this module imports LlamaIndex (more than a second): only inside functions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.embedders.base import Embedder, clean

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders.base import Vectors


class LocalEmbedding(BaseEmbedding):
    """One of our embedders for LlamaIndex: `LocalEmbedding(embedder)`."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder, **data: Any) -> None:
        super().__init__(model_name=data.pop("model_name", embedder.identity), **data)
        self._embedder = embedder

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of this class."""
        return "LocalEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(number) for number in self._embedder.embed_query(query)]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [[float(number) for number in row] for row in self._embedder.embed_documents(texts)]


class LlamaEmbedder:
    """Any LlamaIndex embedding model as one of our embedders; `name` goes into its identity."""

    def __init__(self, model: BaseEmbedding, name: str = "") -> None:
        self._model = model
        self.dimension = len(model.get_query_embedding("dimension"))
        self.identity = f"{name or model.model_name}/{self.dimension}/llama-index"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return _unit(self._model.get_text_embedding_batch([clean(text) for text in texts]), self.dimension)

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`."""
        row: Vectors = _unit([self._model.get_query_embedding(clean(text))], self.dimension)[0]
        return row


def _unit(rows: list[list[float]], dimension: int) -> Vectors:
    import numpy as np

    matrix = np.array(rows, np.float32).reshape(len(rows), dimension)
    unit: Vectors = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    return unit


def huggingface(model: str) -> LlamaEmbedder:
    """`model`, a local folder or a hub name, through `HuggingFaceEmbedding`. Raises MissingExtraError."""
    from openclaw_memory.errors import MissingExtraError

    try:
        from llama_index.embeddings.huggingface import HuggingFaceEmbedding
    except ImportError as error:
        raise MissingExtraError(f"the embedder huggingface:{model}", "huggingface") from error
    return LlamaEmbedder(HuggingFaceEmbedding(model_name=model), model)
