"""`decay`: fold accesses in and recompute what is hot, warm and cold."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `decay`."""
    parser.add_argument("--show", action="store_true", help="list what would change tier and why; write nothing")
    common.add_usual(parser)


def run(args: argparse.Namespace) -> int:
    """Fold, and say what changed tier."""
    from openclaw_memory.knowledge.decay import decay

    ws = common.workspace_of(args)
    folded, outcome = decay(ws, ws.now(args.now), dry_run=args.dry_run or args.show, commit=args.commit)
    if args.json:
        shifts = [shift.to_json() for shift in folded.shifts]
        told = {"accesses": folded.accesses, "tiers": folded.tiers, "shifts": shifts, "lost": folded.lost}
        common.print_json({**told, **outcome.to_json()})
        return 0
    for shift in folded.shifts:
        if shift.before == "new" and shift.after in ("hot", "warm"):
            continue
        print(f"{shift.before:>7} -> {shift.after:<7} {shift.name} ({shift.why})")
    for name in folded.lost:
        print(f"an access to {name}, which is gone, is not counted")
    if args.show:
        print(_summary(folded.tiers))
        return 0
    return common.report(
        outcome, args, f"{common.plural(folded.accesses, 'access', 'accesses')} folded in; {_summary(folded.tiers)}"
    )


def _summary(tiers: dict[str, int]) -> str:
    return ", ".join(f"{tiers.get(tier, 0)} {tier}" for tier in ("hot", "warm", "cold", "unknown"))
