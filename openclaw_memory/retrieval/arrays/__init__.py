"""The leg of words by numpy, for processes that stay: the same passages and scores as `shortlist` and `passages` give.

Only where numpy is loaded already, and from a reader that is kept (see `store.stay`): to import it costs more than
twenty searches. Imports numpy when it is used, never before.
"""

from __future__ import annotations

import sqlite3
import sys
from types import ModuleType


def load() -> None:
    """Load numpy, where it is installed. For a process that stays, while nobody waits for it."""
    try:
        from openclaw_memory.retrieval.arrays import steps  # noqa: F401  # loaded for those who come later
    except ImportError:
        return


def of(db: sqlite3.Connection) -> ModuleType | None:
    """The steps by numpy, where searches of `db` may use them."""
    if getattr(db, "snapshot", None) is None or "numpy" not in sys.modules:
        return None
    from openclaw_memory.retrieval.arrays import steps

    return steps
