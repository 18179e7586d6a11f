"""What `check` is asked for, and the reports that answer it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.check import baseline, repository
from openclaw_memory.check.engine import selected
from openclaw_memory.check.report import Report
from openclaw_memory.check.worktree import worktree
from openclaw_memory.errors import GitError, UsageError
from openclaw_memory.findings import Finding
from openclaw_memory.git import Repo
from openclaw_memory.record import Record
from openclaw_memory.rules import RULES
from openclaw_memory.subject import Family
from openclaw_memory.workspace import Change, Outcome, Workspace, transact


class Request(Record):
    """One call of `check`. Without `staged` and `span` the work tree is judged."""

    workspace: Workspace
    staged: bool = False
    span: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: Path | None = None
    from_top: bool = False
    """Whether paths are shown from the top of the repository (annotations) and not from the current folder."""


def check(request: Request, families: Sequence[Family] = ()) -> list[Report]:
    """The reports. Raises UsageError for a code that no rule has, GitError where git is needed and cannot answer."""
    for code in (*request.select, *request.ignore):
        if not any(rule.startswith(code) for rule in RULES):
            raise UsageError(f"no rule has a code that begins with {code!r}", "see the table of codes in the README")
    reports = _judge(request, families)
    if request.select or request.ignore:
        reports = [report._replace(findings=_chosen(report.findings, request)) for report in reports]
    if request.baseline:
        known = baseline.read(fsio.read(request.baseline), str(request.baseline))
        reports = [_less(report, known) for report in reports]
    return reports


def mend(request: Request, *, dry_run: bool = False, commit: bool = False) -> Outcome:
    """`--fix`. Raises UsageError for a range: what is committed is committed."""
    from openclaw_memory.check import fix

    if request.span:
        raise UsageError("--fix and --range do not go together", "history is not rewritten; fix the next commit")
    if request.staged:
        return fix.staged(request.workspace, dry_run=dry_run)
    return fix.worktree(request.workspace, dry_run=dry_run, commit=commit)


def baseline_of(
    request: Request, families: Sequence[Family] = (), *, dry_run: bool = False, commit: bool = False
) -> Outcome:
    """Write the baseline of the work tree: what is wrong now is known from then on."""
    ws = request.workspace
    path = ws.rel(request.baseline) if request.baseline else ws.config.check.baseline
    data = baseline.write(worktree(ws, families, known=False).findings)

    def plan() -> list[Change]:
        old = ws.path(path).read_bytes() if ws.path(path).exists() else None
        return [Change(path, old, data)]

    message = "Take today's findings as known"
    return transact(ws, "check --write-baseline", plan, dry_run=dry_run, commit=commit, message=message)


def _judge(request: Request, families: Sequence[Family]) -> list[Report]:
    ws = request.workspace
    if not (request.staged or request.span):
        return [worktree(ws, families, known=request.baseline is None, where=_where(request))]
    repo, where = Repo.find(ws.root), _where(request)
    scope = repository.Scope(families, repo.prefix(ws.root), lambda prefix: where, request.baseline is None)
    if request.span:
        return repository.commits(repo, scope, request.span)
    return repository.staged(repo, scope, repository.above())


def _where(request: Request) -> str:
    """How the workspace is reached from here, or from the top of its repository: "" or with a slash at its end."""
    root = os.path.realpath(request.workspace.root)
    try:
        if request.from_top:
            return Repo.find(root).prefix(root)
    except GitError:
        return ""
    relative = os.path.relpath(root, os.path.realpath(os.curdir)).replace(os.sep, "/")
    return "" if relative == "." else relative + "/"


def _chosen(findings: Sequence[Finding], request: Request) -> tuple[Finding, ...]:
    return tuple(found for found in findings if selected(found.code, request.select, request.ignore))


def _less(report: Report, known: Counter[tuple[str, str, str]]) -> Report:
    new, count = baseline.apply(report.findings, known)
    return report._replace(findings=tuple(new), known=report.known + count)
