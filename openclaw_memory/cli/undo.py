"""`openclaw-memory undo [N]`: take back what a command wrote."""

from __future__ import annotations

import argparse

from openclaw_memory.cli.common import add_json, add_workspace, add_write, report, workspace_of

EPILOG = """\
Without a number the newest write that was not taken back is undone. Every file gets the bytes it had before; where one
has changed since, nothing is done and the file is named. Undoing an undo does it again.

  openclaw-memory log        see the numbers
  openclaw-memory undo 12    take write 12 back
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the number and the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="the number of the write, from `log`")
    add_workspace(parser)
    add_write(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Undo, and say how to do it again."""
    from openclaw_memory.workspace import undo

    outcome = undo(workspace_of(args), args.number, dry_run=args.dry_run, commit=args.commit)
    count = len(outcome.changes)
    files = "1 file is" if count == 1 else f"{count} files are"
    return report(outcome, args, f"{files} as before; undo {outcome.operation} does it again")
