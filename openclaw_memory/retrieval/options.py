"""How to search: what every verb, the server and the agents' tools may ask for."""

from __future__ import annotations

from openclaw_memory.record import Record
from openclaw_memory.retrieval import fresh


class Options(Record):
    """How to search. `limit` 0 and `snippet_chars` 0 mean the config's values."""

    limit: int = 0
    collections: tuple[str, ...] = ()
    min_score: float = 0.0
    snippet_chars: int = 0
    full: bool = False
    """Whole files with the passages: one hit a file, its text as the body."""
    explain: bool = False
    budget: float = fresh.BUDGET
    """Seconds for indexing what changed; 0 takes the index as it is."""
    by_file: bool = False
    """At most one hit a file."""
    max_age: float = 0.0
    """Seconds that a look at the disk stays good; 0 looks each time. For processes that stay."""
    rerank: bool = True
    """Whether the config's `retrieval.rerank` counts."""
    now: str = ""
    """The time that recency is counted from (ISO); "" is now."""


DEFAULTS = Options()
