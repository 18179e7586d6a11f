"""`embed`: compute the vectors that are missing, so that `query` and `vsearch` find passages by meaning."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common, progress
from openclaw_memory.errors import MissingExtraError, UsageError
from openclaw_memory.retrieval.embedders import load
from openclaw_memory.retrieval.update import update
from openclaw_memory.retrieval.vectors import embed


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("--force", "-f", action="store_true", help="compute all of them again (another model)")
    parser.add_argument("--seconds", type=common.a_time, metavar="S", help="stop after S seconds; the next run goes on")
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Embed and print how many passages have a vector now."""
    ws = common.workspace_of(args)
    embedder = load(ws.config.retrieval)
    if embedder is None and ws.config.retrieval.embedder == "none":
        raise UsageError("retrieval.embedder is none", "take the line out of openclaw-memory.yaml, or name another")
    if embedder is None:
        raise MissingExtraError("embed", "local")
    update(ws)
    with progress.bar("embedding") as tick:
        done = embed(ws, embedder, force=args.force, seconds=args.seconds, progress=tick)
    if args.json:
        common.print_json({"embedder": embedder.identity, **done._asdict()})
    else:
        print(f"{embedder.identity}: {done.computed} computed, {done.reused} reused, {done.pending} files pending")
    return 0
