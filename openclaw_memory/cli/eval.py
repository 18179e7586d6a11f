"""`eval FILE`: measure search on your own queries."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli import common
from openclaw_memory.cli.searching import Searcher
from openclaw_memory.retrieval.evaluate import Result, cases, evaluate


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument(
        "file",
        type=common.a_path,
        metavar="FILE",
        help='JSON lines {"query", "expected"} (names as for get), or a qmd bench file',
    )
    parser.add_argument("--mode", choices=("search", "query", "vsearch"), default="search", help="which search")
    parser.add_argument("-c", "--collection", action="append", default=[], metavar="NAME", help="only these")
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Measure and print. Ends with 1 where a query was not answered, or should find what the index does not have."""
    ws = common.workspace_of(args)
    result = evaluate(ws, cases(args.file), searcher(args.mode), tuple(args.collection))
    if args.json:
        common.print_json(result.to_json())
    else:
        show(result)
    say_unknown(result)
    return 1 if result.missed or result.unknown else 0


def searcher(mode: str) -> Searcher:
    """The function behind a verb."""
    if mode == "search":
        from openclaw_memory.retrieval.search import search

        return search
    from openclaw_memory.retrieval import hybrid

    return hybrid.query if mode == "query" else hybrid.vsearch


def say_unknown(result: Result) -> None:
    """Say which expected files the index does not have."""
    for one in result.unknown:
        print(f"openclaw-memory: {one}", file=sys.stderr)
    if result.unknown:
        print("  hint: name it as for `get`; `openclaw-memory ls` lists what there is", file=sys.stderr)


def show(result: Result) -> None:
    """Print the numbers and what was missed."""
    hits = "  ".join(f"hit@{cut} {result.hit(cut):.1%}" for cut in (1, 3, 5, 10))
    times = result.milliseconds()
    print(
        f"{len(result.outcomes)} queries: {hits}  MRR@10 {result.mrr:.3f}  p50 {times['p50']} ms  p95 {times['p95']} ms"
    )
    for one in result.missed:
        print(f"  missed {one.case.id}: {one.case.query!r} wants {', '.join(one.case.expected)}")
