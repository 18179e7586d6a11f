"""What indexing runs in C, where the extension was compiled (`.ci/native.py`): the same results as Python gives.

Only the writing side imports this package; a search never does. Imports none of ours but the extension.
"""

from __future__ import annotations

import os
from types import ModuleType

INTERFACE = 1  # the number in `_speed.c`: raise both whenever a function there is added, removed or called otherwise


def _load() -> ModuleType | None:
    if os.environ.get("OPENCLAW_MEMORY_PURE", "") not in ("", "0"):
        return None
    try:
        from openclaw_memory.retrieval.native import _speed
    except ImportError:
        return None
    return _speed if getattr(_speed, "INTERFACE", 0) == INTERFACE else None  # a checkout may hold an older one


speed: ModuleType | None = _load()
"""The extension; None where it was not compiled, is another version's, or OPENCLAW_MEMORY_PURE is set."""
