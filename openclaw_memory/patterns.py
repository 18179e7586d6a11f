"""`pattern`: a regular expression compiled when it is first used. A hook defines seventy, 10 ms, and uses twelve.

Imports `re` and `record`. A type checker sees `re.compile`.
"""

from __future__ import annotations

import re

from openclaw_memory.record import TYPE_CHECKING

__all__ = ["pattern"]

if TYPE_CHECKING:
    from re import compile as pattern
else:
    _BOUND = ("findall", "finditer", "flags", "fullmatch", "match", "search", "split", "sub")

    class pattern:
        """As `re.compile(source, flags)`; what it is asked for is taken from the compiled one at the first call."""

        __slots__ = (*_BOUND, "_flags", "pattern")

        def __init__(self, source: str, flags: int = 0) -> None:
            self.pattern, self._flags = source, flags

        def __getattr__(self, name: str):
            compiled = re.compile(self.pattern, self._flags)
            for bound in _BOUND:
                setattr(self, bound, getattr(compiled, bound))
            return getattr(compiled, name)
