"""What a command did to the files of a workspace: git's view of the work tree before and after it. Changes nothing.

A file that was as committed before and is not afterwards was changed by the command, or by somebody else while it ran:
that cannot be told apart, and both are taken. A file that had changes before is the user's, whatever the command did.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

from openclaw_memory.errors import GitError
from openclaw_memory.git import Repo
from openclaw_memory.heartbeat.execute import Result
from openclaw_memory.record import Record
from openclaw_memory.workspace import STATE, Workspace

Dirt = dict[str, tuple[int, int, int] | None]
"""Each path that is not as committed, with its size, time and inode (None: it is gone)."""
_STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all", "--")


class Effects(Record):
    """The paths a command changed that may be committed, and those that may not (`left`) because of changes before."""

    changed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def watched(ws: Workspace, ours: Collection[str], work: Callable[[], Result]) -> Result:
    """Do the work, and add to its result what it changed; `ours` are paths whose changes are of beats before.

    What it did to a file that had changes before is left alone, and where the index has some, its detail files are,
    too: they would be committed together. The notice names them.
    """
    before = dirt(ws)
    result = work()
    if before is None:
        return result
    effects = _compare(ws, {path: mark for path, mark in before.items() if path not in ours}, dirt(ws) or {})
    if not effects.left:
        return result._replace(changed=effects.changed)
    named = ", ".join(effects.left[:3]) + (f" and {len(effects.left) - 3} more" if len(effects.left) > 3 else "")
    notice = f"not committed, for there were changes that are not its own before it ran: {named}"
    return result._replace(changed=effects.changed, notice=notice)


def dirt(ws: Workspace) -> Dirt | None:
    """What of the workspace git would show as changed or new; None where no repository holds it."""
    try:
        repo = Repo.find(ws.root)
        prefix = repo.prefix(ws.root)
        listed = repo.names(repo.run(*_STATUS, prefix or "."))
    except GitError:
        return None
    paths = (entry[3:].removeprefix(prefix) for entry in listed)
    return {path: _mark(ws, path) for path in paths if not path.endswith("/") and not path.startswith(f"{STATE}/")}


def _mark(ws: Workspace, path: str) -> tuple[int, int, int] | None:
    with suppress(OSError):
        status = (ws.root / path).lstat()
        return status.st_size, status.st_mtime_ns, status.st_ino
    return None


def _compare(ws: Workspace, before: Dirt, after: Dirt) -> Effects:
    new = [path for path in after if path not in before]
    left = [path for path in after if path in before and before[path] != after[path]]
    if ws.config.index.path in before:
        left += [path for path in new if ws.layout.is_detail(path)]
    return Effects(tuple(path for path in new if path not in left), tuple(left))
