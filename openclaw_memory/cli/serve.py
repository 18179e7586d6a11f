"""`serve`: keep the model warm for `query` and `vsearch`. They start it by themselves; it ends when it was idle."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common
from openclaw_memory.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument(
        "--idle", type=float, default=600.0, metavar="S", help="end after so many seconds without a query (600)"
    )
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until idle."""
    if args.idle <= 0:
        raise UsageError("--idle takes seconds, more than 0", "--idle 600")
    ws = common.workspace_of(args)
    from openclaw_memory.server.warm import serve

    if not serve(ws.root, args.idle):
        print("this workspace has a warm server already")
    return 0
