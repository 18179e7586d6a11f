"""A file on disk to a page: bytes to text (UTF-8, or UTF-16 by its mark), text to chunks. Never writes."""

from __future__ import annotations

import codecs
import os
import sqlite3
from functools import cached_property
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import transcripts
from openclaw_memory.retrieval.collections import Collection
from openclaw_memory.retrieval.identity import Stat, fitting
from openclaw_memory.retrieval.scan import inside
from openclaw_memory.retrieval.transcripts import DATABASE, status_of

if TYPE_CHECKING:
    from openclaw_memory.retrieval.chunks import Page

LARGEST = 50_000_000
"""Bytes of a file that is read."""
_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\v\f\r\b\x1b"))
_BINARY_SHARE = 0.09
"""Of control characters: text has hardly any, bytes at random have 0.1."""
_SNIFFED = 8000


class Refused(OpenClawMemoryError):
    """The file cannot be read as text, or may not: outside the folder, binary, too large, no permission."""


def content(collection: Collection, path: str) -> bytes:
    """The bytes of a file of `collection`. Raises Refused."""
    return Folder(collection).content(path)


class Folder:
    """The folder of a collection, to read several files of it one behind the other: where folders lead is kept."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._real: dict[str, str] = {}

    @cached_property
    def _root(self) -> str:
        return os.path.realpath(self._collection.root)

    def content(self, path: str) -> bytes:
        """The bytes of the file at `path` below the folder. Raises Refused."""
        full = f"{self._root}/{path}"
        if not inside(self._resolved(full), self._root):
            raise Refused(
                f"{path} leads out of {self._collection.root}", "search and get stay inside the collection's folder"
            )
        try:
            if path.endswith(DATABASE):
                return transcripts.lines_of_database(Path(full))
            data = fsio.read(Path(full), LARGEST, binary=True)
        except (OpenClawMemoryError, sqlite3.Error) as error:
            raise Refused(getattr(error, "message", str(error)), getattr(error, "hint", "")) from error
        return transcripts.lines_of_json(data) if self._collection.low_trust else data

    def holds(self, path: str, stat: Stat) -> bool:
        """Whether the file at `path` still is the one that had this stat."""
        full = f"{self._collection.root}/{path}"
        try:
            now = status_of(full) if path.endswith(DATABASE) else os.stat(full, follow_symlinks=self._collection.follow)  # noqa: PTH116
        except OSError:
            return False
        seen = (now.st_size, fitting(now.st_mtime_ns), fitting(now.st_ino))
        return seen == (stat.size, stat.mtime_ns, stat.inode)

    def _resolved(self, full: str) -> str:
        folder, _, name = full.rpartition("/")
        if name in ("", ".", "..") or os.path.islink(full):  # noqa: PTH114
            return os.path.realpath(full)
        real = self._real.get(folder)
        if real is None:
            real = self._real[folder] = os.path.realpath(folder)
        return f"{real}/{name}"


def decode(data: bytes, path: str) -> str:
    """`data` as text. Raises Refused for binary content."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode("utf-8", "replace").decode("utf-8")
    head = data[:_SNIFFED]
    if len(head) - len(head.translate(None, _CONTROLS)) > len(head) * _BINARY_SHARE:
        raise Refused(f"{path} is a binary file", "move it out of the searched folders, or narrow the mask")
    return data.decode("utf-8", "surrogateescape")


def page_of(text: str, path: str) -> Page:
    """`text` of the file `path` in chunks: facts for `items.json`, else Markdown."""
    from openclaw_memory.retrieval import chunks, facts

    return facts.page_of(text, path) if path.lower().endswith(".json") else chunks.page(text)
