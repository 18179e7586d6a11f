"""`cleanup`: drop what the search index no longer needs, and give the space back."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common
from openclaw_memory.retrieval.report import cleanup


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Clean up and print the sizes."""
    before, after = cleanup(common.workspace_of(args))
    if args.json:
        common.print_json({"before": before, "after": after})
    else:
        print(f"the index has {after:,} bytes (it had {before:,})")
    return 0
