"""`synthesize`: write the facts in use into each entity's summary."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `synthesize`."""
    parser.add_argument("entity", nargs="*", metavar="ENTITY", help="people/jane ...; default: all with facts")
    common.add_usual(parser)


def run(args: argparse.Namespace) -> int:
    """Write them, and name what had to be skipped (exit code 1)."""
    from openclaw_memory.knowledge.synthesize import synthesize

    ws = common.workspace_of(args)
    done, outcome = synthesize(ws, ws.now(args.now), args.entity, dry_run=args.dry_run, commit=args.commit)
    if args.json:
        told = {"written": done.written, "entities": done.entities, "skipped": done.skipped}
        common.print_json({**told, **outcome.to_json()})
    else:
        common.report(outcome, args, f"{len(done.written)} of {done.entities} summaries written")
    for message in done.skipped:
        print(f"skipped {message}", file=sys.stderr)
    return 1 if done.skipped else 0
