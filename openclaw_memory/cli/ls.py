"""`ls`: the files of a collection, or the collections."""

from __future__ import annotations

import argparse
from datetime import datetime

from openclaw_memory.cli import common
from openclaw_memory.retrieval import output, paths
from openclaw_memory.retrieval.report import ls


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("where", nargs="?", default="", metavar="COLLECTION[/FOLDER]")
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Print one line a file: size, day, address."""
    ws = common.workspace_of(args)
    found = ls(ws, args.where)
    if args.json:
        print(output.dumps({"version": 1, "files": [one._asdict() for one in found]}))
        return 0
    for one in found:
        day = datetime.fromtimestamp(one.mtime_ns / 1e9).strftime("%Y-%m-%d %H:%M")
        print(f"{one.size:>9,}  {day}  {paths.address(one.collection, one.path)}")
    if not found:
        print("no files are indexed here")
    return 0
