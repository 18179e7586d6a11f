"""`openclaw-memory init [DIR] [--layout L] [--adopt]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from openclaw_memory.cli.common import a_path, add_json, print_json
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace.layout import KINDS

if TYPE_CHECKING:
    from openclaw_memory.scaffold.adopt import Adoption
    from openclaw_memory.scaffold.initialise import Setup

EPILOG = """\
Writes the files of a workspace that are missing, never over one that is there; makes a git repository where there is
none, installs the git hook and commits what it wrote. A second run changes nothing.

  openclaw-memory init ~/agent                 a new workspace
  openclaw-memory init --layout para .         with PARA folders below life/
  openclaw-memory init --adopt ~/agent         keep a workspace as it has grown: only a config and a baseline are
                                               written, so that old findings do not block the next commit
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("dir", nargs="?", type=a_path, default=Path(), metavar="DIR", help="the folder (default: here)")
    parser.add_argument("--layout", choices=tuple(KINDS), help="which folders (default: hierarchical)")
    parser.add_argument("--adopt", action="store_true", help="describe what is there, and change nothing of it")
    parser.add_argument("--no-git", action="store_true", help="make no repository, no hooks and no commit")
    parser.add_argument("--dry-run", action="store_true", help="print the changes as a diff and write nothing")
    parser.add_argument("--commit", action="store_true", help="commit what is written (init does that anyway)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Scaffold or adopt, and say what was done."""
    if args.adopt:
        return _adopt(args)
    from openclaw_memory.scaffold.initialise import initialise

    setup = initialise(args.dir, args.layout, dry_run=args.dry_run, use_git=not args.no_git)
    if args.json:
        print_json(setup.to_json())
    elif args.dry_run:
        print(setup.outcome.diff or "nothing to change\n", end="")
    else:
        _say(args.dir, setup)
    return 0


def _say(root: Path, setup: Setup) -> None:
    if not (setup.outcome.changes or setup.hooks or setup.outcome.commit):
        print("nothing to change")
    elif setup.outcome.changes:
        print(f"workspace with the layout {setup.layout} in {root.resolve()}")
        for change in setup.outcome.changes:
            if not change.path.endswith(".gitkeep"):
                print(f"  wrote {change.path}")
    for path in setup.kept if setup.outcome.changes else ():
        print(f"  kept {path}")
    for path in setup.gone:
        print(f"  stays deleted: {path}")
    _say_git(setup)


def _say_git(setup: Setup) -> None:
    if setup.hooks:
        print("installed the git hooks")
    if setup.outcome.commit:
        print(f"committed {setup.outcome.commit[:10]}")
    for note in setup.notes:
        print(f"note: {note}")


def _adopt(args: argparse.Namespace) -> int:
    from openclaw_memory.cli.families import FAMILIES
    from openclaw_memory.scaffold.adopt import adopt

    adoption = adopt(args.dir, args.layout, FAMILIES, dry_run=args.dry_run, use_git=not args.no_git)
    if args.json:
        print_json(adoption.to_json())
    elif args.dry_run:
        _say_assumed(adoption)
        print(adoption.setup.outcome.diff or "nothing to change\n", end="")
    else:
        _say_assumed(adoption)
        _say(args.dir, adoption.setup)
    return 0


def _say_assumed(adoption: Adoption) -> None:
    for line in adoption.assumed:
        print(f"assumed: {line}")
