"""`openclaw-memory hooks install|uninstall|status git|claude|openclaw`."""

from __future__ import annotations

import argparse
from pathlib import Path

from openclaw_memory import hooks
from openclaw_memory.cli.common import add_json, print_json


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the verbs and their options."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, summary in (("install", "set the hooks up, beside what is there"), ("uninstall", "take them away again")):
        sub = verbs.add_parser(verb, help=summary, description=summary, allow_abbrev=False)
        sub.add_argument("host", choices=("git",), help="whose hooks")
        sub.add_argument("--dry-run", action="store_true", help="say what would be done and do nothing")
        _common(sub)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workspace", "-w", type=Path, metavar="DIR", help="a folder of the repository (default: here)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Do it, and print each step."""
    act = hooks.install_git if args.verb == "install" else hooks.uninstall_git
    report = act(args.workspace or Path.cwd(), dry_run=args.dry_run)
    if args.json:
        print_json(report.to_json())
        return 0
    for step in report.steps:
        print(f"would {step.describe()}" if args.dry_run else step.describe())
    for note in report.notes:
        print(f"note: {note}")
    if not report.steps:
        print("nothing to change")
    return 0
