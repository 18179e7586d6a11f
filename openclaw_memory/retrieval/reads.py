"""What was read goes to the access journal, from which heat is counted. Only what lies in the workspace."""

from __future__ import annotations

from collections.abc import Iterable

from openclaw_memory.errors import WriteError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.addressed import Name
from openclaw_memory.retrieval.collections import DATABASE

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace


def record(ws: Workspace, names: Iterable[Name], source: str = "get") -> None:
    """Count one access each. A journal that cannot be written keeps nobody from reading."""
    from openclaw_memory.workspace import journal

    files = [one.collection.root / one.path for one in names if one.collection.source != DATABASE]
    items = [(full.relative_to(ws.root).as_posix(), None) for full in files if full.is_relative_to(ws.root)]
    try:
        journal.record(ws, items, source)
    except WriteError:
        return
