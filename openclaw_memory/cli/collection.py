"""`collection add / list / show / remove / rename / include / exclude`: the folders that are searched."""

from __future__ import annotations

import argparse

from openclaw_memory.cli import common, progress
from openclaw_memory.retrieval import collections, output
from openclaw_memory.retrieval.collections import Collection


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    add = _verb(verbs, "add", "add a folder and index it")
    add.add_argument("path", type=common.a_path, metavar="PATH")
    add.add_argument("--name", default="", help="its name (default: the folder's)")
    add.add_argument("--mask", "--glob", default="", metavar="GLOB", help="which files (a comma list of globs)")
    add.add_argument("--follow", action="store_true", help="follow symlinks that stay inside the folder")
    add.add_argument(
        "--transcripts", action="store_true", help="session transcripts: low trust, searched only when named with -c"
    )
    add.add_argument("--no-index", action="store_true", help="do not index it now")
    _verb(verbs, "list", "every collection, one line each")
    for name, what in (
        ("show", "one collection"),
        ("remove", "forget a collection that was added (one of the layout is excluded)"),
    ):
        _verb(verbs, name, what).add_argument("name", metavar="NAME")
    rename = _verb(verbs, "rename", "give a collection that was added another name")
    rename.add_argument("old", metavar="OLD")
    rename.add_argument("new", metavar="NEW")
    for name, what in (("include", "search it by default"), ("exclude", "search it only with -c")):
        _verb(verbs, name, what).add_argument("name", metavar="NAME")


def _verb(verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, what: str) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=what, description=what, allow_abbrev=False)
    common.add_json(parser)
    common.add_workspace(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Do it and print what there is now."""
    ws = common.workspace_of(args)
    if args.verb == "list":
        return _list(args, collections.load(ws).all)
    if args.verb == "show":
        return _show(args, collections.load(ws).named(args.name))
    if args.verb == "add":
        return _add(args)
    if args.verb == "remove":
        gone = collections.remove(ws, args.name)
        return _say(args, "excluded" if gone.source == "layout" else "removed", gone)
    if args.verb == "rename":
        return _say(args, "renamed to", collections.rename(ws, args.old, args.new))
    return _say(args, f"{args.verb}d", collections.include(ws, args.name, args.verb == "include"))


def _add(args: argparse.Namespace) -> int:
    from openclaw_memory.cli.update import show
    from openclaw_memory.retrieval.update import update

    ws = common.workspace_of(args)
    made = collections.add(ws, args.path, args.name, args.mask, args.follow, args.transcripts)
    _say(args, "added", made)
    if not args.no_index:
        with progress.bar("indexing") as tick:
            report = update(ws, progress=tick)
        if not args.json:
            show(report, as_json=False)
    return 0


def _row(one: Collection) -> dict[str, object]:
    return {
        "name": one.name,
        "path": str(one.root),
        "pattern": one.mask,
        "mask": one.mask,
        "included": one.included and not one.low_trust,
        "source": one.source,
    }


def _list(args: argparse.Namespace, found: tuple[Collection, ...]) -> int:
    if args.json:
        print(output.dumps([_row(one) for one in found]))
        return 0
    for one in found:
        print(f"{one.name}  {one.root}  {one.mask}{'' if one.included and not one.low_trust else '  (only with -c)'}")
    if not found:
        print("no collections: `openclaw-memory collection add PATH --name NAME` adds one")
    return 0


def _show(args: argparse.Namespace, one: Collection) -> int:
    if args.json:
        common.print_json(_row(one))
    else:
        for key, value in _row(one).items():
            print(f"{key}: {value}")
    return 0


def _say(args: argparse.Namespace, done: str, one: Collection) -> int:
    if args.json:
        common.print_json(_row(one))
    else:
        print(f"collection {done}: {one.name} ({one.root})")
    return 0
