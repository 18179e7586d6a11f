"""Options and printing that commands share. Imports the workspace only when a command asks for it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.knowledge.facts import Flags
    from openclaw_memory.retrieval.hits import Freshness
    from openclaw_memory.workspace import Outcome, Workspace

    Call = Callable[[argparse.Namespace], int]
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]

_MOST_NOTES = 5


def add_workspace(parser: argparse.ArgumentParser) -> None:
    """`--workspace DIR`: the folder to work on; without it the nearest parent that is one is taken."""
    parser.add_argument(
        "--workspace", "-w", type=a_path, metavar="DIR", help="the workspace (default: the nearest parent)"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`: one JSON object on standard output instead of text."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_write(parser: argparse.ArgumentParser) -> None:
    """`--dry-run` and `--commit`, which every command that writes has."""
    parser.add_argument("--dry-run", action="store_true", help="print the changes as a diff and write nothing")
    parser.add_argument("--commit", action="store_true", help="commit the index and the detail files together")


def add_now(parser: argparse.ArgumentParser) -> None:
    """`--now ISO`: the moment to take for now (tests, replays)."""
    parser.add_argument("--now", metavar="ISO", help="take this moment for now, e.g. 2026-03-02T09:30+00:00")


def add_usual(parser: argparse.ArgumentParser, *, writes: bool = True) -> None:
    """What every command about knowledge takes: workspace, `--json`, `--now`, and where it `writes` how to."""
    add_workspace(parser)
    add_json(parser)
    if writes:
        add_write(parser)
    add_now(parser)


def add_verb(verbs: Verbs, name: str, summary: str, call: Call, *, writes: bool = False) -> argparse.ArgumentParser:
    """One verb of a command, with the usual options; `call` runs it."""
    parser = verbs.add_parser(name, help=summary, description=summary, allow_abbrev=False)
    add_usual(parser, writes=writes)
    parser.set_defaults(call=call)
    return parser


def run_verb(args: argparse.Namespace) -> int:
    """Run the verb that `add_verb` added."""
    code: int = args.call(args)
    return code


def flags_of(args: argparse.Namespace) -> Flags:
    """What `add_write` was given."""
    from openclaw_memory.knowledge.facts import Flags

    return Flags(args.dry_run, args.commit)


def workspace_of(args: argparse.Namespace) -> Workspace:
    """The workspace of this call. Raises WorkspaceError where there is none."""
    from openclaw_memory.workspace import find_workspace

    ws = find_workspace(args.workspace)
    for warning in ws.config.warnings:
        print(f"openclaw-memory: {warning}", file=sys.stderr)
    return ws


def warn(fresh: Freshness, notes: Sequence[str] = ()) -> None:
    """Say on standard error what keeps an answer from being fresh and whole."""
    if fresh.state in ("partial", "stale"):
        pending = f": {plural(fresh.pending, 'file')} pending" if fresh.pending else ""
        print(f"openclaw-memory: the index is {fresh.state}{pending}", file=sys.stderr)
    for note in (*fresh.notes[:_MOST_NOTES], *notes):
        print(f"openclaw-memory: {note}", file=sys.stderr)


def print_json(payload: dict[str, object]) -> None:
    """Print `payload` with `version: 1` first; what the output cannot carry (no UTF-8, half characters) is escaped."""
    import json

    whole = {"version": 1, **payload}
    text = _indented(whole, json.JSONEncoder(ensure_ascii=False).encode)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:  # a path that is no UTF-8 holds lone surrogates
        text = json.dumps(whole, indent=2)
    print(text)


def _indented(value: object, encode: Callable[[object], str], margin: str = "\n") -> str:
    """What `json.dumps(value, indent=2)` gives, five times as fast: the library indents in Python, part by part."""
    inner = margin + "  "
    if isinstance(value, dict) and value:
        rows = [f"{encode(str(key))}: {_indented(each, encode, inner)}" for key, each in value.items()]
        return f"{{{inner}{f',{inner}'.join(rows)}{margin}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{inner}{f',{inner}'.join(_indented(each, encode, inner) for each in value)}{margin}]"
    return encode(value)


def report(outcome: Outcome, args: argparse.Namespace, done: str) -> int:
    """Print what a writing command did: the diff of a dry run, else `done` and the commit. Returns 0."""
    if getattr(args, "json", False):
        print_json(outcome.to_json())
    elif args.dry_run:
        print(outcome.diff or "nothing to change", end="" if outcome.diff else "\n")
    elif not (outcome.changes or outcome.commit):
        print("nothing to change")
    else:
        print(f"{done} ({outcome.commit[:10]})" if outcome.commit else done)
    return 0


def print_way_back(outcome: Outcome, done: str = "way back") -> None:
    """Say how to take back what a command wrote, if it did."""
    if outcome.operation is not None:
        print(f"  {done}: openclaw-memory undo {outcome.operation}")


def a_path(text: str) -> Path:
    """The type of an argument that is a file or folder: an empty one (`"$UNSET"`) is not the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)


def at_least_one(text: str) -> int:
    """The type of an argument that counts something: a whole number from 1 on."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def a_time(text: str) -> float:
    """The type of an argument in seconds: more than none, and not for ever."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return found


def plural(count: int, one: str, many: str = "") -> str:
    """`1 fact`, `2 facts`; `many` where the plural is not the word with an s."""
    return f"{count} {one if count == 1 else many or one + 's'}"
