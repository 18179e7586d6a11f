"""`query WORDS...`: passages by words and meaning; takes query documents (`lex:`, `vec:`, `hyde:`, `intent:` lines)."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import searching
from openclaw_memory.server.searching import query


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    searching.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Search and print."""
    return searching.run(args, query)
