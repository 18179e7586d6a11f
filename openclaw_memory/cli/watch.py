"""`watch`: keep the search index up to date until it is stopped."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading

from openclaw_memory.cli import common, streams
from openclaw_memory.cli.update import show
from openclaw_memory.retrieval.watch import watch


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument(
        "--debounce",
        type=common.at_least_one,
        default=0,
        metavar="MS",
        help="wait no longer for a burst of changes to end",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Print one report for each update that changed something."""
    ws = common.workspace_of(args)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    for report in watch(ws, stop, args.debounce, _say):
        if args.json:
            print(json.dumps({"version": 1, **report._asdict()}))
        else:
            show(report, as_json=False)
        streams.flush()  # whoever reads a pipe or a file sees it now
    return 0


def _say(problem: str) -> None:
    print(f"openclaw-memory: {problem}", file=sys.stderr, flush=True)
