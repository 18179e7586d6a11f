"""A reader: the workspace's files as documents, one a passage or one a file, with their lines as metadata."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document

from openclaw_memory.agents.nodes import fragment, parts, readable, workspace_at
from openclaw_memory.retrieval import collections, read
from openclaw_memory.retrieval.collections import Collection
from openclaw_memory.retrieval.hits import ATOM_BITS
from openclaw_memory.retrieval.output import valid
from openclaw_memory.retrieval.paths import address
from openclaw_memory.retrieval.scan import scan


class OpenClawReader(BasePydanticReader):
    """`OpenClawReader("~/agent").load_data()`; `passages=False` gives whole files."""

    workspace: str
    passages: bool = True

    def __init__(self, workspace: Path | str, **kwargs: Any) -> None:
        super().__init__(**{"workspace": str(workspace), **kwargs})

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of this class."""
        return "OpenClawReader"

    def lazy_load_data(self, *args: Any, **kwargs: Any) -> Iterable[Document]:
        """Every readable file of the collections that a search looks into, in order; binary ones are left out."""
        for collection in collections.load(workspace_at(Path(self.workspace).expanduser())).all:
            if not collection.included or collection.low_trust:
                continue
            for found in sorted(scan(None, collection).found):
                try:
                    text = read.decode(read.content(collection, found.path), found.path)
                except read.Refused:
                    continue
                yield from self._documents(collection, found.path, text)

    def _documents(self, collection: Collection, path: str, text: str) -> Iterable[Document]:
        about = {"collection": collection.name, "path": readable(path)}
        file = address(collection.name, readable(path))
        page = read.page_of(text, path)
        if not self.passages:
            yield _document(file, text, **about, start_line=1, end_line=page.lines)
            return
        passages = [
            (number << ATOM_BITS | place, chunk, atom)
            for number, chunk in enumerate(page.chunks)
            for place, atom in enumerate(chunk.atoms)
        ]
        spans = parts((number, atom.first, atom.last) for number, _, atom in passages)
        for (_, chunk, atom), lines in zip(passages, spans, strict=True):
            more = {"start_line": atom.first, "end_line": atom.last, "heading": valid(" > ".join(chunk.heading))}
            yield _document(file + fragment(*lines), atom.text, **about, **more)


def _document(name: str, text: str, **metadata: object) -> Document:
    return Document(id_=name, text=valid(text), metadata=metadata)
