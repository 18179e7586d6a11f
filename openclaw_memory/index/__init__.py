"""MEMORY.md as an index: what it lists, and edits that change only the lines they mean to change.

Reads by `markdown`'s scanner; pure but for `operations`. Imports no command, check or retrieval.
"""

from openclaw_memory.index.model import Entry, Hidden, Index, IndexSection, Mention, Placeholder, Reference
from openclaw_memory.index.parse import parse
from openclaw_memory.index.resolve import Resolved, Resolver

__all__ = [
    "Entry",
    "Hidden",
    "Index",
    "IndexSection",
    "Mention",
    "Placeholder",
    "Reference",
    "Resolved",
    "Resolver",
    "parse",
]
