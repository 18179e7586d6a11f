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
    found, fresh = ls(ws, args.where)
    common.warn(fresh)
    if args.json:
        print(output.dumps({"version": 1, "files": [one._asdict() for one in found]}))
        return 0
    for one in found:
        print(f"{one.size:>9,}  {_day(one.mtime_ns)}  {paths.address(one.collection, one.path)}")
    if not found:
        print("no files are indexed here")
    return 0


def _day(mtime_ns: int) -> str:
    """The minute of a file's time; a file system can hold times that no calendar does."""
    try:
        return datetime.fromtimestamp(mtime_ns / 1e9).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return "?".center(len("2026-03-02 09:30"))
