"""A file as LlamaIndex nodes, one a passage, and back to what a search shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.analyse import terms_of
from openclaw_memory.retrieval.postgres.database import token

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import MetadataFilters

    from openclaw_memory.retrieval.chunks import Page
    from openclaw_memory.retrieval.postgres.database import Database


Shown = dict[str, Any]
"""What a search shows of a passage: `first` and `last` line, `heading`, `passage`."""


def version(digest: str, shared: bool) -> str:
    """What tells the passages of one state of a file from those of another."""
    return f"v{digest[:16]}{'s' if shared else 'p'}"


def both(*conditions: tuple[str, str, str]) -> MetadataFilters:
    """Filters that must all hold: (key, operator, value). Values are names of our own making, never user text."""
    from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters

    return MetadataFilters(
        filters=[MetadataFilter(key=key, operator=FilterOperator(sign), value=value) for key, sign, value in conditions]
    )


def words(text: str) -> str:
    """The terms of `text` as words that a text index takes whole, whatever their script or signs."""
    found = terms_of(text)
    return " ".join(dict.fromkeys(word(term) for term in (*found.main, *found.extra)))


def word(term: str) -> str:
    """One term as such a word: PostgreSQL's parser would cut `c++`, drop emoji and not know bigrams."""
    return "t" + hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def folder(collection: str) -> str:
    """A collection's name as filters take it."""
    return token(collection)


def passages(page: Page, title: str) -> list[tuple[str, Shown]]:
    """(text to embed, what to show) of each passage: the atom between its neighbours, below its headings."""
    found = []
    for chunk in page.chunks:
        heading = " > ".join(dict.fromkeys((title, *chunk.heading)))
        for at, atom in enumerate(chunk.atoms):
            window = "\n".join(one.text for one in chunk.atoms[max(0, at - 1) : at + 2])
            shown = {"first": atom.first, "last": atom.last, "heading": " > ".join(chunk.heading), "passage": atom.text}
            found.append((f"{heading}\n{window}", shown))
    return found


def nodes(
    database: Database, doc: str, shared: bool, file: dict[str, str], made: Iterable[tuple[str, Shown, Any]]
) -> list[TextNode]:
    """The nodes of a file from (text, shown, vector); `file` says collection, path, title, hash."""
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    out = []
    for number, (text, shown, vector) in enumerate(made):
        node = TextNode(
            id_=f"{doc}-{version(file['hash'], shared)}-{number}",
            text=words(text),
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
                **shown,
            },
        )
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=doc)
        out.append(node)
    return out
