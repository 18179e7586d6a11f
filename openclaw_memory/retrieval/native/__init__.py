"""What indexing runs in C, where the extension was compiled (`.ci/native.py`): the same results as Python gives.

Only the writing side imports this package; a search never does. Imports none of ours from elsewhere.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

from openclaw_memory.retrieval.native.sources import checksum

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
    sources = checksum(Path(__file__).parent)
    if sources not in (0, getattr(_speed, "SOURCES", -1)):  # a checkout that has moved on
        return None, "the C sources have changed since they were compiled", "pip install -e ."
    return _speed, "", ""


speed, why_not, remedy = _load()
