"""openclaw-memory keeps an agent's Markdown memory in order. This file stays light: every hook imports it."""

from __future__ import annotations

__version__ = "0.1.0"
