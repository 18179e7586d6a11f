"""`active`: list, add, remove and rotate the files of Active Context, which are loaded at every session start."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from openclaw_memory.cli import common, rotate


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    parser.description = "Active Context: the few files that every session start loads whole."
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser(
        "list", help="show the files", description="Show the files and the cap.", allow_abbrev=False
    )
    common.add_workspace(listing)
    common.add_json(listing)
    listing.set_defaults(action=_run_list)
    adding = verbs.add_parser("add", help="add a file", allow_abbrev=False)
    adding.description = "Add a file. Over the cap it is refused, and the coldest file is named to take out."
    adding.add_argument("path", metavar="PATH", help="the detail file")
    _common_write(adding, _run_add)
    removing = verbs.add_parser("rm", help="take files out; their entries stay", allow_abbrev=False)
    removing.description = "Take files out of Active Context; their entries and the files stay."
    removing.add_argument("paths", metavar="PATH", nargs="+", help="a file as the index names it, or its short name")
    _common_write(removing, _run_rm)
    rotating = verbs.add_parser("rotate", help="choose the files by heat and recent mentions", allow_abbrev=False)
    rotating.description = (
        "Choose the files by heat and recent mentions, never more than the cap (`rotate` does the same)."
    )
    rotate.configure(rotating)
    rotating.set_defaults(action=rotate.run)


def run(args: argparse.Namespace) -> int:
    """Do what the sub-command says and return its exit code."""
    chosen: Callable[[argparse.Namespace], int] = args.action
    return chosen(args)


def _common_write(parser: argparse.ArgumentParser, action: Callable[[argparse.Namespace], int]) -> None:
    common.add_workspace(parser)
    common.add_json(parser)
    common.add_write(parser)
    parser.set_defaults(action=action)


def _run_list(args: argparse.Namespace) -> int:
    from openclaw_memory.index.disk import load

    ws = common.workspace_of(args)
    index = load(ws).index
    cap = ws.config.index.active_cap
    if args.json:
        common.print_json({"active": index.active, "cap": cap})
        return 0
    for path in index.active:
        print(path)
    print(f"{len(index.active)} of at most {cap}")
    return 0


def _run_add(args: argparse.Namespace) -> int:
    from openclaw_memory.index import operations

    ws = common.workspace_of(args)
    path = operations.target(ws, args.path)
    outcome = operations.activate(ws, path, operations.Flags(args.dry_run, args.commit))
    return common.report(outcome, args, f"{path} is in Active Context")


def _run_rm(args: argparse.Namespace) -> int:
    from openclaw_memory.index import operations
    from openclaw_memory.index.disk import load

    ws = common.workspace_of(args)
    index = load(ws).index
    paths = [operations.find(ws, index, path).path for path in args.paths]
    outcome = operations.deactivate(ws, paths, operations.Flags(args.dry_run, args.commit))
    verb = "is" if len(paths) == 1 else "are"
    return common.report(outcome, args, f"{', '.join(paths)} {verb} no longer in Active Context")
