"""Hits as LlamaIndex nodes. A node's id is an address with lines, which `get` takes: `qmd://memory/people/jane.md#L3-L4`.

Where several passages lie in the same lines (facts of a one-line `items.json`, pieces of a very long line), all but the
first have their place in the file behind it, `#L1-L1.64`: LlamaIndex takes nodes of one id for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from openclaw_memory.retrieval.hits import PART, Hit
from openclaw_memory.retrieval.output import valid
from openclaw_memory.retrieval.paths import escaped
from openclaw_memory.workspace import Workspace, find_workspace


def workspace_at(where: Workspace | Path | str) -> Workspace:
    """`where` as a workspace. Raises WorkspaceError."""
    return where if isinstance(where, Workspace) else find_workspace(Path(where).expanduser())


def address(hit: Hit) -> str:
    """The id of the hit's node."""
    return file_of(hit) + fragment(hit.start_line, hit.end_line, hit.part)


def file_of(hit: Hit) -> str:
    """The address of the hit's file; see `readable`."""
    return hit._replace(path=readable(hit.path)).file


def readable(path: str) -> str:
    """`path` as JSON can carry it: one that is not UTF-8 is escaped, which `get` takes, too."""
    return path if valid(path) == path else escaped(path)


def fragment(first: int, last: int, part: int) -> str:
    """What stands behind a file's address in the id of a passage; see `Hit.part`."""
    return f"#L{first}-L{last}" + (f".{part}" if part else "")


def parts(passages: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """(number, first line, last line) of a file's passages, in order, as (first line, last line, part)."""
    before = (0, 0)
    for number, first, last in passages:
        yield first, last, number & PART if (first, last) == before else 0
        before = first, last


def node(hit: Hit) -> TextNode:
    """A hit as a node: the snippet as text; file, lines, heading, title, date and kind as metadata."""
    made = TextNode(
        id_=address(hit),
        text=valid(hit.snippet),
        metadata={
            "collection": hit.collection,
            "path": readable(hit.path),
            "start_line": hit.start_line,
            "end_line": hit.end_line,
            "title": valid(hit.title),
            "heading": valid(hit.heading),
            "kind": hit.kind,
            "date": hit.date,
        },
        excluded_embed_metadata_keys=["start_line", "end_line"],
    )
    made.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=file_of(hit))
    return made


def scored(hit: Hit) -> NodeWithScore:
    """A hit as a node with its score, 0 to 1."""
    return NodeWithScore(node=node(hit), score=hit.score)
