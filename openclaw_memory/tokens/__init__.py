"""Sizes of text: model tokens (estimated, no dependency), UTF-16 units, bytes. Imports nothing of ours."""

from openclaw_memory.tokens.estimate import count
from openclaw_memory.tokens.size import Size, measure, utf16_units

__all__ = ["Size", "count", "measure", "utf16_units"]
