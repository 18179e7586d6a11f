"""Which of some files is the coldest: by `memory/decay.json` as last folded, else by the date of the last change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from openclaw_memory.facts import temperatures
from openclaw_memory.workspace import Workspace

_RANK = {"cold": 0, "unknown": 1, "warm": 2, "hot": 3}


def coldest(ws: Workspace, paths: Sequence[str]) -> str:
    """The path of `paths` (not empty) that was used the longest ago; of equals the last one listed."""
    rows = temperatures.read(ws).rows
    return min(reversed(paths), key=lambda path: _used(ws, path, rows.get(path, {})))


def _used(ws: Workspace, path: str, row: Mapping[str, object]) -> tuple[str, int]:
    """(day last used, rank of its temperature): comparable, the smallest is the coldest."""
    last = row.get("last_accessed") or row.get("lastAccessed")
    return str(last)[:10] if last else _changed(ws, path), _RANK.get(str(row.get("temperature")), 1)


def _changed(ws: Workspace, path: str) -> str:
    try:
        return datetime.fromtimestamp((ws.root / path).stat().st_mtime, UTC).date().isoformat()
    except OSError:
        return ""
