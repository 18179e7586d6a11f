"""`openclaw-memory merge-driver %O %A %B %P`: git calls it to merge two versions of the index, or of facts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from openclaw_memory import fsio, markdown
from openclaw_memory.knowledge.store import MAX_BYTES


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the files that git names."""
    parser.epilog = (
        "Writes the merge to OURS. Exit codes: 0 merged, 1 conflicts are marked in it, 2 it could not be merged. "
        "Set up by `openclaw-memory hooks install git`."
    )
    parser.add_argument("base", type=Path, help="the version both sides came from (%%O)")
    parser.add_argument("ours", type=Path, help="our version, which the merge is written to (%%A)")
    parser.add_argument("theirs", type=Path, help="the other version (%%B)")
    parser.add_argument("path", help="the name of the file in the repository, for messages (%%P)")
    parser.add_argument("--marker-size", type=int, default=7, metavar="N", help="length of conflict markers (%%L)")


def run(args: argparse.Namespace) -> int:
    """Merge, and say what is left to do."""
    from openclaw_memory.knowledge import merging

    return (_facts if merging.handles(args.path) else _index)(args)


def _index(args: argparse.Namespace) -> int:
    from openclaw_memory.hooks.merge import merge

    texts = [markdown.decode(fsio.read(path)) for path in (args.base, args.ours, args.theirs)]
    merged = merge(*texts, marker_size=args.marker_size)
    fsio.write(args.ours, markdown.encode(merged.text))
    if merged.unsynced:
        print(f"{args.path}: both sides changed {', '.join(merged.unsynced)}", file=sys.stderr)
        print("  fix: openclaw-memory index sync", file=sys.stderr)
    return 1 if merged.conflicts else 0


def _facts(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import merging

    paths = (args.base, args.ours, args.theirs)
    base, ours, theirs = (fsio.read(path, limit=MAX_BYTES, binary=True) for path in paths)
    merged = merging.merge(base, ours, theirs, args.path)
    fsio.write(args.ours, merged.data)
    for told in merged.told:
        print(f"{args.path}: {told}", file=sys.stderr)
    if merged.conflicts:
        print(f"{args.path}: both sides changed {', '.join(merged.conflicts)}", file=sys.stderr)
        print("  by hand: keep one of the two between the markers, then git add it", file=sys.stderr)
    return 1 if merged.conflicts else 0
