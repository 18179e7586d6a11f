"""`openclaw-memory migrate [--apply]`: split one long MEMORY.md; `--from DIR` brings an outside folder in."""

from __future__ import annotations

import argparse

from openclaw_memory.cli.common import a_path, add_json, add_workspace, plural, print_json, workspace_of
from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.scaffold.migrate import Brought, Migration
    from openclaw_memory.workspace import Outcome

EPILOG = """\
Without --apply the plan is printed: each span of lines of MEMORY.md and the file it goes to. Every line lands exactly
once, in its order and unchanged; what fits no class stays in MEMORY.md, which gets an entry for each new file.
The old bytes are kept: `openclaw-memory undo` takes it all back.

  openclaw-memory migrate                      the plan
  openclaw-memory migrate --dry-run            the same as a diff
  openclaw-memory migrate --apply --commit     do it, in one commit
  openclaw-memory migrate --from ~/life        plan to copy an outside folder into the workspace and index it
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("--apply", action="store_true", help="do it (default: only print the plan)")
    parser.add_argument("--from", dest="source", type=a_path, metavar="DIR", help="bring this outside folder in")
    parser.add_argument("--into", default="", metavar="FOLDER", help="where to (default: the name of DIR)")
    parser.add_argument("--dry-run", action="store_true", help="print the changes as a diff and write nothing")
    parser.add_argument("--commit", action="store_true", help="commit everything together (with --apply)")
    parser.add_argument("--stage", action="store_true", help="git add what it wrote (with --apply)")
    add_workspace(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Plan or do it."""
    from openclaw_memory.scaffold import migrate

    ws = workspace_of(args)
    apply = args.apply and not args.dry_run
    if args.source and args.stage:
        raise UsageError("--from and --stage do not go together", "git add the folder, or use --commit")
    if args.source:
        brought = migrate.bring(ws, args.source, args.into, apply=apply, commit=args.commit)
        return _print(args, brought, brought.outcome) or _say_brought(brought)
    done = migrate.migrate(ws, apply=apply, commit=args.commit, stage=args.stage)
    return _print(args, done, done.outcome) or _say(done)


def _print(args: argparse.Namespace, result: Brought | Migration, outcome: Outcome) -> bool:
    """Print it as JSON or as a diff where that was asked for."""
    if args.json:
        print_json(result.to_json())
    elif args.dry_run:
        print(outcome.diff or "nothing to change\n", end="")
    return bool(args.json or args.dry_run)


def _say(done: Migration) -> int:
    for span in done.plan.spans:
        lines = f"{span.first}-{span.last}" if span.last > span.first else f"{span.first}"
        print(f"{lines:>9}  {span.to or 'stays':<40}  {span.why}")
    for reading in done.plan.readings:
        print(f"line {reading.line}: {reading.text} is {reading.day or 'ambiguous'} ({reading.why})")
    print(f"index: {done.tokens_before:,} tokens before, {done.tokens_after:,} after")
    return _end(done.outcome, plural(len({span.to for span in done.plan.spans} - {""}), "file"))


def _say_brought(brought: Brought) -> int:
    from openclaw_memory.shown import visible

    for path in brought.files:
        print(visible(f"  {path}"))
    for path in brought.left:
        print(visible(f"  stays outside: {path}"))
    if brought.note:
        print(f"note: {brought.note}")
    return _end(brought.outcome, plural(len(brought.files), "file"))


def _end(outcome: Outcome, what: str) -> int:
    if not outcome.changes:
        print("nothing to change")
    elif outcome.dry_run:
        print(f"{what} planned; nothing was written: add --apply")
    else:
        commit = f" ({outcome.commit[:10]})" if outcome.commit else ""
        print(f"{what} written{commit}; take it back: openclaw-memory undo {outcome.operation}")
    return 0
