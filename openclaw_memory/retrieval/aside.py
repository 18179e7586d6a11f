"""The index that one search makes for itself in memory, where none is there and none can be written.

A read-only folder, or a full disk: what is on disk is searched all the same, inside the time budget, and nothing is
left behind. It costs the search what an index costs, each time.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import fresh, store
from openclaw_memory.retrieval.scan import scan

if TYPE_CHECKING:
    from openclaw_memory.retrieval.collections import Collections
    from openclaw_memory.retrieval.hits import Freshness
    from openclaw_memory.workspace import Workspace

MADE = "no index can be written: this search made one in memory, for itself alone"


@contextmanager
def reading(
    ws: Workspace, found: Collections, state: Freshness, seconds: float
) -> Iterator[tuple[sqlite3.Connection | None, Freshness]]:
    """`store.reading`, with what there is to say of the index; one in memory where `state` says it is needed."""
    with store.reading(store.path_in(ws.state_path)) as db:
        if not state.unwritable or (db is not None and db.execute("SELECT 1 FROM files LIMIT 1").fetchone()):
            yield db, state
            return
    with closing(store.in_memory()) as db:
        yield db, _indexed(db, ws, found, state, fresh.allowed(ws, seconds))


def _indexed(db: sqlite3.Connection, ws: Workspace, found: Collections, state: Freshness, seconds: float) -> Freshness:
    from openclaw_memory.retrieval.apply import Apply
    from openclaw_memory.retrieval.update import seen

    differences = [scan(db, one) for one in found.all]
    report = seen(Apply(ws, db, time.monotonic() + seconds, None).run(differences, []), differences)
    notes = (*state.notes, MADE, *report.missing, *report.unreadable)
    return state._replace(
        state="partial" if report.pending else "fresh", pending=report.pending, notes=tuple(dict.fromkeys(notes))
    )
