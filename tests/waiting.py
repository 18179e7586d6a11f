"""Waiting for what another thread or process does. A machine that is busy makes it slow, never wrong."""

from __future__ import annotations

import time
from collections.abc import Callable

LONG = 60.0
"""Seconds for what takes a second where nothing else runs: only a test that fails waits so long."""
LOOK = 0.05


def soon(true: Callable[[], object], seconds: float = LONG) -> bool:
    """Whether it comes true. Looks are counted, not seconds: the machine may stand still between two."""
    for _ in range(int(seconds / LOOK)):
        if true():
            return True
        time.sleep(LOOK)
    return bool(true())
