"""`note`: append to the day's note. Imports little: agents call it in every turn."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `note`."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="what to note; without it, or with -, standard input")
    parser.add_argument("--at", metavar="ISO", help="the moment it is about (default: now); a past day's note grows")
    common.add_usual(parser)


def run(args: argparse.Namespace) -> int:
    """Append and say where."""
    from openclaw_memory.knowledge.notes import note

    ws = common.workspace_of(args)
    text = sys.stdin.read() if args.text in ([], ["-"]) else " ".join(args.text)
    at = ws.now(args.at) if args.at else None
    place, outcome = note(ws, text, ws.now(args.now), at, dry_run=args.dry_run, commit=args.commit)
    if args.json:
        common.print_json({"path": place.path, "line": place.line, "new": place.new, **outcome.to_json()})
        return 0
    if not place.new:
        print(f"already in {place.path}, line {place.line}")
        return 0
    return common.report(outcome, args, f"noted in {place.path}, line {place.line}")
