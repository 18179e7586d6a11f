"""What a process that stays remembers of an index between its searches, by the generation of what it was read from.

One generation at a time: whoever asks with a reader of another one begins anew. A reader that is not kept (see
`store.stay`) has nothing to remember: what it gives is empty and forgotten with the search. Threads share it; what is
remembered is never changed. Imports nothing of the index.
"""

from __future__ import annotations

import sqlite3

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class Reader(sqlite3.Connection):
    """A connection that reads. `snapshot` names what it sees (file, generation), where the process stays."""

    snapshot: tuple[str, str] | None = None


_held: dict[str, tuple[tuple[str, str], dict[Any, Any]]] = {}


def remembered(db: sqlite3.Connection, kind: str, most: int) -> dict[Any, Any]:
    """What is remembered of a kind, to look into and to add to; all of it is forgotten when it is more than `most`."""
    snapshot = getattr(db, "snapshot", None)
    if snapshot is None:
        return {}
    known, held = _held.get(kind, (None, {}))
    if known != snapshot or len(held) > most:
        held = {}
        _held[kind] = snapshot, held
    return held
