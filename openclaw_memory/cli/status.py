"""`status`: how large and how fresh the search index is."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common
from openclaw_memory.retrieval import output
from openclaw_memory.retrieval.report import Status, status


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Print the state of the index."""
    ws = common.workspace_of(args)
    found = status(ws)
    if args.json:
        rows = [one._asdict() for one in found.collections]
        state = "missing" if not found.exists else "stale" if found.pending else "fresh"
        print(output.dumps({"version": 1, **found._asdict(), "collections": rows, "state": state}))
        return 0
    _show(found)
    return 0


def _show(found: Status) -> None:
    print(
        f"Index: {found.file} ({found.size:,} bytes)" if found.exists else "Index: none yet (`openclaw-memory update`)"
    )
    print(f"  Files:    {found.files}  ({found.pending} pending)")
    print(f"  Chunks:   {found.chunks}")
    print(f"  Vectors:  {found.vectors}  ({found.passages_without_vector} passages without)")
    print(f"  Embedder: {found.embedder or 'none yet: search is by words'}")
    for one in found.collections:
        extra = f", {one.pending} pending" if one.pending else ""
        extra += f", {one.links} symlinks not followed" if one.links else ""
        extra += f", {one.problem}" if one.problem else ""
        print(f"Collection {one.name}: {one.files} files in {one.path} ({one.mask}{extra})")
    for line in (*found.unreadable, *found.warnings):
        print(f"  ! {line}")
