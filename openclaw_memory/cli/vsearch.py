"""`vsearch WORDS...`: passages by meaning alone."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import searching
from openclaw_memory.server.searching import vsearch


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    searching.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Search and print."""
    return searching.run(args, vsearch)
