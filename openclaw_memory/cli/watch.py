"""`watch`: keep the search index up to date until it is stopped."""

from __future__ import annotations

import argparse
import signal
import threading

from openclaw_memory.cli import common
from openclaw_memory.cli.update import show
from openclaw_memory.retrieval.watch import watch


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument(
        "--debounce",
        type=common.at_least_one,
        default=0,
        metavar="MS",
        help="wait so long for a burst of changes to end",
    )
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Print one report for each update that changed something."""
    ws = common.workspace_of(args)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    for report in watch(ws, stop, args.debounce):
        show(report, args.json)
    return 0
