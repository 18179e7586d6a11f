"""`openclaw-memory hook NAME`: what git and agent hosts call. Only the module of the hook called is imported.

The git hooks fail closed: 0 lets the commit through, 1 refuses it, 2 says that it could not be judged. Session
hooks fail open: whatever happens, they end with 0 (a host may read anything else as "block").
"""

from __future__ import annotations

import importlib
import os
import posixpath
import sys
from collections.abc import Sequence

from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

SHOWN = 40  # findings that a refusal prints; who broke more reads them with `check --staged`
GIT = ("pre-commit", "pre-merge-commit")
# name: "module:function"; the function takes the words after the name and returns what to print
SESSION: dict[str, str] = {
    "session-start": "openclaw_memory.hooks.session:session_start",
    "user-prompt": "openclaw_memory.hooks.session:user_prompt",
    "pre-compact": "openclaw_memory.hooks.session:pre_compact",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    names = ", ".join((*GIT, *SESSION))
    parser.add_argument("name", help=f"the hook: {names}")
    parser.add_argument("words", nargs="...", help="what the caller passes on")


def run(args: argparse.Namespace) -> int:
    """Run the hook. Raises UsageError for a name that is none."""
    if not knows([args.name]):
        raise UsageError(f"there is no hook {args.name!r}", f"one of: {', '.join((*GIT, *SESSION))}")
    return call(args.name, args.words)


def knows(words: Sequence[str]) -> bool:
    """Whether the words after `hook` begin with the name of one."""
    return bool(words) and (words[0] in GIT or words[0] in SESSION)


def call(name: str, words: Sequence[str]) -> int:
    """Run the hook called `name`."""
    if name in GIT:
        return git_hook(name)
    module, function = SESSION[name].split(":")
    sys.stdout.write(getattr(importlib.import_module(module), function)(words))
    return 0


def git_hook(name: str) -> int:
    """Judge the commit that git is about to make and say on standard error what is wrong with it."""
    from openclaw_memory.check import output, repository
    from openclaw_memory.cli.families import FAMILIES
    from openclaw_memory.git import Repo

    scope = repository.Scope(FAMILIES, shown=_from_where_commit_was_called)
    reports = repository.staged(Repo.here(), scope, repository.above(merging=name == "pre-merge-commit"))
    for line in output.text(output.first(reports, SHOWN)):
        print(line, file=sys.stderr)
    failed = any(report.failed for report in reports)
    if failed:
        print(f"commit refused: {output.summary(reports)}", file=sys.stderr)
    return int(failed)


def _from_where_commit_was_called(prefix: str) -> str:
    """A workspace's folder as who committed would type it: git calls hooks at the top, and says from where."""
    relative = posixpath.relpath(prefix or ".", os.environ.get("GIT_PREFIX") or ".")
    return "" if relative == "." else f"{relative}/"
