"""The process edge: finds the command, runs it, and turns errors into messages and exit codes.

Exit codes: 0 clean, 1 findings, 2 cannot judge or wrong use, 3 a bug of ours. Session hooks always end with 0.
"""

from __future__ import annotations

import errno
import gc
import os
import sys

from openclaw_memory.cli import streams
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

_YOUNG = 50_000
"""New objects from which on Python looks for garbage among them. Its own 700 costs a search 4 ms, and finds none."""
EPILOG = (
    "Exit codes: 0 clean, 1 findings, 2 cannot judge or wrong use, 3 a bug."
    " search, vsearch and query take one or more collections: -c NAME."
)


def build_parser(only: str = "") -> argparse.ArgumentParser:
    """The parser; only the command named `only` gets its arguments, so that no other module is imported."""
    import argparse

    from openclaw_memory import __version__
    from openclaw_memory.cli.commands import COMMANDS, load

    argparse._ = str  # type: ignore[attr-defined]  # all we say is English; to look for translations takes 2 ms

    def formatter(prog: str) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(prog, width=_columns() - 2)

    parser = argparse.ArgumentParser(
        prog="openclaw-memory",
        description="Keeps an AI agent's Markdown memory in order.",
        epilog=EPILOG,
        allow_abbrev=False,
        formatter_class=formatter,
    )
    parser.add_argument("--version", action="version", version=f"openclaw-memory {__version__}")
    # With a `prog` argparse need not format a usage line for it, which would import shutil and with it lzma.
    verbs = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", prog="openclaw-memory")
    for name, (_, summary) in ({only: COMMANDS[only]} if only in COMMANDS else COMMANDS).items():
        sub = verbs.add_parser(name, help=summary, description=summary, allow_abbrev=False, formatter_class=formatter)
        if name == only:
            load(name).configure(sub)
    return parser


def _columns() -> int:
    """How wide the terminal is. argparse would ask shutil, and pay for the archivers that it imports."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        try:
            return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 80
        except (OSError, ValueError):
            return 80


def main(argv: list[str] | None = None) -> int:
    """Run the command line with `argv` (default: the process's) and return the exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        return _run(words)
    except OpenClawMemoryError as error:
        print(f"openclaw-memory: {error}", file=sys.stderr)
        return error.exit_code
    except streams.Unread:
        return 0
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and error.filename:
            print(f"openclaw-memory: {error.filename}: {error.strerror}", file=sys.stderr)
            print("  hint: check its owner and mode, and those of the folders above it", file=sys.stderr)
        elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            what = error.filename or "not everything could be written"
            print(f"openclaw-memory: {what}: {error.strerror}", file=sys.stderr)
        else:
            raise
        return 2
    except KeyboardInterrupt:
        return 130


def _run(words: list[str]) -> int:
    if words[:1] == ["hook"]:
        from openclaw_memory.cli import hook

        if hook.knows(words[1:]):  # waited for at every commit and turn: no argument parser
            return hook.call(words[1], words[2:])
    # numpy's own pool of threads costs a command more than it computes in it: 20 ms idle, 300 on a busy machine
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    name = next((word for word in words if not word.startswith("-")), "")
    parser = build_parser(name)
    args, unknown = parser.parse_known_args(words)
    if unknown:
        command = f"{parser.prog} {args.command or ''}".rstrip()
        parser.exit(2, f"{command}: it takes no {unknown[0]!r}\n  hint: {command} --help\n")
    if not args.command:
        parser.print_help()
        return 0
    from openclaw_memory.cli.commands import load

    return load(args.command).run(args)


def entry() -> None:
    """The console script: like `main`, and a bug of ours ends with 3 and a way to report it."""
    gc.set_threshold(_YOUNG)
    streams.open_all()
    try:
        code = main()
    except SystemExit as end:  # argparse has printed its help, or said what is wrong
        code = int(end.code or 0)
    except Exception as error:  # the process edge: a bug must end with 3, not with what a host reads as "block"
        if os.environ.get("OPENCLAW_MEMORY_DEBUG"):
            raise
        print(f"openclaw-memory: a bug: {type(error).__name__}: {error}", file=sys.stderr)
        print("  hint: set OPENCLAW_MEMORY_DEBUG=1 to see the traceback, and report it", file=sys.stderr)
        code = 3
    code = _code(sys.argv[1:], streams.finish(code))
    gc.freeze()  # what is left goes with the process: to look through it for garbage once more takes 3 ms
    sys.exit(code)


def _code(words: list[str], code: int) -> int:
    """`code`; but a session hook always ends with 0, because a host may read anything else as "block"."""
    if words[:1] != ["hook"]:
        return code
    from openclaw_memory.cli import hook

    return code if hook.SESSION.keys().isdisjoint(words[1:2]) else 0
