"""`BaseRetriever`s: by words, by meaning, by both. Each is one call of the plain function of that name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from openclaw_memory.agents.nodes import scored, workspace_at
from openclaw_memory.retrieval import search as lexical
from openclaw_memory.retrieval.hits import Answer
from openclaw_memory.retrieval.options import Options
from openclaw_memory.server.engine import Engine
from openclaw_memory.workspace import Workspace


class _Retriever(BaseRetriever):
    """`workspace` is a Workspace or its folder; the options are those of the command line."""

    def __init__(
        self,
        workspace: Workspace | Path | str,
        *,
        limit: int = 0,
        collections: tuple[str, ...] = (),
        min_score: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._engine = Engine(workspace_at(workspace).root)
        self._options = Options(limit=limit, collections=collections, min_score=min_score)

    def _find(self) -> Callable[[str, Options], Answer]:
        raise AssertionError("one of the three retrievers below says how")

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [scored(hit) for hit in self._find()(query_bundle.query_str, self._options).hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class LexicalRetriever(_Retriever):
    """Passages by words: `openclaw-memory search`."""

    def _find(self) -> Callable[[str, Options], Answer]:
        return lambda text, options: lexical.search(self._engine.workspace, text, options)


class VectorRetriever(_Retriever):
    """Passages by meaning: `openclaw-memory vsearch`."""

    def _find(self) -> Callable[[str, Options], Answer]:
        return self._engine.vsearch


class HybridRetriever(_Retriever):
    """Passages by words and meaning, fused on an absolute scale: `openclaw-memory query`."""

    def _find(self) -> Callable[[str, Options], Answer]:
        return self._engine.query
