"""`memory/decay.json`: one row a detail file: path, last_accessed, access_count, temperature, first_seen.

`first_seen` beside the rows holds the day on which a fact without any date was met. Bytes in, bytes out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openclaw_memory import fsio
from openclaw_memory.facts import temperatures
from openclaw_memory.knowledge import conflict, jsonfile
from openclaw_memory.knowledge.indexing import Plan, landed
from openclaw_memory.workspace import Workspace

PATH = temperatures.PATH

Row = dict[str, object]


@dataclass
class DecayFile:
    """The rows by path; `updated` is the day of the last write, `first_seen` the days of facts by reference."""

    files: dict[str, Row] = field(default_factory=dict)
    first_seen: dict[str, str] = field(default_factory=dict)
    updated: str = ""
    extra: dict[str, object] = field(default_factory=dict)

    def dump(self) -> bytes:
        """The file's bytes: sorted, one row a line, so that two machines' edits merge."""
        rows = [json.dumps({"path": path, **row}, ensure_ascii=False) for path, row in sorted(self.files.items())]
        head = {"version": 1, "updated": self.updated, **self.extra}
        parts = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
        days = sorted(self.first_seen.items())
        seen = [f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(day)}" for key, day in days]
        parts.append(f'"first_seen": {_block(seen, "{}")}')
        parts.append(f'"files": {_block(rows, "[]")}')
        return ("{\n" + ",\n".join(f"  {part}" for part in parts) + "\n}\n").encode("utf-8", "surrogateescape")


def _block(rows: list[str], brackets: str) -> str:
    if not rows:
        return brackets
    return brackets[0] + "\n" + ",\n".join(f"    {row}" for row in rows) + "\n  " + brackets[1]


def read(ws: Workspace) -> tuple[bytes | None, DecayFile]:
    """The file's bytes and content; (None, empty) where there is none. Raises FormatError naming line and column."""
    path = ws.path(PATH)
    if not path.exists():
        return None, DecayFile()
    data = fsio.read(path, binary=True)
    return data, parse(data)


def parse(data: bytes) -> DecayFile:
    """The content of `data`; a list of rows and an object with `files` are both read."""
    both = conflict.sides(data)
    if both is not None:
        return _joined(*(_lenient(side) for side in both))
    value = jsonfile.load(data.decode("utf-8", "surrogateescape"), PATH)
    top = value if isinstance(value, dict) else {"files": value}
    rows = top.pop("files", None)
    seen = top.pop("first_seen", None)
    top.pop("version", None)
    return DecayFile(
        files=dict(_rows(rows)),
        first_seen={str(key): str(day) for key, day in seen.items()} if isinstance(seen, dict) else {},
        updated=str(top.pop("updated", "")),
        extra=top,
    )


def _lenient(side: bytes) -> DecayFile:
    """One side of a half merged file."""
    return DecayFile(dict(_rows(conflict.rows(side))))


def _joined(ours: DecayFile, theirs: DecayFile) -> DecayFile:
    """Both sides: of a row that both have the later access and the higher count."""
    for path, row in theirs.files.items():
        mine = ours.files.setdefault(path, row)
        for key in ("last_accessed", "access_count"):
            mine[key] = max(mine.get(key), row.get(key), key=lambda value: (str(type(value)), value or 0))
    return ours


def merged(base: DecayFile, ours: DecayFile, theirs: DecayFile) -> DecayFile:
    """Both sides of a merge: each has counted its own accesses; a row that one side dropped is of a file long gone."""
    gone = {path for path in base.files if path not in ours.files or path not in theirs.files}
    rows = {path: dict(row) for path, row in ours.files.items()}
    counted = {path: _count(rows[path]) + _count(row) - _count(base.files.get(path, {})) for path, row in
               theirs.files.items() if path in rows}  # fmt: skip
    both = _joined(replace(ours, files=rows), theirs)
    for path, count in counted.items():
        both.files[path]["access_count"] = count
    both.files = {path: row for path, row in both.files.items() if path not in gone}
    both.first_seen = {**theirs.first_seen, **ours.first_seen}
    both.updated = max(ours.updated, theirs.updated)
    return both


def _count(row: Row) -> int:
    count = row.get("access_count")
    return count if isinstance(count, int) else 0


def follow(work: Plan, moves: Mapping[str, str], old: str = "", new: str = "") -> None:
    """Let the rows follow the files that `moves`, and the first-seen days the entity `old` that is now called `new`."""
    data = work.read(PATH)
    if data is None or not moves:
        return
    record = parse(data)
    record.files = {landed(path, moves): row for path, row in record.files.items()}
    record.first_seen = {
        f"{new}:{key.rpartition(':')[2]}" if old and key.startswith(f"{old}:") else key: day
        for key, day in record.first_seen.items()
    }
    work.write(PATH, record.dump())


def _rows(value: object) -> list[tuple[str, Row]]:
    if isinstance(value, Mapping):  # rows by path
        return [(str(path), dict(row)) for path, row in value.items() if isinstance(row, Mapping)]
    found = []
    for row in value if isinstance(value, list) else ():
        if isinstance(row, Mapping) and isinstance(row.get("path"), str):
            found.append((row["path"], {key: item for key, item in row.items() if key != "path"}))
    return found
