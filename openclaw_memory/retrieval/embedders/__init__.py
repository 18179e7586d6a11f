"""Embedders: text to unit vectors, offline by default. Each is one small class behind the `Embedder` protocol.

Importing this package loads no model, no numpy and no LlamaIndex; `choose` says which one to use, `load` makes it.
"""

from __future__ import annotations

from openclaw_memory.retrieval.embedders.base import Embedder
from openclaw_memory.retrieval.embedders.choose import Choice, choose, load, stated

__all__ = ["Choice", "Embedder", "choose", "load", "stated"]
