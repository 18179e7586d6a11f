"""The first hits in another order, by a model that reads question and passage together (`retrieval.rerank`).

Any LlamaIndex node postprocessor will do: `retrieval.rerank` is a cross-encoder's name or folder (needs
sentence-transformers), or `package.module:Class`. Half of the score stays ours, so that an exact hit is not lost to
a model that does not know the word.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

from openclaw_memory.errors import ConfigError, MissingExtraError, OpenClawMemoryError
from openclaw_memory.retrieval.hits import Hit

DEPTH = 20
"""So many hits are read again."""
Score = Callable[[str, Sequence[str]], Sequence[float]]
"""From a question and passages to a number each, of any scale."""


def rerank(question: str, hits: Sequence[Hit], score: Score) -> list[Hit]:
    """`hits` by the mean of their score and the model's (squashed to 0 to 1), best first."""
    read = list(hits[:DEPTH])
    given = score(question, [f"{hit.heading}\n{hit.snippet}" for hit in read]) if read else []
    mixed = [
        hit._replace(
            score=round((hit.score + part) / 2, 4), explain={**hit.explain, "rerank": part} if hit.explain else {}
        )
        for hit, part in zip(read, _squashed(given), strict=True)
    ]
    mixed.sort(key=lambda hit: -hit.score)
    lowest = mixed[-1].score if mixed else 0.0
    return [*mixed, *(hit._replace(score=min(hit.score, lowest)) for hit in hits[DEPTH:])]


def _squashed(scores: Sequence[float]) -> list[float]:
    """Logits by the logistic function; what lies between 0 and 1 already is kept."""
    if all(0 <= one <= 1 for one in scores):
        return [float(one) for one in scores]
    return [1 / (1 + math.exp(-max(-60.0, min(60.0, one)))) for one in scores]


def scorer(name: str) -> Score:
    """The scores of the postprocessor `name`. Raises MissingExtraError, ConfigError."""
    processor = _made(name)

    def score(question: str, passages: Sequence[str]) -> list[float]:
        from llama_index.core.schema import NodeWithScore, TextNode

        nodes = [NodeWithScore(node=TextNode(id_=str(at), text=text)) for at, text in enumerate(passages)]
        try:
            found = processor.postprocess_nodes(nodes, query_str=question)
        except (OSError, RuntimeError, ValueError) as error:
            raise OpenClawMemoryError(f"reranking failed: {error}", "check retrieval.rerank") from error
        given = {int(one.node.node_id): float(one.score or 0.0) for one in found}
        low = min(given.values(), default=0.0)
        return [given.get(at, low) for at in range(len(passages))]

    return score


def _made(name: str) -> Any:
    if ":" in name:
        module, _, kind = name.partition(":")
        try:
            return getattr(importlib.import_module(module), kind)()
        except (ImportError, AttributeError) as error:
            raise ConfigError(
                f"retrieval.rerank: {name} cannot be had: {error}", "name a model, or package.module:Class"
            ) from error
    try:
        from llama_index.core.postprocessor import SentenceTransformerRerank

        return SentenceTransformerRerank(model=name, top_n=DEPTH)
    except ImportError as error:
        raise MissingExtraError(f"retrieval.rerank: {name}", "huggingface") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"retrieval.rerank: {name} cannot be loaded: {error}", "name a model's folder") from error
