"""`openclaw-memory trust [FILE]`: allow a workspace's config to name commands, endpoints and models."""

from __future__ import annotations

import argparse
from pathlib import Path

from openclaw_memory.cli.common import add_json, add_workspace, print_json

EPILOG = """\
A config that came with a cloned repository could send your memory to somebody else's endpoint, so what it says about
commands, endpoints and models is ignored until you allow it. Read what is printed first (--dry-run); any later change
of the file has to be allowed again. The permission is kept outside the workspace, in $XDG_STATE_HOME/openclaw-memory.

  openclaw-memory trust --dry-run          what the config wants
  openclaw-memory trust                    allow it
  openclaw-memory trust heartbeat/a.md     allow a task of your own that runs a command
  openclaw-memory trust --forget           take it back
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the file and the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("file", nargs="?", metavar="FILE", help="the file to allow (default: openclaw-memory.yaml)")
    parser.add_argument("--forget", action="store_true", help="take the permission back")
    parser.add_argument("--dry-run", action="store_true", help="show what would be allowed and record nothing")
    add_workspace(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Allow or forget, and say what for."""
    from openclaw_memory import config, fsio
    from openclaw_memory.config import trust
    from openclaw_memory.shown import without_passwords
    from openclaw_memory.workspace import find_workspace

    ws = find_workspace(args.workspace)  # without the warnings that it is not allowed yet
    path = ws.path(ws.rel(Path(args.file)) if args.file else config.FILE)
    data = fsio.read(path)
    asked = config.wants(data, path.name) if path.name == config.FILE else []
    wants = [f"{name}: {without_passwords(value)}" for name, value in asked]
    if args.forget and not args.dry_run:
        done = "forgotten" if trust.forget(path) else "it was not allowed"
    elif not args.dry_run:
        trust.allow(path, data)
        done = "allowed"
    else:
        done = "would be forgotten" if args.forget else "would be allowed"
    if args.json:
        print_json({"file": str(path), "wants": wants, "result": done, "trusted": trust.is_trusted(path, data)})
        return 0
    print(f"{path}: {done}")
    for want in wants:
        print(f"  {want}")
    return 0
