"""The index that is made in memory, where none is there and none can be written.

A read-only folder, or a full disk: what is on disk is searched all the same, inside the time budget, and nothing is
left behind. It costs a command what an index costs, each time; a process that stays keeps it, and what changed is
indexed before each search as it is on disk.
"""

from __future__ import annotations

import sqlite3
import time
from _thread import allocate_lock  # threading's own lock, without its import
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import fresh, store
from openclaw_memory.retrieval.scan import scan

if TYPE_CHECKING:
    from openclaw_memory.retrieval.collections import Collections
    from openclaw_memory.retrieval.hits import Freshness
    from openclaw_memory.workspace import Workspace

MADE = "no index can be written: this search made one in memory, for itself alone"
KEPT = "no index can be written: this process keeps one in memory, for itself alone"

_kept: dict[Path, sqlite3.Connection] = {}
"""By the path that the index on disk would have."""
_one_at_a_time = allocate_lock()


@contextmanager
def reading(
    ws: Workspace, found: Collections, state: Freshness, seconds: float
) -> Iterator[tuple[sqlite3.Connection | None, Freshness]]:
    """`store.reading`, with what there is to say of the index; one in memory where `state` says it is needed."""
    path = store.path_in(ws.state_path)
    with store.reading(path) as db:
        if not state.unwritable or (db is not None and db.execute("SELECT 1 FROM files LIMIT 1").fetchone()):
            _kept.pop(path, None)
            yield db, state
            return
    if store.stays(path):
        with _one_at_a_time:
            db = _kept[path] = _kept.get(path) or store.in_memory()
            try:
                yield db, _indexed(db, ws, found, state, seconds, KEPT)
            except BaseException:
                _kept.pop(path, None)
                raise
    else:
        with closing(store.in_memory()) as db:
            yield db, _indexed(db, ws, found, state, seconds, MADE)


def _indexed(
    db: sqlite3.Connection, ws: Workspace, found: Collections, state: Freshness, seconds: float, told: str
) -> Freshness:
    from openclaw_memory.retrieval.apply import Apply
    from openclaw_memory.retrieval.update import forgotten, seen

    until = time.monotonic() + fresh.allowed(ws, seconds)
    differences = [scan(db, one) for one in found.all]
    report = seen(Apply(ws, db, until, None).run(differences, forgotten(db, found.all)), differences)
    notes = (*state.notes, told, *report.missing, *report.unreadable)
    return state._replace(
        state="partial" if report.pending else "fresh", pending=report.pending, notes=tuple(dict.fromkeys(notes))
    )
