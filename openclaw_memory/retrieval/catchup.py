"""Vectors that are missing, computed without being asked for: at the first query of a small workspace, else behind it.

Only by models that run on this machine; an endpoint is sent texts by `embed` alone. What cannot be done now is left
for later and never an error: words answer meanwhile.
"""

from __future__ import annotations

from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import store
from openclaw_memory.retrieval.embedders.choose import choose, load
from openclaw_memory.retrieval.lexical import statistics
from openclaw_memory.retrieval.postgres import entry as postgres

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.workspace import Workspace

SLICE = 2.0
"""Seconds of work between two looks at whether somebody waits."""
_FEW = {"local": 200, "multilingual": 20}
"""Passages that a first query embeds itself: what each model does in some seconds."""
_HERE = (*_FEW, "huggingface")


def is_due(ws: Workspace) -> bool:
    """Whether passages have no vector and a model on this machine could make them. Loads no model."""
    if choose(ws.config.retrieval.embedder).name not in _HERE:
        return False
    return _left(ws) > 0


def first(ws: Workspace, seconds: float) -> Embedder | None:
    """Embed a small workspace that has no vectors yet, for about `seconds`; the model, where it was loaded for it."""
    few = _FEW.get(choose(ws.config.retrieval.embedder).name, 0)
    if not few:
        return None
    if not 0 < _unread(ws) <= few:
        return None
    try:
        model = load(ws.config.retrieval)
    except OpenClawMemoryError:
        return None
    if model is not None:
        more(ws, model, seconds)
    return model


def more(ws: Workspace, model: Embedder, seconds: float = SLICE) -> int:
    """Embed for about `seconds`; how many files were done (0: nothing is left, or it cannot be done now)."""
    from openclaw_memory.retrieval.vectors import embed

    try:
        before = _left(ws)
        return max(0, before - embed(ws, model, seconds=seconds).pending) if before else 0
    except OpenClawMemoryError:  # another model's vectors, another writer, a full disk: `embed` says which
        return 0


def _left(ws: Workspace) -> int:
    """Files with passages that have no vector."""
    if postgres.is_on(ws):
        return postgres.left(ws)
    with store.reading(store.path_in(ws.state_path)) as db:
        if db is None:
            return 0
        return int(db.execute("SELECT COUNT(*) FROM files WHERE embedded = 0 AND chunks > 0").fetchone()[0])


def _unread(ws: Workspace) -> int:
    """The passages of a small workspace where none has a vector; 0 of a large one, and where some have."""
    if postgres.is_on(ws):
        return postgres.unread(ws)
    with store.reading(store.path_in(ws.state_path)) as db:
        if db is None or db.execute("SELECT 1 FROM embedded LIMIT 1").fetchone():
            return 0
        if statistics(db).chunks > max(_FEW.values()):  # a passage is a part of a chunk: there are no fewer of them
            return 0
        return int(db.execute("SELECT TOTAL(LENGTH(spans)) / 8 FROM chunks").fetchone()[0])
