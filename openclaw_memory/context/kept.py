"""The rendered context that is kept in `.openclaw-memory/context.json`, for hooks that must not start Python.

    {"version": 1,
     "sources": [{"path": "MEMORY.md", "mtime_ms": 1772442000123, "size": 1402}, ...],
     "active": "...", "index": "...", "left_out": [{"path", "kind", "reason", "why", "tokens"}, ...]}

`sources` are the files it was made from, relative to the workspace: as long as each has that size and time of
change (milliseconds since 1970, rounded down) the texts are what `context` would say. A source with a `size` and
`mtime_ms` of null did not exist and makes the file stale when it appears. `active` is Active Context, `index` the
index, both as a model reads them and "" when there is nothing to add.
"""

from __future__ import annotations

from pathlib import Path

from openclaw_memory import config, fsio
from openclaw_memory.context import formats, sources
from openclaw_memory.context.build import build
from openclaw_memory.workspace import Workspace

FILE = "context.json"


def keep(ws: Workspace) -> Path:
    """Render the context of a session start (no message) and keep it; returns where.

    Raises WorkspaceError where there is no index to read, WriteError where the file cannot be written.
    """
    import json

    stamps = {config.FILE: _stamp(ws.root / config.FILE)}

    def read(rel: str) -> bytes:
        stamps[rel] = _stamp(ws.root / rel)  # before the read: a change in between makes it stale, not wrong
        return sources.read_file(ws, rel)

    context = build(ws, read=read)
    kept = {
        "version": 1,
        "sources": [{"path": path, **stamps[path]} for path in sorted(stamps)],
        "active": formats.part(context, "active"),
        "index": formats.part(context, "index"),
        "left_out": [file.to_json() for file in context.left_out],
    }
    path = ws.state_dir / FILE
    fsio.write(path, json.dumps(kept, indent=1).encode())
    return path


def _stamp(path: Path) -> dict[str, int | None]:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return {"mtime_ms": None, "size": None}
    return {"mtime_ms": status.st_mtime_ns // 1_000_000, "size": status.st_size}
