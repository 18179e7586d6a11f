"""What kind a searched file is, for the `kind:` filter and the priors: by the workspace's layout and its name."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import dates
from openclaw_memory.retrieval.collections import Collection

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace


def kind_of(ws: Workspace, collection: Collection, path: str) -> str:
    """`index`, `fact`, `daily`, a kind of the layout (`people`, `projects`, ...), or ""."""
    name = path.rpartition("/")[2]
    if name == "items.json":
        return "fact"
    rel = _in_workspace(ws.root, collection.root, path)
    if rel is None:
        return "daily" if len(name) == 13 and dates.date_in(name) else ""
    if rel == ws.config.index.path:
        return "index"
    if ws.layout.is_daily(rel):
        return "daily"
    return ws.layout.kind_of(rel) or ""


def _in_workspace(root: Path, folder: Path, path: str) -> str | None:
    above = _above(root, folder)
    return above if above is None else above + path


@lru_cache(64)
def _above(root: Path, folder: Path) -> str | None:
    """What stands before a path below `folder` to make it one below `root`; None where it is elsewhere."""
    try:
        above = folder.relative_to(root).as_posix()
    except ValueError:
        return None
    return "" if above == "." else f"{above}/"
