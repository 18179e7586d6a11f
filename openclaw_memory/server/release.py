"""Which code runs: tells a server that was started before an upgrade from its clients. Light: every `query` asks."""

from __future__ import annotations

from pathlib import Path

from openclaw_memory import __version__

_PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = tuple(_PACKAGE / name for name in ("", "retrieval", "server"))
"""Where files change when another state of the same version is installed or checked out."""


def release() -> str:
    """The version, and when files were last put in or taken out: pip and git replace what they change."""
    return " ".join((__version__, *(str(folder.stat().st_mtime_ns) for folder in FOLDERS)))
