"""`search WORDS...`: passages by their words. Imports neither LlamaIndex nor numpy."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import searching
from openclaw_memory.retrieval.search import search

configure = searching.configure


def run(args: argparse.Namespace) -> int:
    """Search and print."""
    return searching.run(args, search)
