"""What `memory/decay.json` says, for those who only weigh by it: one that is missing or broken says nothing.

Heat never costs anybody a session or a search; `check` reports a broken file. Who changes it reads it strictly, in
`knowledge.decayfile`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from openclaw_memory import fsio
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

PATH = "memory/decay.json"


class Folded(Record):
    """As last folded: the row of each detail file by its path, and the days on which undated facts were first seen."""

    rows: Mapping[str, Mapping[str, object]] = {}
    first_seen: Mapping[str, object] = {}

    def of(self, path: str) -> str:
        """The temperature of a file; "" where it was never folded."""
        return str(self.rows.get(path, {}).get("temperature", ""))

    def files(self) -> dict[str, str]:
        """{path: temperature}."""
        return {path: self.of(path) for path in self.rows}


def read(ws: Workspace) -> Folded:
    """What the file of `ws` says."""
    try:
        return fsio.unchanged(f"{ws.root}/{PATH}", "temperatures", lambda: parse(fsio.read(ws.path(PATH))), Folded())
    except WorkspaceError:
        return Folded()


def parse(data: bytes) -> Folded:
    """What `data` says; a list of rows, an object with it, and rows by their path are all read."""
    import json

    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return Folded()
    top = told if isinstance(told, dict) else {"files": told}
    seen = top.get("first_seen")
    return Folded(dict(_rows(top.get("files", top))), seen if isinstance(seen, dict) else {})


def _rows(rows: object) -> Iterable[tuple[str, Mapping[str, object]]]:
    if isinstance(rows, dict):
        rows = [{"path": path, **row} for path, row in rows.items() if isinstance(row, dict)]
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and "path" in row:
            yield str(row["path"]), row
