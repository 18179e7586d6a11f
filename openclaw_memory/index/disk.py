"""The index of a workspace on disk: reading it against the files that are there. Writes nothing."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from openclaw_memory import fsio
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.index.model import Index
from openclaw_memory.index.parse import parse
from openclaw_memory.markdown import decode
from openclaw_memory.workspace import Workspace


class Existing:
    """Whether a path of a workspace is a file, by its exact name. Each folder is listed once."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders: dict[str, frozenset[str]] = {}

    def __call__(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return name in self.names(folder)

    def names(self, folder: str) -> frozenset[str]:
        """The names of the files in `folder`, empty where there is no such folder."""
        if folder not in self._folders:
            try:
                with os.scandir(f"{self._root}/{folder}") as entries:
                    self._folders[folder] = frozenset(entry.name for entry in entries if entry.is_file())
            except (OSError, ValueError):
                self._folders[folder] = frozenset()
        return self._folders[folder]


@dataclass(frozen=True, slots=True)
class Loaded:
    """An index as read: its bytes and what they say, the detail files on disk, and a look-up for any other file."""

    data: bytes
    index: Index
    details: list[str]
    exists: Existing
    files: Collection[str]
    link_base: str

    def parse(self, text: str) -> Index:
        """Another text as the index of the same files."""
        index = parse(text, self.files, index_path=self.index.path, exists=self.exists, link_base=self.link_base)
        index.language = self.index.language
        return index


def load(ws: Workspace, *, missing_ok: bool = False) -> Loaded:
    """Read the index of `ws`. Raises WorkspaceError where it is missing (unless allowed), a folder, or too large."""
    path = ws.index_path
    data = _read(ws) if path.exists() or path.is_symlink() or not missing_ok else b""
    exists = Existing(str(ws.root))
    details = ws.detail_files()
    files = frozenset([*details, *(name for name in exists.names("") if name.endswith(".md"))])
    base = ws.config.index.link_base
    index = parse(decode(data), files, index_path=ws.config.index.path, exists=exists, link_base=base)
    index.language = ws.config.language
    return Loaded(data, index, details, exists, files, base)


def _read(ws: Workspace) -> bytes:
    path = ws.index_path
    if not path.exists() and not path.is_symlink():
        raise WorkspaceError(
            f"there is no index: {path} does not exist",
            "`openclaw-memory init` writes one, `openclaw-memory index sync` makes one from the detail files",
        )
    return fsio.read(path)
