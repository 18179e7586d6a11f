"""`openclaw-memory sync`: pull, merge, check and push."""

from __future__ import annotations

import argparse

from openclaw_memory.cli.common import add_json, add_workspace, add_write, print_json, workspace_of
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.scaffold.sync import Sync

EPILOG = """\
Fetches the branch that this one follows, merges it (two indexes are joined entry by entry), judges the result and
pushes it. What `check` finds wrong is not pushed; a merge that needs a person is taken back and named.

  openclaw-memory sync --commit      commit what changed here first
  openclaw-memory sync --dry-run     how many commits would come and go
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    add_workspace(parser)
    add_write(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Sync; 1 when findings kept it from pushing."""
    from openclaw_memory.cli.families import FAMILIES
    from openclaw_memory.scaffold.sync import sync

    done = sync(workspace_of(args), FAMILIES, dry_run=args.dry_run, commit=args.commit)
    if args.json:
        print_json(done.to_json())
    else:
        _print(done)
    return int(done.report is not None and done.report.failed)


def _print(done: Sync) -> None:
    from openclaw_memory.check import output

    if done.dry_run:
        print(f"{done.upstream}: {done.pulled} commits would come, {done.pushed} would go")
        return
    if done.commit:
        print(f"committed {done.commit[:10]}")
    print(f"{done.upstream}: {done.pulled} commits came, {done.pushed} went")
    if done.report and done.report.failed:
        print(*output.text([done.report]), output.summary([done.report]), "not pushed", sep="\n")
