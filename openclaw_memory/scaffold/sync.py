"""`sync`: two machines, one memory. Fetch, merge, check, push; nothing that is wrong is pushed, no half merge stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openclaw_memory import fsio
from openclaw_memory.check.report import Report
from openclaw_memory.check.worktree import worktree
from openclaw_memory.errors import GitError, WorkspaceError
from openclaw_memory.git import Repo, porcelain
from openclaw_memory.hooks.git import DRIVER
from openclaw_memory.record import Record
from openclaw_memory.subject import Family
from openclaw_memory.workspace import Workspace
from openclaw_memory.workspace.writing import LOCK

MESSAGE = "Save memory"
_TRIES = 3  # how often to merge again when somebody else has pushed meanwhile


class Sync(Record):
    """What happened: commits that came and went, `commit` of what was saved first, and the report of `check`.

    `pushed` stays 0 where `report` has errors, or in a dry run.
    """

    upstream: str
    pulled: int
    pushed: int
    commit: str | None
    report: Report | None
    dry_run: bool = False

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        findings = [found.to_json() for found in self.report.findings] if self.report else []
        rest = {key: value for key, value in self._asdict().items() if key not in ("report", "dry_run")}
        return {**rest, "dryRun": self.dry_run, "findings": findings}


def sync(ws: Workspace, families: Sequence[Family] = (), *, dry_run: bool = False, commit: bool = False) -> Sync:
    """Bring this workspace and its upstream together. With `commit`, what changed here is committed first.

    Raises GitError where there is no upstream, it cannot be reached, or the two cannot be merged by themselves (the
    merge is taken back then); WorkspaceError where changes wait for a commit.
    """
    repo = Repo.find(ws.root)
    upstream = _upstream(repo)
    remote = upstream.partition("/")[0]
    if dry_run:
        repo.run("fetch", "-q", remote)
        pulled, pushed = _counts(repo, upstream)
        return Sync(upstream, pulled, pushed, None, None, dry_run=True)
    with fsio.locked(ws.state_dir / LOCK):
        saved, total = _save(ws, repo, commit), 0
        for _ in range(_TRIES):
            repo.run("fetch", "-q", remote)
            pulled, _ahead = _counts(repo, upstream)
            total += pulled
            if pulled:
                _merge(repo, upstream)
            report = worktree(Workspace(ws.root), families)
            ahead = _counts(repo, upstream)[1]
            if report.failed or not ahead:
                return Sync(upstream, total, 0, saved, report)
            if _push(repo, remote, upstream):
                return Sync(upstream, total, ahead, saved, report)
    raise GitError(f"{upstream} moves faster than this can merge", "your commits are safe here; run it again")


def _upstream(repo: Repo) -> str:
    said = repo.run("rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}", ok=(0, 1, 128)).decode().strip()
    if not said or said == "@{upstream}":
        raise GitError(
            "this branch follows no branch of a remote repository",
            "git remote add origin URL && git push -u origin HEAD",
        )
    return said


def _save(ws: Workspace, repo: Repo, commit: bool) -> str | None:
    """Commit what waits, where that was asked for; else refuse to merge over it."""
    waiting = list(_waiting(repo, repo.prefix(ws.root)))
    if not waiting:
        return None
    if not commit:
        raise WorkspaceError(
            f"{len(waiting)} files hold changes that no commit has, first {waiting[0]}",
            "commit them, or let sync do it: openclaw-memory sync --commit",
        )
    return porcelain.commit(ws.root, waiting, MESSAGE)


def _waiting(repo: Repo, prefix: str) -> Iterator[str]:
    """Changed and new files of the workspace, relative to it."""
    rows = repo.run("status", "--porcelain", "-z", "--no-renames", "-uall", "--", prefix or ".").split(b"\0")
    yield from (row[3:].decode("utf-8", "surrogateescape")[len(prefix) :] for row in rows if row)


def _counts(repo: Repo, upstream: str) -> tuple[int, int]:
    """(commits that are only there, commits that are only here)."""
    theirs, ours = repo.run("rev-list", "--left-right", "--count", f"{upstream}...HEAD").decode().split()
    return int(theirs), int(ours)


def _merge(repo: Repo, upstream: str) -> None:
    repo.run("merge", "-q", "--no-edit", upstream, ok=(0, 1))
    if not repo.run("rev-list", "-1", f"HEAD..{upstream}"):
        return
    conflicts = repo.names(repo.run("diff", "--name-only", "--diff-filter=U", "-z"))
    repo.run("merge", "--abort", ok=(0, 128))
    if conflicts:
        by_hand = f"git merge {upstream}, put right what it marks, git commit, then sync again"
        joins = "openclaw-memory hooks install git, after which index and facts are joined, then sync again"
        raise GitError(
            f"both sides changed the same lines of {', '.join(conflicts)}; nothing was merged",
            by_hand if repo.run("config", "--get", DRIVER, ok=(0, 1)) else joins,
        )
    raise GitError(f"the merge with {upstream} was refused", f"git merge {upstream} says why")


def _push(repo: Repo, remote: str, upstream: str) -> bool:
    """False where somebody else has pushed in between. Raises GitError where the push is refused for another reason."""
    repo.run("push", "-q", remote, f"HEAD:refs/heads/{upstream.removeprefix(f'{remote}/')}", ok=(0, 1))
    repo.run("fetch", "-q", remote)
    theirs, ours = _counts(repo, upstream)
    if ours and not theirs:
        raise GitError(f"{upstream} refuses the push", "git push says why; your commits are safe here")
    return not ours
