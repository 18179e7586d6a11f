"""The one commit of a beat: the index brought up to date with the detail files that were changed, then all together."""

from __future__ import annotations

from collections.abc import Sequence

from openclaw_memory.errors import GitError
from openclaw_memory.git import Repo, porcelain
from openclaw_memory.heartbeat import execute
from openclaw_memory.workspace import Workspace

SYNC = ("index", "sync", "--json")
BUDGET = 30


def in_repository(ws: Workspace) -> bool:
    """Whether there is a repository to commit to."""
    try:
        Repo.find(ws.root)
    except GitError:
        return False
    return True


def commit(ws: Workspace, paths: Sequence[str], message: str) -> str | None:
    """Commit the changed files of a beat; None where they hold nothing new. Raises GitError where a hook refuses.

    A timer may run where git knows nobody: then the commit is the program's own.
    """
    if not in_repository(ws):
        return None
    wanted = list(paths)
    if any(ws.layout.is_detail(path) for path in paths):
        wanted += execute.verb(SYNC, ws.root, BUDGET, "").changed
    return porcelain.commit(ws.root, list(dict.fromkeys(wanted)), message, stand_in=not porcelain.knows_who(ws.root))
