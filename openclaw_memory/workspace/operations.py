"""The operation log: what each write replaced, so that it can be completed, rolled back, shown and undone.

`.openclaw-memory/pending.json` names the operation that is being written; `snapshots/<number>.json` are the finished
ones, with the old bytes of their files one behind the other in `snapshots/<number>/0`. An append keeps no copy: its
old bytes are a prefix of the new ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.errors import FormatError, WorkspaceError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace.changes import Change
from openclaw_memory.workspace.workspace import Workspace

if TYPE_CHECKING:
    from typing import Any

PENDING = "pending.json"
FOLDER = "snapshots"
_COPIES = "0"


class FileRecord(Record):
    """One file of an operation: SHA-256 of its bytes before and after (None: no file), and where the old ones are.

    `kept` is the name of the file below the operation's folder that holds its `size` old bytes from `start` on; empty
    where the first `size` bytes of the new file are the old ones.
    """

    path: str
    before: str | None
    after: str | None
    size: int = 0
    kept: str = ""
    start: int = 0


class Operation(Record):
    """One write. `status` is `pending`, `done` or `rolled back`; `undoes` is the number of the one it took back."""

    number: int
    command: str
    message: str
    at: str
    files: tuple[FileRecord, ...]
    status: str = "pending"
    commit: str | None = None
    undoes: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {**self._asdict(), "files": [file._asdict() for file in self.files]}


def history(ws: Workspace) -> list[Operation]:
    """Every operation whose record is kept, newest first. Raises FormatError for a record that is damaged."""
    return [_load(path) for path in sorted(_folder(ws).glob("*.json"), reverse=True)]


def find(ws: Workspace, number: int) -> Operation:
    """The operation `number`. Raises WorkspaceError where it is not known."""
    path = _record(ws, number)
    if not path.is_file():
        raise WorkspaceError(f"there is no operation {number}", "see the numbers with `openclaw-memory log`")
    return _load(path)


def begin(
    ws: Workspace, command: str, message: str, changes: tuple[Change, ...], undoes: int | None = None
) -> Operation:
    """Keep the old bytes and write down what is going to happen. Caller holds the lock."""
    number = 1 + max((int(path.stem) for path in _folder(ws).glob("*.json")), default=0)
    _drop(_copies(ws, number))  # of a run that was killed before it wrote a file
    files = _keep(ws, number, changes)
    operation = Operation(number, command, message, ws.now().isoformat(timespec="seconds"), files, undoes=undoes)
    _save(ws.state_dir / PENDING, operation)
    return operation


def finish(ws: Workspace, operation: Operation, status: str = "done") -> Operation:
    """The files are written: file the record, and drop the oldest ones beyond what the config keeps."""
    done = operation._replace(status=status)
    _save(_record(ws, done.number), done)
    fsio.remove(ws.state_dir / PENDING)
    for old in sorted(_folder(ws).glob("*.json"))[: -ws.config.snapshots.keep]:
        _drop(old.with_suffix(""))
        fsio.remove(old)
    return done


def set_commit(ws: Workspace, operation: Operation, commit: str) -> None:
    """Note the commit that holds the operation."""
    _save(_record(ws, operation.number), operation._replace(commit=commit))


def recover(ws: Workspace) -> Operation | None:
    """Complete an operation that a kill left behind, or roll it back; None where there is none. Caller holds the lock.

    Complete when every file has its new bytes; else the files that have them get their old ones back. A file that has
    neither was edited since, and stays.
    """
    path = ws.state_path / PENDING
    if not path.exists():
        return None
    operation = _load(path)
    for folder in {ws.path(file.path).parent for file in operation.files}:
        fsio.sweep(folder)
    if (_record(ws, operation.number)).exists():
        fsio.remove(path)
        return None
    if all(_digest(_bytes(ws, file.path)) == file.after for file in operation.files):
        return finish(ws, operation)
    roll_back(ws, operation)
    return finish(ws, operation, "rolled back")


def roll_back(ws: Workspace, operation: Operation) -> None:
    """Give every file that already has its new bytes the old ones back."""
    for file in reversed(operation.files):
        if _digest(_bytes(ws, file.path)) == file.after:
            put(ws, file.path, old_bytes(ws, operation, file))


def reverse(ws: Workspace, operation: Operation) -> Iterator[Change]:
    """The changes that take `operation` back; files that hold their old bytes already are left out.

    Raises FormatError naming a file that was changed since.
    """
    for file in operation.files:
        now = _bytes(ws, file.path)
        if _digest(now) == file.before:
            continue
        if _digest(now) != file.after:
            raise FormatError(
                f"{file.path} has changed since operation {operation.number} ({operation.command})",
                f"take later operations back first (openclaw-memory log); {_where(ws, operation, file)}",
            )
        yield Change(file.path, now, old_bytes(ws, operation, file))


def old_bytes(ws: Workspace, operation: Operation, file: FileRecord) -> bytes | None:
    """What `file` held before `operation` (for an append: read from the file as it is now)."""
    if file.before is None:
        return None
    data = _copy(ws, operation, file) if file.kept else (_bytes(ws, file.path) or b"")[: file.size]
    if _digest(data) != file.before:
        raise FormatError(f"the kept copy of {file.path} is damaged", "restore the file from git")
    return data


def put(ws: Workspace, rel: str, data: bytes | None) -> None:
    """Make the file hold `data`; None removes it and the folders that this empties."""
    path = ws.path(rel)
    if data is not None:
        fsio.write(path, data, root=ws.root)
        return
    fsio.remove(path)
    for folder in path.parents:
        if folder == ws.root or not folder.is_dir() or any(folder.iterdir()):
            break
        folder.rmdir()


def action(file: FileRecord) -> str:
    """What happened to a file: `create`, `edit` or `delete`."""
    if file.before is None:
        return "create"
    return "delete" if file.after is None else "edit"


def touching(ws: Workspace, path: str = "") -> list[Operation]:
    """The history of one file or folder (default: all of it), newest first."""
    return [
        operation
        for operation in history(ws)
        if not path or any(file.path == path or file.path.startswith(f"{path}/") for file in operation.files)
    ]


def _drop(folder: Path) -> None:
    """Remove a folder of copies, where there is one."""
    if folder.exists():
        import shutil  # costs more than a whole `note` may

        shutil.rmtree(folder, ignore_errors=True)


def _keep(ws: Workspace, number: int, changes: tuple[Change, ...]) -> tuple[FileRecord, ...]:
    """Keep what the changes replace, all in one file (a file each would cost a large batch its time twice)."""
    records: list[FileRecord] = []
    kept: list[bytes] = []
    start = 0
    for path, before, after in changes:
        record = FileRecord(path, _digest(before), _digest(after), len(before or b""))
        if before is not None and not (after is not None and after.startswith(before)):
            record = record._replace(kept=_COPIES, start=start)
            kept.append(before)
            start += len(before)
        records.append(record)
    if kept:
        fsio.write(_copies(ws, number) / _COPIES, b"".join(kept))
    return tuple(records)


def _copy(ws: Workspace, operation: Operation, file: FileRecord) -> bytes:
    """The kept bytes of `file`; fewer where they are damaged."""
    try:
        with open(_copies(ws, operation.number) / file.kept, "rb") as copies:
            copies.seek(file.start)
            return copies.read(file.size)
    except OSError:
        return b""


def _where(ws: Workspace, operation: Operation, file: FileRecord) -> str:
    if not file.kept:
        return "or edit it by hand"
    part = f", {file.size} bytes from byte {file.start} on" if file.start else ""
    return f"its old bytes are in {_copies(ws, operation.number) / file.kept}{part}"


def _bytes(ws: Workspace, rel: str) -> bytes | None:
    try:
        return ws.path(rel).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {rel}: {error.strerror}", "check the file's mode and owner") from error


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _folder(ws: Workspace) -> Path:
    return ws.state_path / FOLDER


def _copies(ws: Workspace, number: int) -> Path:
    return _folder(ws) / f"{number:06}"


def _record(ws: Workspace, number: int) -> Path:
    return _folder(ws) / f"{number:06}.json"


def _save(path: Path, operation: Operation) -> None:
    fsio.write(path, json.dumps(operation.to_json()).encode())


def _load(path: Path) -> Operation:
    try:
        value = json.loads(fsio.read(path))
        return Operation(**{**value, "files": tuple(FileRecord(**file) for file in value["files"])})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FormatError(f"{path} is damaged: {error}", "delete it; only the way back is lost") from error
