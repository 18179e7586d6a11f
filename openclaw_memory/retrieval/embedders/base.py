"""The protocol that every embedder keeps, and the cleaning of text that all of them need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into vectors of length 1, so that a dot product is a cosine.

    `identity` names everything that makes two vectors comparable: model, dimension and template. An index keeps
    it; another identity pauses the vector leg until `embed` was run again.
    """

    @property
    def identity(self) -> str:
        """For example `all-MiniLM-L6-v2-int8/384/plain`."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row a text: float32, shape (len(texts), dimension)."""

    def embed_query(self, text: str) -> Vectors:
        """float32, shape (dimension,)."""


MAX_CHARS = 4000  # models read 256 to 512 tokens; a tokenizer should not chew what is cut anyway


def clean(text: str) -> str:
    """`text` as models can take it: no NUL (C strings end there), no lone surrogates, capped, never empty."""
    return text[:MAX_CHARS].replace("\0", " ").encode("utf-8", "replace").decode("utf-8") or " "
