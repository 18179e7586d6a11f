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
    with_index = builder.hold_for_index(index, data)
    builder.add_active(index)
    if message:
        others = (entry for entry in index.entries if not entry.active)
        builder.add_drilldowns(called_for(others, message, sources.read_heat(ws)))
    if with_index:
        builder.add_index(index, data)
    return builder.context()


class _Builder:
    """Collects files as long as there is room, in tokens; what it says "no" to, it leaves out by name."""

    def __init__(self, ws: Workspace, known: Mapping[str, str], read: sources.Reader) -> None:
        self.read = read
        self._ws = ws
        self._known = known
        self._skipped: list[str] = []
        self._loaded: list[Loaded] = []
        self._left_out: list[LeftOut] = []
        self._budget = ws.config.context.budget_tokens
        self._room = int(self._budget * (1 - text.NAMES_SHARE)) - count(text.PREAMBLE)
        self._held = 0

    def context(self) -> Context:
        """What was collected, in the order it is printed in."""
        loaded = sorted(self._loaded, key=lambda file: (_ORDER[file.kind], file.path * (file.kind == "drill-down")))
        return Context(tuple(loaded), tuple(self._left_out), self._budget, tuple(self._skipped))

    def hold_for_index(self, index: Index, data: bytes) -> bool:
        """Keep room for the index, up to its own limit; what is over that only gets what the others leave."""
        if index.path in self._known:
            self._skipped.append(index.path)
            return False
        cost = count(text.section(index.path, "index", text.shown(markdown.decode(data))))
        self._held = min(cost, self._ws.config.index.max_tokens)
        self._room -= self._held
        return True

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

    def add_index(self, index: Index, data: bytes) -> None:
        """The index, or as many whole lines of it as there is room for; the entries of the others are named."""
        self._room += self._held
        if self._load(index.path, "index", data):
            return
        lines = text.shown(markdown.decode(data)).split("\n")
        cut = next(
            (cut for cut in self._cuts(lines, index.path) if self._load(index.path, "index", _head(lines, cut))), 0
        )
        where = f"cut after line {cut} of {len(lines)}" if cut else "no line of it fits"
        self._leave(index.path, "index", f"over the budget of {self._budget:,} tokens: {where}")
        for entry in index.entries:
            if entry.lines[0] > cut:
                self._leave(entry.path, "index", "its line in the index is below the cut")

    def _cuts(self, lines: list[str], path: str) -> Iterator[int]:
        """How many lines may fit, best guess first: the sum over lines is not quite the count of the whole."""
        frame = count(text.section(path, "index", ""))
        sums = list(accumulate((count(line + "\n") for line in lines), initial=frame))
        cut = bisect_right(sums, self._room) - 1
        while cut > 0:
            yield cut
            cut -= 1 + cut // 20

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
        if self._load(path, kind, data, hits):
            return True
        needs = count(text.shown(markdown.decode(data)))
        reason = f"over the budget: {needs:,} tokens, {max(self._room, 0):,} of {self._budget:,} are left"
        return self._leave(path, kind, reason, hits, needs)

    def _load(self, path: str, kind: Kind, data: bytes, hits: tuple[Hit, ...] = ()) -> bool:
        body = text.shown(markdown.decode(data))
        cost = count(text.section(path, kind, body, hits))
        if cost > self._room:
            return False
        self._room -= cost
        size = Size(len(data), utf16_units(body), cost)
        self._loaded.append(Loaded(path, kind, body, size, hits, digest(data)))
        return True

    def _leave(self, path: str, kind: Kind, reason: str, hits: tuple[Hit, ...] = (), tokens: int | None = None) -> bool:
        self._left_out.append(LeftOut(path, kind, reason, hits, tokens))
        return False


def _head(lines: list[str], cut: int) -> bytes:
    return markdown.encode("\n".join(lines[:cut]))
