"""Judges what is staged, or each commit of a range: every workspace of the repository that the commit touches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from openclaw_memory import config as configuration
from openclaw_memory.check import places
from openclaw_memory.check.engine import judge
from openclaw_memory.check.gittree import GitTree
from openclaw_memory.check.report import Report
from openclaw_memory.errors import GitError
from openclaw_memory.findings import Finding
from openclaw_memory.fsio import ancestors
from openclaw_memory.git import Commit, Delta, Listing, Objects, Repo, call_of
from openclaw_memory.git.repo import parse_commit
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.subject import Family, Kind, Subject
from openclaw_memory.workspace.layout import Layout

if TYPE_CHECKING:
    from datetime import date

    from openclaw_memory.config import Config

HISTORY = "fetch the missing history: git fetch --unshallow (CI: fetch-depth: 0)"
UNSEEN = "judged against HEAD: whether this commit amends one cannot be seen here"


class Step(Record):
    """One step of history to judge: a tree and what it changes."""

    listing: Listing
    deltas: list[Delta]
    kind: Kind
    merge: bool = False
    commit: str = ""
    day: date | None = None
    notes: tuple[str, ...] = ()


class Scope(Record):
    """What to report on: `only` is the prefix of one workspace (None: all), `shown` how a prefix is typed."""

    families: Sequence[Family] = ()
    only: str | None = None
    shown: Callable[[str], str] = lambda prefix: prefix
    known: bool = True


class Above(Record):
    """What is known of the git command that makes the commit; `seen` is False where one must be there and is hidden."""

    amend: bool = False
    merge: bool = False
    seen: bool = True


def above(*, merging: bool = False) -> Above:
    """What the processes above say. `merging`: git runs the hook of a merge."""
    call = call_of(argv for _, argv in ancestors())
    if call is None:
        return Above(merge=merging, seen="GIT_INDEX_FILE" not in os.environ)
    return Above(call.amend, merging or call.verb == "merge")


def staged(repo: Repo, scope: Scope, caller: Above) -> list[Report]:
    """Judge the commit that would be made now, by `caller`.

    Raises GitError for an unmerged tree, and where the commit before it is not there.
    """
    with repo.objects() as objects:
        step = next_commit(repo, objects, caller)
        return [_report(subject, scope, step) for subject in subjects(repo, objects, scope, step)]


def next_commit(repo: Repo, objects: Objects, caller: Above) -> Step:
    """What is staged, against the parent that the commit will have. Raises like `staged`."""
    base, merge = _parent(repo, objects, amend=caller.amend)
    deltas = repo.staged_changes(base)
    notes = () if caller.seen else (UNSEEN,)
    if not deltas:
        return Step(Listing({}), [], "staged", notes=notes)
    listing = repo.staged()
    if listing.unmerged:
        raise GitError(f"{listing.unmerged[0]} is not merged", "resolve the conflict and git add it first")
    listing = _without_intents(repo, listing, deltas, base)
    return Step(listing, deltas, "staged", merge or caller.merge, notes=notes)


def commits(repo: Repo, scope: Scope, span: str) -> list[Report]:
    """Judge each commit of `span` ("A..B") against its own first parent, oldest first.

    Raises GitError where a revision is unknown or the history is cut before a parent.
    """
    reports: list[Report] = []
    with repo.objects() as objects:
        for commit, data in _commits(repo, objects, span):
            base = commit.parents[0] if commit.parents else None
            deltas = repo.changes(base, commit.oid)
            if deltas:
                day, merge = _day(data), len(commit.parents) > 1
                step = Step(repo.tree(commit.oid), deltas, "commit", merge, commit.oid, day)
                reports += [_report(subject, scope, step) for subject in subjects(repo, objects, scope, step)]
    return reports


def _parent(repo: Repo, objects: Objects, *, amend: bool) -> tuple[str | None, bool]:
    """The commit that the next one is compared with (None: it is the first), and whether a merge is made."""
    data = objects.peek("HEAD")
    if data is None:
        if repo.run("rev-parse", "-q", "--verify", "HEAD", ok=(0, 1)):
            raise GitError("HEAD names a commit that is not in the repository", "run `git fsck`")
        return None, False
    if not amend:
        return "HEAD", objects.peek("MERGE_HEAD") is not None
    commit = parse_commit("HEAD", data)
    if not commit.parents:
        return None, False
    _need(objects, commit.parents[0])
    return commit.parents[0], len(commit.parents) > 1


def _need(objects: Objects, parent: str) -> None:
    if objects.peek(parent) is None:
        raise GitError(f"cannot judge: the parent {parent[:10]} is not here (a shallow clone)", HISTORY)


def _commits(repo: Repo, objects: Objects, span: str) -> Iterator[tuple[Commit, bytes]]:
    first, dots, last = span.partition("..")
    if not dots or last.startswith(".") or span.startswith("-"):
        raise GitError(f"{span}: not a range", "write it as A..B, e.g. origin/main..HEAD")
    last = last or "HEAD"
    wanted = (last,) if first and not first.strip("0") else (f"{first or 'HEAD'}..{last}",)
    for end in (first or "HEAD", last):
        if end.strip("0") and ("\n" in end or objects.peek(f"{end}^{{commit}}") is None):
            raise GitError(f"there is no commit {end} here", f"check the name, or {HISTORY}")
    for oid in repo.run("rev-list", "--reverse", "--topo-order", *wanted, "--").decode().split():
        data = objects.peek(oid) or b""
        commit = parse_commit(oid, data)
        for parent in commit.parents[:1]:
            _need(objects, parent)
        yield commit, data


def _day(data: bytes) -> date:
    """The day of a commit where its author was ("author NAME <MAIL> SECONDS +ZONE")."""
    from datetime import UTC, datetime, timedelta

    line = next(line for line in data.split(b"\n") if line.startswith(b"author "))
    seconds, zone = line.split()[-2:]
    offset = int(zone[-5:-2]) * 60 + int(zone[-5:-4] + zone[-2:])
    return (datetime.fromtimestamp(int(seconds), UTC) + timedelta(minutes=offset)).date()


def _without_intents(repo: Repo, listing: Listing, deltas: Sequence[Delta], base: str | None) -> Listing:
    """The listing less what `git add -N` put there, which no commit takes: it looks like an empty file.

    The changes leave such entries out, so one is listed although it is deleted, or is neither changed nor in `base`.
    """
    status = {delta.path: delta.status for delta in deltas}
    empty = [path for path in listing.blobs(repo.empty_blob) if path.endswith(".md")]
    intents = {path for path in empty if status.get(path) == "D"}
    doubtful = [path for path in empty if path not in status]
    if doubtful:
        known = repo.names(repo.run("ls-tree", "-z", "--name-only", base, "--", *doubtful)) if base else []
        intents |= set(doubtful) - set(known)
    return listing.without(intents) if intents else listing


def subjects(repo: Repo, objects: Objects, scope: Scope, step: Step) -> Iterator[Subject]:
    """The workspaces that the step touches."""
    gone = [delta.path for delta in step.deltas if delta.status == "D"]
    prefixes = places.workspaces(step.listing, gone)
    for prefix in prefixes:
        if scope.only is not None and prefix != scope.only:
            continue
        inner = places.inner(prefix, prefixes)
        deltas = [
            delta._replace(path=delta.path[len(prefix) :])
            for delta in step.deltas
            if delta.path.startswith(prefix) and not delta.path.startswith(inner)
        ]
        if deltas:
            listing = step.listing.below(prefix, inner)
            tree = GitTree(repo, objects, prefix, listing, deltas, kind=step.kind, merge=step.merge)
            yield _subject(repo, tree, scope, step, prefix)


def _subject(repo: Repo, tree: GitTree, scope: Scope, step: Step, prefix: str) -> Subject:
    config = _config(tree, prefix)
    where = scope.shown(prefix).rstrip("/")
    return Subject(tree, config, Layout(config), lambda: step.day or _today(repo, prefix, config), where)


def _report(subject: Subject, scope: Scope, step: Step) -> Report:
    found, known = judge(subject, scope.families), 0
    if found and scope.known:
        found, known = _less_known(found, subject)
    where = subject.where and subject.where + "/"
    return Report(where, step.commit, tuple(found), known, step.notes)


def _config(tree: GitTree, prefix: str) -> Config:
    if configuration.FILE not in tree.paths:
        return configuration.Config()
    return configuration.parse(tree.read(configuration.FILE), prefix + configuration.FILE)


def _less_known(found: list[Finding], subject: Subject) -> tuple[list[Finding], int]:
    """The findings that the workspace's baseline does not know, and how many it does."""
    path = subject.config.check.baseline
    if not path or path not in subject.tree.paths:
        return found, 0
    from openclaw_memory.check import baseline

    return baseline.apply(found, baseline.read(subject.tree.read(path), path))


def _today(repo: Repo, prefix: str, config: Config) -> date:
    from datetime import datetime
    from pathlib import Path

    from openclaw_memory.workspace import zone

    return datetime.now(zone.find(config.timezone, Path(repo.top, prefix)).tz).date()
