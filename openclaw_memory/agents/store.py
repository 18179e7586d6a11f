"""The index as a LlamaIndex vector store: default, text and hybrid queries, metadata filters, over the same database.

The files are the truth and the index mirrors them, so a node is a passage of a file (its id is its address with
lines). `add` gives passages their vectors, `delete` takes the vectors of a file away (`embed` would make them anew);
text comes into the index by being written to a file.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn
from pydantic import PrivateAttr

from openclaw_memory.agents.nodes import address, fragment, node, parts, readable, workspace_at
from openclaw_memory.errors import UsageError
from openclaw_memory.retrieval import collections, store, vectors
from openclaw_memory.retrieval.dense import dense
from openclaw_memory.retrieval.fuse import Shares, fuse
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate, Freshness, Hit
from openclaw_memory.retrieval.lexicon import NUMBER
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.paths import from_address, restored, stored, unescaped
from openclaw_memory.retrieval.postgres import entry as postgres
from openclaw_memory.retrieval.present import present
from openclaw_memory.retrieval.query import parse
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.search import by_words
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace

KEYS = ("collection", "path", "title", "kind", "date")
"""The metadata that filters may name."""
_FRAGMENT = re.compile(r"#L\d+-L\d+(?:\.\d+)?\Z")
"""What `fragment` puts behind a file's address."""
_MODES = {
    VectorStoreQueryMode.DEFAULT: (False, True),
    VectorStoreQueryMode.TEXT_SEARCH: (True, False),
    VectorStoreQueryMode.SPARSE: (True, False),
    VectorStoreQueryMode.HYBRID: (True, True),
    VectorStoreQueryMode.SEMANTIC_HYBRID: (True, True),
}


