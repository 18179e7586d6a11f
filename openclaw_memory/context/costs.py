"""What memory costs at session start: before, when everything is in one file that is always loaded, and after.

Before is the index and every detail file; after is what `context` loads without a message. Daily notes are counted
apart: no host loads them all, so they are in neither sum.
"""

from __future__ import annotations

from collections.abc import Iterable

from openclaw_memory import markdown
from openclaw_memory.context import sources, text
from openclaw_memory.context.build import build
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.record import Record
from openclaw_memory.tokens import Size, count, measure
from openclaw_memory.workspace import Workspace

INDEX, DAILY, OTHER = "index", "daily", "other"
_NOTHING = Size(0, 0, 0)


class FileCost(Record):
    """A file: its size, and the tokens of it that a session start loads; `problem` says why it was not read."""

    path: str
    kind: str
    size: Size
    loaded: int
    problem: str = ""

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        row: dict[str, object] = {"path": self.path, "kind": self.kind, **self.size.to_json(), "loaded": self.loaded}
        return {**row, "problem": self.problem} if self.problem else row


class Stats(Record):
    """The files, and the tokens of a session start `before` and `after`."""

    files: tuple[FileCost, ...]
    before: int
    after: int

    def kinds(self) -> dict[str, tuple[int, int, int]]:
        """{kind: (files, tokens before, tokens after)}: the index first, daily notes last."""
        sums: dict[str, tuple[int, int, int]] = {}
        for file in self.files:
            files, before, after = sums.get(file.kind, (0, 0, 0))
            sums[file.kind] = (files + 1, before + file.size.tokens, after + file.loaded)
        return dict(sorted(sums.items(), key=lambda item: (item[0] != INDEX, item[0] == DAILY, item[0])))

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        kinds = {
            kind: {"files": files, "before": before, "after": after}
            for kind, (files, before, after) in self.kinds().items()
        }
        return {
            "before": {"tokens": self.before},
            "after": {"tokens": self.after},
            "kinds": kinds,
            "files": [file.to_json() for file in self.files],
        }


def stats(ws: Workspace) -> Stats:
    """The costs of `ws`. Raises WorkspaceError where there is no index to read; other files are reported."""
    context = build(ws)
    loaded = {file.path: file.size.tokens for file in context.loaded}
    kinds = {ws.config.index.path: INDEX}
    kinds |= {path: ws.layout.kind_of(path) or OTHER for path in (*loaded, *ws.detail_files()) if path not in kinds}
    kinds |= dict.fromkeys(ws.daily_notes(), DAILY)
    files = tuple(_cost(ws, path, kind, loaded.get(path, 0)) for path, kind in kinds.items())
    return Stats(files, _tokens(file for file in files if file.kind != DAILY), count(text.render(context)))


def _cost(ws: Workspace, path: str, kind: str, loaded: int) -> FileCost:
    try:
        return FileCost(path, kind, measure(markdown.decode(sources.read_file(ws, path))), loaded)
    except WorkspaceError as error:
        return FileCost(path, kind, _NOTHING, loaded, error.message)


def _tokens(files: Iterable[FileCost]) -> int:
    return sum(file.size.tokens for file in files)
