"""`serve`: keep the model warm for `query` and `vsearch`. They start it by themselves; it ends when it was idle."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument(
        "--idle", type=common.a_time, default=600.0, metavar="S", help="end after so many seconds without a query (600)"
    )
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until idle."""
    ws = common.workspace_of(args)
    from openclaw_memory.server.warm import serve

    if not serve(ws.root, args.idle):
        print("this workspace has a warm server already")
    return 0
