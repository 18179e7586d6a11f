"""`openclaw-memory doctor`: what the host will really load, and what is wrong."""

from __future__ import annotations

import argparse

from openclaw_memory.cli.common import add_json, add_workspace, print_json, workspace_of
from openclaw_memory.findings import remedy
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.scaffold.doctor import BootFile, Diagnosis, Indexing

EPILOG = """\
Shows each file the host loads at session start, in its order, with what it cuts (set the host with `profile:` in
openclaw-memory.yaml), the tokens that costs, and every problem with its fix. Changes nothing.
Ends with 1 when something is wrong that should not stay so.
"""
_MARKS = {"error": "error", "warning": "warn ", "info": "info ", "off": "     "}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    add_workspace(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Diagnose and print."""
    from openclaw_memory.cli.families import FAMILIES
    from openclaw_memory.scaffold.doctor import diagnose

    found = diagnose(workspace_of(args), FAMILIES)
    if args.json:
        print_json(found.to_json())
    else:
        _print(found)
    return int(found.failed)


def _print(found: Diagnosis) -> None:
    print(f"host {found.host}: {found.source}; time zone {found.zone}")
    for file in found.files:
        print(f"  {file.path:<13} {_state(file)}")
    print(
        f"tokens at session start: {found.costs.host:,} by the host, {found.costs.context:,} by `context`,"
        f" {found.costs.everything:,} if all memory were loaded"
    )
    print(_indexing(found.indexing))
    for problem in found.problems:
        print(f"{_MARKS[problem.severity]} {problem.message}")
        if problem.fix:
            print(f"      {remedy(problem.fix)}")
    if not found.problems:
        print("nothing is wrong")


def _indexing(how: Indexing) -> str:
    if how.compiled:
        return "indexing runs compiled"
    return f"indexing runs in plain Python (same results, slower): {how.reason}\n      {remedy(how.fix)}"


def _state(file: BootFile) -> str:
    if file.state in ("absent", "unreadable"):
        return file.state
    sizes = f"{file.loaded:,} of {file.chars:,} characters, {file.tokens:,} tokens"
    return sizes if file.state == "loaded" else f"{sizes}, {file.state}: lines {file.first}-{file.last} are lost"
