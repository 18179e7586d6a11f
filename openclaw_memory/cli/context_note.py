"""`context-note add / list / rm`: say what a collection or a folder is about; shown with every result in it."""

from __future__ import annotations

import argparse
import sys
from os.path import lexists

from openclaw_memory.cli import common
from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import collections, paths
from openclaw_memory.retrieval.collections import Note

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, what in (("add", "add or change a note"), ("list", "every note"), ("rm", "remove a note")):
        verb = verbs.add_parser(name, help=what, description=what, allow_abbrev=False)
        if name != "list":
            verb.add_argument("where", metavar="COLLECTION[/FOLDER]", help="or its qmd:// address; / for all")
        if name == "add":
            verb.add_argument("text", metavar="TEXT")
        common.add_json(verb)
        common.add_workspace(verb)


def run(args: argparse.Namespace) -> int:
    """Do it and print the notes there are."""
    ws = common.workspace_of(args)
    if args.verb != "list":
        with collections.changing(ws):
            _change(args, ws)
    notes = collections.read(ws).notes
    if args.json:
        common.print_json({"notes": [one._asdict() for one in notes]})
        return 0
    for one in notes:
        print(f"{paths.address(one.collection, one.prefix) if one.collection else '/'}  {one.text}")
    if not notes:
        print("no notes")
    return 0


def _change(args: argparse.Namespace, ws: Workspace) -> None:
    collection, prefix = _place(args.where)
    home = collections.load(ws).named(collection) if collection else None
    if args.verb == "add" and not args.text.strip():
        raise UsageError("the note is empty", f"context-note rm {args.where} removes one")
    added = collections.read(ws)
    kept = [one for one in added.notes if (one.collection, one.prefix) != (collection, prefix)]
    if args.verb == "rm" and len(kept) == len(added.notes):
        raise UsageError(f"there is no note on {args.where}", "`context-note list` shows those there are")
    notes = [*kept, Note(collection, prefix, args.text)] if args.verb == "add" else kept
    collections.write(ws, added._replace(notes=tuple(notes)))
    if args.verb == "add" and home is not None and not lexists(home.root / prefix):
        print(f"openclaw-memory: there is no {home.root / prefix} yet: no result shows this note", file=sys.stderr)


def _place(where: str) -> tuple[str, str]:
    address = paths.from_address(where)
    if address is None:
        collection, _, prefix = where.strip("/").partition("/")
        return collection, prefix
    return address[0], address[1].rstrip("/")
