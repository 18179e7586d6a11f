"""`openclaw-memory context`: prints what a session is to read. Fails open: exit 0, and one line that says why."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli.common import add_json, add_now, add_workspace, print_json, workspace_of
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.context import Context
    from openclaw_memory.workspace import Workspace


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_workspace(parser)
    parser.add_argument("--message", "-m", metavar="TEXT", help="what the user says; - reads it from standard input")
    parser.add_argument("--session", metavar="KEY", help="the session's name: a later message only adds to what it has")
    parser.add_argument(
        "--format", choices=("text", "json", "claude", "openclaw"), default="text", help="for which host"
    )
    add_json(parser)
    parser.add_argument("--render", action="store_true", help="keep the context for hooks that must not start Python")
    parser.add_argument("--no-record", action="store_true", help="do not note that the drill-downs were read")
    add_now(parser)


def run(args: argparse.Namespace) -> int:
    """Print the context. Returns 0; only `--render`, which prints none, fails where it cannot be built."""
    from openclaw_memory import context

    if args.render:
        print(context.keep(workspace_of(args)))
        return 0
    form = "json" if args.json else args.format
    event = "SessionStart" if args.message is None else "UserPromptSubmit"
    try:
        ws = workspace_of(args)
        now = ws.now(args.now) if args.now else None
        found = context.load(ws, _message(args.message), args.session, record=not args.no_record, now=now)
    except OpenClawMemoryError as error:
        _print_failure(context.marker(error), form, event)
        return 0
    _print(found, ws, form, event)
    for note in found.notes:
        print(f"openclaw-memory: {note}", file=sys.stderr)
    return 0


def _message(given: str | None) -> str | None:
    if given != "-":
        return given
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _print(found: Context, ws: Workspace, form: str, event: str) -> None:
    from openclaw_memory import context

    if form == "json":
        print_json(context.receipt(found))
    elif form == "claude":
        _print_value(context.claude(event, context.render(found)))
    elif form == "openclaw":
        print_json({"records": context.openclaw(found, ws.root)})
    else:
        print(context.render(found), end="")


def _print_failure(line: str, form: str, event: str) -> None:
    from openclaw_memory import context

    if form == "claude":
        _print_value(context.claude(event, line))
    elif form == "text":
        print(line)
    else:
        print_json({"error": line, "records": []} if form == "openclaw" else {"error": line, "files": [], "text": ""})


def _print_value(value: dict[str, object]) -> None:
    import json

    print(json.dumps(value))
