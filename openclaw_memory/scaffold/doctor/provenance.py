"""Whether OpenClaw still trusts the index: the record it keeps of who wrote a memory file. Reads only.

OpenClaw 2026.8 and later injects MEMORY.md only if the last write by its own file tools followed one of its own: after
a write by anything else (an editor, git pull, this program) its next one marks the file `untrusted`, for good, and
nothing says so. The record is a row of `plugin_state_entries` in `<state>/state/openclaw.sqlite`, keyed by the SHA-256
of the workspace's real path and of the file's name (src: memory-artifact-provenance, seen in 2026.9.6).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

from openclaw_memory.hooks.openclaw import state_dir
from openclaw_memory.workspace import Workspace

_QUERY = """
SELECT value_json FROM plugin_state_entries
WHERE plugin_id = 'core:memory-artifact-provenance' AND namespace = 'workspace-files' AND entry_key = ?
"""

Standing = Literal["trusted", "untrusted", "at risk"]


def standing(ws: Workspace) -> Standing:
    """`untrusted`: the host does not load MEMORY.md. `at risk`: its own next write of it will have that effect.

    `trusted` where there is no record, no OpenClaw, or a state that cannot be read.
    """
    record = _record(state_dir() / "state" / "openclaw.sqlite", ws.root.resolve(), "MEMORY.md")
    if record.get("originClass") == "untrusted":
        return "untrusted"
    path = ws.root / "MEMORY.md"
    changed = record and path.is_file() and record.get("fileHash") != _sha256(path.read_bytes())
    return "at risk" if changed else "trusted"


def _record(database: Path, root: Path, name: str) -> dict[str, object]:
    key = f"{_sha256(root.as_posix().encode())}:{_sha256(name.encode())}"
    if not database.is_file():
        return {}
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            row = connection.execute(_QUERY, (key,)).fetchone()
        value = json.loads(row[0]) if row else {}
    except (sqlite3.Error, ValueError):
        return {}
    return value if isinstance(value, dict) and value.get("version") == 1 else {}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
