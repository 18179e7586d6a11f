"""Hits as LlamaIndex nodes. A node's id is an address with lines, which `get` takes: `qmd://memory/people/jane.md#L3-L4`."""

from __future__ import annotations

from pathlib import Path

from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.workspace import Workspace, find_workspace


def workspace_at(where: Workspace | Path | str) -> Workspace:
    """`where` as a workspace. Raises WorkspaceError."""
    return where if isinstance(where, Workspace) else find_workspace(Path(where).expanduser())


def address(hit: Hit) -> str:
    """The id of the hit's node."""
    return f"{hit.file}#L{hit.start_line}-L{hit.end_line}"


def node(hit: Hit) -> TextNode:
    """A hit as a node: the snippet as text; file, lines, heading, title, date and kind as metadata."""
    made = TextNode(
        id_=address(hit),
        text=hit.snippet,
        metadata={
            "collection": hit.collection,
            "path": hit.path,
            "start_line": hit.start_line,
            "end_line": hit.end_line,
            "title": hit.title,
            "heading": hit.heading,
            "kind": hit.kind,
            "date": hit.date,
        },
        excluded_embed_metadata_keys=["start_line", "end_line"],
    )
    made.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=hit.file)
    return made


def scored(hit: Hit) -> NodeWithScore:
    """A hit as a node with its score, 0 to 1."""
    return NodeWithScore(node=node(hit), score=hit.score)
