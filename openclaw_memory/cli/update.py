"""`update`: bring the search index up to date; `--pull` pulls the workspace's repository before."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common, progress
from openclaw_memory.retrieval.update import Report, update


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("--pull", action="store_true", help="git pull --ff-only first")
    parser.add_argument("--force", "-f", action="store_true", help="read every file again")
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Update and print what changed; 1 where a folder is missing."""
    ws = common.workspace_of(args)
    if args.pull:
        from openclaw_memory.retrieval.pull import pull

        pull(ws.root)
    with progress.bar("indexing") as tick:
        report = update(ws, force=args.force, progress=tick)
    show(report, args.json)
    return 1 if report.missing else 0


def show(report: Report, as_json: bool) -> None:
    """Print a report."""
    if as_json:
        common.print_json(report._asdict())
        return
    print(
        f"Indexed: {report.added} new, {report.changed} updated, {report.moved} moved, {report.same} unchanged,"
        f" {report.removed} removed"
    )
    for line in (*report.missing, *report.unreadable):
        print(f"  skipped: {line}")
    if report.links:
        print(f"  {report.links} symlinks were not followed")
