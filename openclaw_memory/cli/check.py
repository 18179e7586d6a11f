"""`openclaw-memory check`: the rules on the work tree, on what is staged, or on each commit of a range."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from openclaw_memory.check.report import Report
from openclaw_memory.cli.common import a_path, add_json, add_workspace, add_write, print_json, report, workspace_of
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_workspace(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--staged", action="store_true", help="judge what the next commit would hold")
    what.add_argument("--range", metavar="A..B", dest="span", help="judge each commit of a range against its parent")
    parser.add_argument("--fix", action="store_true", help="mend what needs no judgement")
    parser.add_argument("--format", choices=("text", "json", "sarif", "github"), default="text", help="how to print")
    add_json(parser)
    parser.add_argument("--select", action="append", default=[], metavar="CODES", help="only these (OM101,OM6)")
    parser.add_argument("--ignore", action="append", default=[], metavar="CODES", help="all but these")
    parser.add_argument(
        "--baseline", type=a_path, metavar="FILE", help="count the findings this file knows, do not show them"
    )
    parser.add_argument("--write-baseline", action="store_true", help="make today's findings the known ones")
    add_write(parser)


def run(args: argparse.Namespace) -> int:
    """Judge and print; 1 when an error was found."""
    from openclaw_memory.check import run as checks
    from openclaw_memory.cli.families import FAMILIES

    request = checks.Request(
        workspace_of(args),
        args.staged,
        args.span or "",
        _codes(args.select),
        _codes(args.ignore),
        args.baseline,
        from_top=args.format in ("sarif", "github"),
    )
    if args.write_baseline:
        outcome = checks.baseline_of(request, FAMILIES, dry_run=args.dry_run, commit=args.commit)
        return report(outcome, args, "wrote the baseline")
    if args.fix:
        outcome = checks.mend(request, dry_run=args.dry_run, commit=args.commit)
        if args.dry_run:
            return report(outcome, args, "")
        _say_what_was_fixed(outcome, args)
    reports = checks.check(request, FAMILIES)
    _print(reports, "json" if args.json else args.format)
    return int(any(found.failed for found in reports))


def _say_what_was_fixed(outcome: Outcome, args: argparse.Namespace) -> None:
    where = "staged and on disk" if args.staged else "on disk"
    for change in outcome.changes:
        print(f"fixed: {change.path} ({where})", file=sys.stderr)


def _codes(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip().upper() for word in words for code in word.split(",") if code.strip())


def _print(reports: Sequence[Report], form: str) -> None:
    from openclaw_memory.check import output

    if form == "json":
        print_json(output.to_json(reports))
    elif form == "sarif":
        from openclaw_memory.check.sarif import sarif

        print(json.dumps(sarif(reports), indent=2))
    elif form == "github":
        print("".join(f"{line}\n" for line in output.github(reports)), end="")
    else:
        print(*output.text(reports), output.summary(reports), sep="\n")
