"""The steps of the leg of words by numpy."""

from openclaw_memory.retrieval.arrays.score import score
from openclaw_memory.retrieval.arrays.shortlist import chosen

__all__ = ["chosen", "score"]
