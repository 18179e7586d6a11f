"""Which of some files is the coldest: by `memory/decay.json` as last folded, else by the date of the last change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from openclaw_memory.workspace import Workspace

FOLDED = "memory/decay.json"
_RANK = {"cold": 0, "unknown": 1, "warm": 2, "hot": 3}


def coldest(ws: Workspace, paths: Sequence[str]) -> str:
    """The path of `paths` (not empty) that was used the longest ago; of equals the last one listed."""
    folded = _folded(ws)
    return min(reversed(paths), key=lambda path: _used(ws, path, folded.get(path, {})))


def _used(ws: Workspace, path: str, row: dict[str, object]) -> tuple[str, int]:
    """(day last used, rank of its temperature): comparable, the smallest is the coldest."""
    last = row.get("last_accessed") or row.get("lastAccessed")
    return str(last)[:10] if last else _changed(ws, path), _RANK.get(str(row.get("temperature")), 1)


def _changed(ws: Workspace, path: str) -> str:
    try:
        return datetime.fromtimestamp((ws.root / path).stat().st_mtime, UTC).date().isoformat()
    except OSError:
        return ""


def _folded(ws: Workspace) -> dict[str, dict[str, object]]:
    """{path: row} of the folded accesses; empty where there are none yet, or not readable."""
    try:
        loaded = json.loads((ws.root / FOLDED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    groups = loaded.values() if isinstance(loaded, dict) else [loaded]
    rows = [row for group in groups for row in (group if isinstance(group, list) else [group])]
    return {str(row["path"]): row for row in rows if isinstance(row, dict) and "path" in row}
