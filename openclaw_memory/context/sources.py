"""Where context comes from: the index, the files it names, and their heat as last folded. Only reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from openclaw_memory import fsio, markdown
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.index import Index, parse
from openclaw_memory.workspace import Workspace

HEAT = "memory/decay.json"


Reader = Callable[[str], bytes]
"""Gives the bytes of a file by its path in the workspace, or raises WorkspaceError."""


def read_file(ws: Workspace, rel: str) -> bytes:
    """The bytes of a file of the workspace. Raises WorkspaceError."""
    return fsio.read(ws.path(rel))


def read_index(ws: Workspace, data: bytes) -> Index:
    """What the index, whose bytes are `data`, says of the files of `ws`."""

    root = str(ws.root)

    def exists(rel: str) -> bool:
        look = os.path.isdir if rel.endswith("/") else os.path.isfile  # not pathlib: asked for every entry
        return look(f"{root}/{rel}")

    files = frozenset(ws.detail_files())
    return parse(markdown.decode(data), files, index_path=ws.config.index.path, exists=exists)


def read_heat(ws: Workspace) -> Mapping[str, str]:
    """{path: temperature} of the last folding; empty where there is none, or none that can be read.

    Heat only breaks ties, so a broken file must not cost a session its context; `check` reports it.
    """
    try:
        data = fsio.read(ws.path(HEAT))
    except WorkspaceError:
        return {}
    import json

    try:
        rows = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    rows = rows.get("files", ()) if isinstance(rows, dict) else rows
    return {
        str(row["path"]): str(row.get("temperature", ""))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict) and "path" in row
    }
