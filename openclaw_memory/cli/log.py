"""`openclaw-memory log`: what was saved when, and by which command."""

from __future__ import annotations

import argparse

from openclaw_memory.cli.common import add_json, add_workspace, print_json, workspace_of

EPILOG = """\
Lists what openclaw-memory wrote, newest first, with the number that `undo` takes. What people and agents wrote by hand
is in git: git log -- MEMORY.md memory/
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("-n", type=int, default=20, metavar="N", help="how many (default: 20; 0: all)")
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="only writes of this file, or of files below this folder"
    )
    add_workspace(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print one line a write, with its files below it."""
    from openclaw_memory.shown import visible
    from openclaw_memory.workspace import operations

    ws = workspace_of(args)
    found = operations.touching(ws, ws.rel(args.path) if args.path else "")
    found = found[: args.n] if args.n > 0 else found
    if args.json:
        print_json({"operations": [operation.to_json() for operation in found]})
        return 0
    for operation in found:
        commit = f" ({operation.commit[:10]})" if operation.commit else ""
        status = "" if operation.status == "done" else f" [{operation.status}]"
        print(visible(f"{operation.number:>4}  {operation.at}  {operation.command}{commit}{status}"))
        for file in operation.files:
            print(visible(f"      {operations.action(file)} {file.path}"))
    if not found:
        print("nothing was written yet")
    return 0
