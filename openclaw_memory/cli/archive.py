"""`archive`: move old decisions to the archive, propose projects that nobody touches."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `archive`."""
    common.add_usual(parser)


def run(args: argparse.Namespace) -> int:
    """Move, and say what moved, what is proposed, and the way back."""
    from openclaw_memory.knowledge.archive import archive

    ws = common.workspace_of(args)
    done, outcome = archive(ws, ws.now(args.now), common.flags_of(args))
    if args.json:
        moved = [{"from": old, "to": new} for old, new in done.moved]
        proposed = [sunset.to_json() for sunset in done.sunsets]
        more = {"deactivated": done.deactivated, "kept": done.kept}
        common.print_json({"moved": moved, "proposed": proposed, **more, **outcome.to_json()})
        return 0
    for old, new in done.moved:
        print(f"{old} -> {new}")
    for path in done.deactivated:
        print(f"{path} leaves Active Context")
    for reason in done.kept:
        print(f"kept: {reason}")
    for sunset in done.sunsets:
        print(f"{sunset.entity} rests since {sunset.last or 'ever'}; to archive it: {sunset.fix}")
    common.report(outcome, args, f"{common.plural(len(done.moved), 'decision')} archived")
    common.print_way_back(outcome)
    return 0
