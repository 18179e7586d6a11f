"""`bench`: time searches on this workspace, with the queries of a file or with titles of its own documents."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common
from openclaw_memory.cli.eval import say_unknown, searcher
from openclaw_memory.errors import UsageError
from openclaw_memory.retrieval.evaluate import Case, cases, evaluate
from openclaw_memory.retrieval.paths import address
from openclaw_memory.retrieval.report import ls
from openclaw_memory.workspace import Workspace


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument(
        "file", nargs="?", type=common.a_path, metavar="FILE", help="queries, as for eval (default: titles)"
    )
    parser.add_argument("--mode", choices=("search", "query", "vsearch"), default="search", help="which search")
    parser.add_argument("-n", type=common.at_least_one, default=100, metavar="N", help="how many titles (default 100)")
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Time and print."""
    ws = common.workspace_of(args)
    found = cases(args.file) if args.file else _titles(ws, args.n)
    result = evaluate(ws, found, searcher(args.mode))
    times = result.milliseconds()
    if args.json:
        common.print_json({"queries": len(result.outcomes), "ms": times, "hit@10": round(result.hit(10), 4)})
    else:
        print(
            f"{len(result.outcomes)} queries: p50 {times['p50']} ms  p95 {times['p95']} ms  hit@10 {result.hit(10):.1%}"
        )
    say_unknown(result)
    return 0


def _titles(ws: Workspace, most: int) -> list[Case]:
    found = [Case(one.path, one.title, (address(one.collection, one.path),)) for one in ls(ws).files[:most]]
    if not found:
        raise UsageError("there is nothing to search in this workspace", "write a note, or name a FILE of queries")
    return found
