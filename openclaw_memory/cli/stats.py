"""`openclaw-memory stats`: session-start tokens before (everything) and after (what `context` loads)."""

from __future__ import annotations

import argparse

from openclaw_memory.cli.common import add_json, add_workspace, print_json, workspace_of
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.context import FileCost, Stats

_SHOWN = 10  # files, the largest first; --all shows every one


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_workspace(parser)
    add_json(parser)
    parser.add_argument("--all", action="store_true", help=f"list every file, not only the {_SHOWN} largest")


def run(args: argparse.Namespace) -> int:
    """Count and print."""
    from openclaw_memory import context

    found = context.stats(workspace_of(args))
    if args.json:
        print_json(found.to_json())
        return 0
    for line in (*_by_kind(found), "", *_by_file(found, len(found.files) if args.all else _SHOWN)):
        print(line)
    return 0


def _by_kind(found: Stats) -> list[str]:
    lines = [_row("tokens at session start", "files", "before", "after")]
    kinds = found.kinds()
    notes = kinds.pop("daily", None)
    for kind, (files, before, after) in kinds.items():
        lines.append(_row(kind, f"{files:,}", f"{before:,}", f"{after:,}"))
    frame = found.after - sum(after for _, _, after in kinds.values())
    lines.append(_row("headings, and what was left out", "", "", f"{frame:,}"))
    share = f" ({found.after / found.before:.0%})" if found.before else ""
    lines.append(_row("total", "", f"{found.before:,}", f"{found.after:,}") + share)
    if notes:
        lines.append(f"daily notes, in neither: {notes[0]:,} files, {notes[1]:,} tokens")
    return lines


def _row(name: str, files: str, before: str, after: str) -> str:
    return f"{name:<32} {files:>6} {before:>9} {after:>9}"


def _by_file(found: Stats, most: int) -> list[str]:
    def size(file: FileCost) -> tuple[int, str]:
        return -file.size.tokens, file.path

    files = sorted(found.files, key=size)
    lines = [f"{file.size.tokens:>9,} {'loaded' if file.loaded else '':<6} {_named(file)}" for file in files[:most]]
    more = len(files) - most
    return [*lines, f"and {more:,} more: --all lists them"] if more > 0 else lines


def _named(file: FileCost) -> str:
    from openclaw_memory.context import printable

    return printable(file.path) + (f": {printable(file.problem)}" if file.problem else "")
