"""`rotate`: choose Active Context by heat and recent mentions (also `active rotate`)."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `rotate`."""
    common.add_usual(parser)


def run(args: argparse.Namespace) -> int:
    """Rotate, and say what went in and out."""
    from openclaw_memory.knowledge.rotate import rotate

    ws = common.workspace_of(args)
    done, outcome = rotate(ws, ws.now(args.now), common.flags_of(args))
    if args.json:
        chosen = [choice._asdict() for choice in done.chosen]
        common.print_json({"active": chosen, "added": done.added, "removed": done.removed, **outcome.to_json()})
        return 0
    for path in done.removed:
        print(f"- {path}")
    for choice in done.chosen:
        print(f"{'+' if choice.path in done.added else '='} {choice.path} ({choice.why})")
    common.report(outcome, args, f"{len(done.chosen)} in Active Context")
    common.print_way_back(outcome)
    return 0
