"""Where context comes from: the index, the files it names, and their heat as last folded. Only reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from openclaw_memory import fsio, markdown
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.index import Index, parse
from openclaw_memory.workspace import Workspace

_HEAD = 4096  # bytes; front matter is shorter
_FRONT = (b"---", b"\xef\xbb\xbf---")
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe must not be waited for


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

    try:
        files = frozenset(ws.detail_files())
    except WorkspaceError:  # a folder that cannot be listed: the files that the index names are still looked for
        files = frozenset()
    known = ws.config.index
    return parse(markdown.decode(data), files, index_path=known.path, exists=exists, link_base=known.link_base)


def stated_triggers(ws: Workspace, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """{path: triggers} of the files whose own front matter states some, which `index sync` may not have seen yet."""
    root = str(ws.root)
    heads = ((path, _head(f"{root}/{path}")) for path in paths)
    found = [(path, head) for path, head in heads if head.startswith(_FRONT) and b"trigger" in head]
    if not found:
        return {}
    from openclaw_memory.index.described import describe

    return {path: describe(markdown.decode(head)).triggers for path, head in found if _is_inside(ws, path)}


def _head(path: str) -> bytes:
    """The first bytes of a file, b"" where there are none to have: 500 files in 3 ms, so nothing else is done here."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return os.read(descriptor, _HEAD)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return b""


def _is_inside(ws: Workspace, path: str) -> bool:
    try:
        return ws.path(path).is_file()
    except WorkspaceError:
        return False
