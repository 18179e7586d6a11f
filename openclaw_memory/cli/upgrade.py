"""`openclaw-memory upgrade`: the template's news, three-way."""

from __future__ import annotations

import argparse

from openclaw_memory.cli.common import add_json, add_workspace, add_write, print_json, report, workspace_of

EPILOG = """\
Files that `init` wrote and nobody touched follow the template. A file you changed stays as it is, with the new version
beside it as FILE.new (compare, take over what you like, delete it). A file you deleted stays deleted.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    add_workspace(parser)
    add_write(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Upgrade, and say what became of each file."""
    from openclaw_memory.scaffold.upgrade import upgrade

    done = upgrade(workspace_of(args), dry_run=args.dry_run, commit=args.commit)
    if args.json:
        print_json(done.to_json())
        return 0
    for path in done.beside:
        print(f"you changed {path}: the new version is {path}.new")
    return report(done.outcome, args, f"{len(done.followed)} files follow the template")
