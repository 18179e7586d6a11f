"""Puts a context together: the index, Active Context, and what a message calls for, inside the token budget.

The caps of the written method are kept here: Active Context, drill-downs, tokens. Whatever does not get in is named.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate

from openclaw_memory import markdown
from openclaw_memory.context import sources, text
from openclaw_memory.context.drilldown import Candidate, called_for
from openclaw_memory.context.model import Context, Kind, LeftOut, Loaded
from openclaw_memory.context.triggers import Hit
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.facts import temperatures
from openclaw_memory.index import Index
from openclaw_memory.tokens import Size, count, utf16_units
from openclaw_memory.workspace import Workspace

_ORDER: dict[Kind, int] = {"index": 0, "active": 1, "drill-down": 2}


def digest(data: bytes) -> str:
    """What tells two contents of one file apart."""
    return f"{len(data)}-{zlib.crc32(data):08x}"


def build(
    ws: Workspace,
    message: str | None = None,
    known: Mapping[str, str] | None = None,
    read: sources.Reader | None = None,
) -> Context:
    """The context of `ws`, with drill-downs for `message`.

    `known` is {path: digest} of what the session has been given already: that is not given again (but for a
    drill-down whose file has changed since). `read` reads the files, where it is not done straight from the disk.
    Raises WorkspaceError where there is no index to read; another file that cannot be read is left out and named.
    """
    builder = _Builder(ws, known or {}, read or partial(sources.read_file, ws))
    data = builder.read(ws.config.index.path)
    index = sources.read_index(ws, data)
    held = builder.hold_for_index(index.path, data)
    builder.add_active(index)
    if message:
        active = index.active[: ws.config.index.active_cap]  # one over the cap may still be called for
        others = [entry for entry in index.entries if entry.path not in active]
        stated = sources.stated_triggers(ws, (entry.path for entry in others))
        builder.add_drilldowns(called_for(others, stated, message, temperatures.read(ws).files()))
    if held:
        builder.add_index(index, held)
    return builder.context()


class _Builder:
    """Collects files as long as there is room, in tokens; what it says "no" to, it leaves out by name."""

    def __init__(self, ws: Workspace, known: Mapping[str, str], read: sources.Reader) -> None:
        self.read = read
        self._ws = ws
        self._known = known
        self._skipped: list[str] = []
        self._loaded: list[Loaded] = []
        self._left_out: dict[str, LeftOut] = {}  # by path: the reason that counts most
        self._budget = ws.config.context.budget_tokens
        names = max(text.NAMES_LEAST, int(self._budget * text.NAMES_SHARE))
        self._room = self._budget - names - count(text.PREAMBLE)
        self._held = 0  # tokens kept free for the index

    def context(self) -> Context:
        """What was collected, in the order it is printed in."""
        loaded = sorted(self._loaded, key=_place)
        return Context(tuple(loaded), tuple(self._left_out.values()), self._budget, tuple(self._skipped))

    def hold_for_index(self, path: str, data: bytes) -> Loaded | None:
        """The index, with room kept for it up to its own limit: what is over that gets what the others leave."""
        if path in self._known:
            self._skipped.append(path)
            return None
        index = _prepared(path, "index", data)
        self._held = min(index.size.tokens, self._ws.config.index.max_tokens)
        self._room -= self._held
        return index

    def add_active(self, index: Index) -> None:
        """The files of Active Context, up to their cap, in the order of the index."""
        cap = self._ws.config.index.active_cap
        for at, path in enumerate(index.active):
            if path in self._known:
                self._skipped.append(path)
            elif at >= cap:
                self._leave(path, "active", f"Active Context holds {len(index.active)} files, the cap is {cap}")
            else:
                self._load_file(path, "active")

    def add_drilldowns(self, candidates: list[Candidate]) -> None:
        """The best candidates, up to their cap; one that cannot be loaded makes place for the next."""
        cap, used = self._ws.config.context.max_drilldowns, 0
        for entry, hits in candidates:
            if self._is_known(entry.path):
                self._skipped.append(entry.path)
            elif used >= cap:
                self._leave(entry.path, "drill-down", f"over the cap of {cap} drill-downs", hits)
            else:
                used += self._load_file(entry.path, "drill-down", hits)

    def add_index(self, index: Index, whole: Loaded) -> None:
        """The index, or as many of its lines as there is room for; the entries of the others are named."""
        self._room += self._held
        if self._admit(whole):
            return
        lines = whole.text.removesuffix("\n").split("\n")
        cut = next((at for at in self._cuts(whole, lines) if self._admit(_cut(whole, lines[:at]))), 0)
        where = f"cut after line {cut} of {len(lines)}" if cut else "no line of it fits"
        self._leave(whole.path, "index", f"over the budget of {self._budget:,} tokens: {where}")
        for entry in index.entries:
            if entry.lines[0] > cut:
                self._leave(entry.path, "index", "its line in the index is below the cut")

    def _cuts(self, whole: Loaded, lines: list[str]) -> Iterator[int]:
        """How many lines may fit, best guess first: as large a part of the characters as there is of the tokens."""
        ends = list(accumulate(len(line) + 1 for line in lines))
        cut = bisect_right(ends, ends[-1] * max(self._room, 0) / whole.size.tokens)
        while cut > 0:
            yield cut
            cut -= 1 + cut // 30

    def _is_known(self, path: str) -> bool:
        try:
            return path in self._known and self._known[path] == digest(self.read(path))
        except WorkspaceError:
            return False

    def _load_file(self, path: str, kind: Kind, hits: tuple[Hit, ...] = ()) -> bool:
        if path.endswith("/"):
            return self._leave(path, kind, "a folder: read the file in it that matters", hits)
        try:
            data = self.read(path)
        except WorkspaceError as error:
            return self._leave(path, kind, error.message.replace(str(self._ws.root / path), "it"), hits)
        file = _prepared(path, kind, data, hits)
        if self._admit(file):
            return True
        reason = f"over the budget: {file.size.tokens:,} tokens, {max(self._room, 0):,} of {self._budget:,} are left"
        return self._leave(path, kind, reason, hits, file.size.tokens)

    def _admit(self, file: Loaded) -> bool:
        fits = file.size.tokens <= self._room
        if fits:
            self._room -= file.size.tokens
            self._loaded.append(file)
            self._left_out.pop(file.path, None)
        return fits

    def _leave(self, path: str, kind: Kind, reason: str, hits: tuple[Hit, ...] = (), tokens: int | None = None) -> bool:
        if hits:  # a file over the cap of Active Context that a message calls for: that is what counts now
            self._left_out.pop(path, None)
        self._left_out.setdefault(path, LeftOut(path, kind, reason, hits, tokens))
        return False


def _place(file: Loaded) -> tuple[int, str]:
    return _ORDER[file.kind], file.path if file.kind == "drill-down" else ""


def _prepared(path: str, kind: Kind, data: bytes, hits: tuple[Hit, ...] = ()) -> Loaded:
    body = text.shown(markdown.decode(data))
    size = Size(len(data), utf16_units(body), count(text.section(path, kind, body, hits)))
    return Loaded(path, kind, body, size, hits, digest(data))


def _cut(whole: Loaded, lines: list[str]) -> Loaded:
    return _prepared(whole.path, whole.kind, markdown.encode("\n".join(lines)))
