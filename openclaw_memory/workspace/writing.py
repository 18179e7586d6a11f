"""The only way files of a workspace are written: under its lock, planned under it, kept for undo, then committed.

What to write is the caller's `plan`; what a change means, this module does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.collector import uncollected
from openclaw_memory.errors import FormatError, GitError, WorkspaceError, WriteError
from openclaw_memory.workspace import operations
from openclaw_memory.workspace.changes import Change, Outcome
from openclaw_memory.workspace.workspace import STATE, Workspace

LOCK = "lock"
BIRTH = "init"  # the command without whose files there is no workspace
SHRINK_LINES = 10  # an index that loses more lines of entries than this, and more than half of them, is refused


def transact(
    ws: Workspace,
    command: str,
    plan: Callable[[], Iterable[Change]],
    *,
    dry_run: bool = False,
    commit: bool = False,
    allow_shrink: bool = False,
    message: str = "",
    undoes: int | None = None,
    also: Sequence[str] = (),
) -> Outcome:
    """Make the changes that `plan` returns; all of them, or none.

    `plan` is called under the lock, after what a killed run left was put right, and reads the files it changes then.
    Changes that change nothing are dropped. With `commit` exactly the changed files are committed, with `message`
    (else `command`) as its text, and with them the files `also` (read after `plan`) that somebody else changed:
    an index and the detail files it was brought up to date with belong in one commit. Not re-entrant. Raises
    LockError, WriteError (then nothing was changed), GitError when the commit is refused (then the changes are in
    the work tree), and whatever `plan` raises.
    """
    if dry_run:
        with ws.resolved(), uncollected():
            return Outcome(_effective(ws, plan(), allow_shrink), dry_run=True)
    repository = _repository(ws) if commit else None
    with fsio.locked(ws.state_dir / LOCK), ws.resolved(), uncollected():
        operations.recover(ws)
        changes = _effective(ws, plan(), allow_shrink)
        if not changes:
            return Outcome((), commit=_commit(repository, also, message or command) if repository and also else None)
        operation = _write(ws, operations.begin(ws, command, message, changes, undoes), changes)
        memory = (change.path for change in changes if not change.path.startswith(f"{STATE}/"))  # state is git-ignored
        paths = [*dict.fromkeys([*memory, *also])]
        hexsha = _commit(repository, paths, message or command) if repository else None
        if hexsha:
            operations.set_commit(ws, operation, hexsha)
    return Outcome(changes, operation.number, hexsha)


def undo(ws: Workspace, number: int | None = None, *, dry_run: bool = False, commit: bool = False) -> Outcome:
    """Take an operation back: `number`, else the newest that is neither an undo nor taken back already.

    What made the workspace is only taken back by its number. Undoing an undo does it again. Raises WorkspaceError
    where there is nothing to take back, FormatError where a file has changed since.
    """
    target = _newest(ws) if number is None else operations.find(ws, number)
    if target.status != "done" or target.number in _undone(operations.history(ws)):
        raise WorkspaceError(f"operation {target.number} is already taken back", "see `openclaw-memory log`")
    return transact(
        ws,
        f"undo {target.number}",
        lambda: operations.reverse(ws, target),
        dry_run=dry_run,
        commit=commit,
        allow_shrink=True,
        message=f"Undo {target.command}",
        undoes=target.number,
    )


def _newest(ws: Workspace) -> operations.Operation:
    history = operations.history(ws)
    undone = _undone(history)
    for operation in history:
        if operation.status != "done" or operation.undoes is not None or operation.number in undone:
            continue
        if operation.command == BIRTH:
            hint = f"to take the workspace's own files back: openclaw-memory undo {operation.number}"
            raise WorkspaceError(f"there is nothing to undo but `{BIRTH}` itself", hint)
        return operation
    raise WorkspaceError("there is nothing to undo", "only what openclaw-memory wrote can be taken back")


def _undone(history: list[operations.Operation]) -> set[int]:
    undone: set[int] = set()
    for operation in history:  # newest first, so that an undone undo does not count
        if operation.undoes is not None and operation.status == "done" and operation.number not in undone:
            undone.add(operation.undoes)
    return undone


def _effective(ws: Workspace, changes: Iterable[Change], allow_shrink: bool) -> tuple[Change, ...]:
    """The changes that change something, one a file, checked against the disk, the root and the shrink guard."""
    merged: dict[str, Change] = {}
    for change in changes:
        first = merged.get(change.path, change)
        merged[change.path] = change._replace(before=first.before)
    found = tuple(change for change in merged.values() if change.before != change.after)
    for change in found:
        _check_unchanged(ws, change)
        if change.path == ws.config.index.path and not allow_shrink:
            _guard(change)
    return found


def _check_unchanged(ws: Workspace, change: Change) -> None:
    path = ws.path(change.path)
    if _on_disk(path) != change.before:
        raise FormatError(f"{change.path} was changed by somebody else meanwhile", "run the command again")


def _on_disk(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        raise WriteError(f"{path} is a folder", "rename it, or choose another name") from error
    except OSError as error:
        raise WriteError(f"cannot read {path}: {error.strerror}", "check the file's mode and owner") from error


def _guard(change: Change) -> None:
    old, new = _entry_lines(change.before), _entry_lines(change.after)
    emptied = bool((change.before or b"").strip()) and not (change.after or b"").strip()
    if emptied or (old - new > SHRINK_LINES and new * 2 < old):
        raise WriteError(
            f"{change.path} would shrink from {old} lines with entries to {new}; refused, and nothing was changed",
            "pass --allow-shrink where the command has it, or edit the file in an editor",
        )


def _entry_lines(data: bytes | None) -> int:
    return sum(b".md" in line or b"](" in line or b"[[" in line for line in (data or b"").splitlines())


def _write(ws: Workspace, operation: operations.Operation, changes: tuple[Change, ...]) -> operations.Operation:
    try:
        if all(change.after is not None for change in changes):
            fsio.write_all([(ws.path(change.path), change.after or b"") for change in changes])
        else:  # what goes may have to make room for what comes, so one after the other
            for change in changes:
                operations.put(ws, change.path, change.after)
    except WriteError:
        operations.roll_back(ws, operation)
        operations.finish(ws, operation, "rolled back")
        raise
    return operations.finish(ws, operation)


def _repository(ws: Workspace) -> Path:
    """The workspace's root, once it is known to lie in a repository. Raises GitError where it does not."""
    from openclaw_memory import git

    git.Repo.find(ws.root)
    return ws.root


def _commit(repository: Path, paths: Sequence[str], message: str) -> str | None:
    from openclaw_memory.git import porcelain

    try:
        return porcelain.commit(repository, paths, message)
    except GitError as error:
        written = "the changes are in the work tree, not committed; `openclaw-memory undo` takes them back"
        raise GitError(error.message, f"{error.hint}\n  {written}" if error.hint else written) from error