class SQLiteHybridVectorStore(BasePydanticVectorStore):
    """`SQLiteHybridVectorStore(workspace=folder)`. Pass the embedding model explicitly to the index over it.

    Words find by other names, too (see `aliases`); a vector, which the caller computed, knows the typed ones alone.
    """

    stores_text: bool = True
    _ws: Workspace = PrivateAttr()

    def __init__(self, workspace: Workspace | Path | str, **data: Any) -> None:
        super().__init__(**data)
        self._ws = workspace_at(workspace)
        if postgres.is_on(self._ws):
            raise UsageError(
                "the store of this workspace is a database", "use HybridRetriever, or LlamaIndex's PGVectorStore itself"
            )
        update(self._ws)

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of this class."""
        return "SQLiteHybridVectorStore"

    @property
    def client(self) -> Path:
        """The database file."""
        return store.path_in(self._ws.state_dir)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Passages with their scores, 0 to 1. Raises UsageError for a mode or a filter key that there is not."""
        if query.mode not in _MODES:
            raise UsageError(f"there is no query mode {query.mode}", "use default, text_search or hybrid")
        worded, by_sense = _MODES[query.mode]
        limit = query.hybrid_top_k or query.similarity_top_k or query.sparse_top_k or 1
        share = 0.4 if query.alpha is None else query.alpha
        parsed = parse(query.query_str or "")
        with store.reading(self.client) as db:
            if db is None:
                return VectorStoreQueryResult(nodes=[], similarities=[], ids=[])
            found, scope = collections.load(self._ws), _scope(db, query)
            words = by_words(db, self._ws, found, parsed, scope, limit * 3 + 20) if worded else []
            sense = []
            if by_sense and query.query_embedding is not None:
                vector = np.array(query.query_embedding, np.float32)
                sense = dense(db, vector, scope, limit * 3 + 20, [one.passage for one in words])
            return self._result(db, parsed.text, fuse(words, sense, Shares(1 - share, share)), limit)

    def _result(
        self, db: sqlite3.Connection, text: str, ranked: Sequence[Candidate], limit: int
    ) -> VectorStoreQueryResult:
        hits = self._hits(db, text, ranked, limit)
        return VectorStoreQueryResult(
            nodes=[node(hit) for hit in hits],
            similarities=[hit.score for hit in hits],
            ids=[address(hit) for hit in hits],
        )

    def _hits(self, db: sqlite3.Connection, text: str, ranked: Sequence[Candidate], limit: int) -> tuple[Hit, ...]:
        found = collections.load(self._ws)
        options = Options(limit=max(1, limit), snippet_chars=1_000_000)
        return present(db, self._ws, found, parse(text), ranked, options, Freshness("unchecked")).hits

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """The passages with these ids, or whose files fit the filters."""
        with store.reading(self.client) as db:
            if db is None:
                return []
            passages = self._chosen(db, node_ids, filters)
            ranked = [Candidate(passage, 1.0) for passage in passages]
            return [node(hit) for hit in self._hits(db, "", ranked, len(ranked))]

    def add(self, nodes: Sequence[BaseNode], **add_kwargs: Any) -> list[str]:
        """Give passages the vectors of `nodes`. Raises UsageError for a node that is no passage of the index."""
        rows, links = [], []
        with store.reading(self.client) as db:
            for one in nodes:
                passage = next(iter(_passages(db, one.node_id)), None) if db else None
                if passage is None:
                    raise UsageError(
                        f"{one.node_id} is no passage of the index",
                        "write the text to a Markdown file of the workspace, then: openclaw-memory update",
                    )
                key = hashlib.blake2b(one.node_id.encode(), digest_size=16, person=b"node").digest()
                rows += vectors.quantised([key], np.array([one.get_embedding()], np.float32))
                links.append((passage, key))
        with store.writing(self.client) as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            db.executemany("INSERT OR REPLACE INTO embedded VALUES (?, ?)", links)
            _changed(db)
        return [one.node_id for one in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Take the vectors of a file away; `ref_doc_id` is its address, `qmd://collection/path`."""
        self.delete_nodes([ref_doc_id])

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Take the vectors of these passages (or of files that fit the filters) away."""
        with store.reading(self.client) as db:
            chosen = self._chosen(db, node_ids, filters) if db and (node_ids or filters) else []
        self._forget(chosen)

    def clear(self) -> None:
        """Take all vectors away; the words stay."""
        with store.reading(self.client) as db:
            every = [row[0] for row in db.execute("SELECT passage FROM embedded")] if db else []
        self._forget(every)

    def _forget(self, passages: Iterable[int]) -> None:
        numbers = [(passage,) for passage in passages]
        files = {(passage >> (ATOM_BITS + CHUNK_BITS),) for (passage,) in numbers}
        with store.writing(self.client) as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("DELETE FROM embedded WHERE passage = ?", numbers)
            db.executemany("UPDATE files SET embedded = 0 WHERE id = ?", sorted(files))
            _changed(db)

    def _chosen(
        self, db: sqlite3.Connection, node_ids: Sequence[str] | None, filters: MetadataFilters | None
    ) -> list[int]:
        if node_ids is not None:
            return [passage for name in node_ids for passage in _passages(db, name)]
        files = _fitting(db, filters)
        return [passage for number in sorted(files) for passage, _, _ in _spans(db, number)]


def _scope(db: sqlite3.Connection, query: VectorStoreQuery) -> Scope:
    """The files that the query's filters, documents and ids leave, before anything is ranked."""
    files = None if query.filters is None else _fitting(db, query.filters)
    named = [*(query.doc_ids or ()), *(query.node_ids or ())]
    if named:
        asked = {number for name in named for number in _files(db, name)}
        files = asked if files is None else files & asked
    return Scope(None if files is None else frozenset(files))


def _fitting(db: sqlite3.Connection, filters: MetadataFilters | None) -> set[int]:
    for key in _keys(filters):
        if key not in KEYS:
            raise UsageError(f"nodes cannot be filtered by {key!r}", f"filter by {', '.join(KEYS)}")
    rows = db.execute("SELECT id, collection, path, title, kind, date FROM files")
    about = {
        str(number): dict(zip(KEYS, (name, readable(restored(path)), *rest), strict=True))
        for number, name, path, *rest in rows
    }
    fits = build_metadata_filter_fn(about.__getitem__, filters)
    return {int(number) for number in about if fits(number)}


def _keys(filters: MetadataFilters | None) -> Iterable[str]:
    for one in filters.filters if filters else ():
        if isinstance(one, MetadataFilters):
            yield from _keys(one)
        else:
            yield one.key


def _files(db: sqlite3.Connection, name: str) -> list[int]:
    found = from_address(_FRAGMENT.sub("", name))
    if found is None:
        return []
    query = "SELECT id FROM files WHERE collection = ? AND path IN (?, ?)"
    return [row[0] for row in db.execute(query, (found[0], stored(found[1]), stored(unescaped(found[1]))))]


def _passages(db: sqlite3.Connection, name: str) -> list[int]:
    """The passage that a node's id names, those that a file's address names."""
    lines = _FRAGMENT.search(name)
    named: list[int] = []
    for number in _files(db, name):
        spans = list(_spans(db, number))
        named += (
            passage
            for (passage, _, _), part in zip(spans, parts(spans), strict=True)
            if lines is None or fragment(*part) == lines[0]
        )
    return named


def _spans(db: sqlite3.Connection, file: int) -> Iterable[tuple[int, int, int]]:
    """(passage, first line, last line) of a file, in order."""
    low, high = file << CHUNK_BITS, (file + 1) << CHUNK_BITS
    for chunk, blob in db.execute("SELECT id, spans FROM chunks WHERE id >= ? AND id < ? ORDER BY id", (low, high)):
        spans = array(NUMBER)
        spans.frombytes(blob)
        for place in range(len(spans) // 2):
            yield chunk << ATOM_BITS | place, spans[2 * place], spans[2 * place + 1]


def _changed(db: sqlite3.Connection) -> None:
    db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    db.execute("COMMIT")
