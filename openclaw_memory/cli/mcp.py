"""`mcp`: serve the memory tools to an agent over the Model Context Protocol."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("--http", action="store_true", help="streamable HTTP on 127.0.0.1 instead of standard streams")
    parser.add_argument("--port", type=_port, default=8787, metavar="N", help="with --http; 0 takes a free one")
    parser.add_argument("--read-only", action="store_true", help="leave out the tools that write")
    parser.add_argument("--print-tools", action="store_true", help="print the tools' schemas as JSON and end")
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until the client goes, or until interrupted."""
    if args.print_tools:
        from openclaw_memory.server.tools import TOOLS

        common.print_json({"tools": [one.to_json() for one in TOOLS if not (args.read_only and one.writes)]})
        return 0
    ws = common.workspace_of(args)
    from openclaw_memory.server import mcp

    mcp.require()
    import anyio

    if args.http:
        anyio.run(mcp.serve_http, ws, args.port, args.read_only, lambda port: _ready(ws.state_dir, port))
    else:
        anyio.run(mcp.serve_stdio, ws, args.read_only)
    return 0


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: ports run from 0 to 65535")
    return int(text)


def _ready(state: Path, port: int) -> None:
    print(f"serving http://127.0.0.1:{port}/mcp; the bearer token is in {state}/mcp-token", file=sys.stderr, flush=True)
