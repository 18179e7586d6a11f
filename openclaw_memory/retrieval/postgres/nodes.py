"""A file as LlamaIndex nodes, one a passage, and back to what a search shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.analyse import terms_of
from openclaw_memory.retrieval.heats import kept
from openclaw_memory.retrieval.postgres.database import token
from openclaw_memory.retrieval.windows import windows

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import MetadataFilters

    from openclaw_memory.retrieval.chunks import Page
    from openclaw_memory.retrieval.postgres.database import Database


Shown = dict[str, Any]
"""What a search shows of a passage: `first` and `last` line, `heading`, `passage`; of a fact, what `heats` kept."""


def version(digest: str, shared: bool) -> str:
    """What tells the passages of one state of a file from those of another."""
    return f"v{digest[:16]}{'s' if shared else 'p'}"


def both(*conditions: tuple[str, str, str]) -> MetadataFilters:
    """Filters that must all hold: (key, operator, value). Values are names of our own making, never user text."""
    from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters

    return MetadataFilters(
        filters=[MetadataFilter(key=key, operator=FilterOperator(sign), value=value) for key, sign, value in conditions]
    )


def among(key: str, values: Sequence[str]) -> MetadataFilters:
    """A filter for nodes whose `key` is one of `values`, which are names of our own making; for none it holds never."""
    from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters

    return MetadataFilters(
        filters=[MetadataFilter(key=key, operator=FilterOperator.IN, value=list(values) or ["none"])]
    )


def words(text: str) -> str:
    """The terms of `text` as words that a text index takes whole, whatever their script or signs."""
    found = terms_of(text)
    return " ".join(dict.fromkeys(word(term) for term in (*found.main, *found.extra)))


def word(term: str) -> str:
    """One term as such a word: PostgreSQL's parser would cut `c++`, drop emoji and not know bigrams."""
    return "t" + hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def place(doc: str, number: int) -> str:
    """The name of a passage of a document as filters take it."""
    return f"{doc}-{number}"


def folder(collection: str) -> str:
    """A collection's name as filters take it."""
    return token(collection)


class Passage(Record):
    """One passage: what a model reads, what the text index holds, and what a search shows of it."""

    embedded: str
    words: str
    shown: Shown


def passages(page: Page, title: str) -> list[Passage]:
    """The passages of a page. Words are also looked for in the title and the headings above."""
    return [
        Passage(
            window.text,
            words("\n".join((title, *window.chunk.heading, window.text))),
            {
                "first": window.atom.first,
                "last": window.atom.last,
                "heading": " > ".join(window.chunk.heading),
                "passage": window.atom.text,
                **({"fact": list(kept(window.chunk.fact))} if window.chunk.fact else {}),
            },
        )
        for window in windows(page, title)
    ]


def nodes(
    database: Database, doc: str, shared: bool, file: dict[str, str], made: Iterable[tuple[Passage, Any]]
) -> list[TextNode]:
    """The nodes of a file from its passages and their vectors; `file` says collection, path, title, hash."""
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    out = []
    for number, (passage, vector) in enumerate(made):
        node = TextNode(
            id_=f"{doc}-{version(file['hash'], shared)}-{number}",
            text=passage.words,
            embedding=[float(value) for value in vector],
            metadata={
                "owner": database.owner,
                "workspace": database.workspace,
                "folder": folder(file["collection"]),
                "shared": "yes" if shared else "no",
                "doc": doc,
                "version": version(file["hash"], shared),
                "agent": database.agent,
                **file,
                **passage.shown,
                **({"place": place(doc, number)} if "fact" in passage.shown else {}),
            },
        )
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=doc)
        out.append(node)
    return out
