"""What indexing runs in C, where the extension was compiled (`.ci/native.py`): the same results as Python gives.

Only the writing side imports this package; a search never does. Imports none of ours but the extension.
"""

from __future__ import annotations

import os
from types import ModuleType

INTERFACE = 1  # the number in `_speed.c`: raise both whenever a function there is added, removed or called otherwise
_AGAIN = "install a C compiler and Python's headers, then openclaw-memory again with --force-reinstall --no-cache-dir"


def _load() -> tuple[ModuleType | None, str, str]:
    """The extension, or None, why not, and what to do about it."""
    if os.environ.get("OPENCLAW_MEMORY_PURE", "") not in ("", "0"):
        return None, "OPENCLAW_MEMORY_PURE is set", "unset OPENCLAW_MEMORY_PURE"
    try:
        import openclaw_memory.retrieval.native._speed as _speed
    except ModuleNotFoundError:
        return None, "it was installed without compiling", _AGAIN
    except ImportError as error:
        return None, f"the C extension cannot be loaded ({error})", _AGAIN
    if getattr(_speed, "INTERFACE", 0) != INTERFACE:  # a checkout may hold what an older one compiled
        return None, "the C extension is another version's", _AGAIN
    return _speed, "", ""


speed, why_not, remedy = _load()
