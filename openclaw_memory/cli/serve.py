"""`serve`: keep the model warm for `query` and `vsearch`. They start it by themselves; it ends when it was idle."""

from __future__ import annotations

import argparse
import signal
import threading

from openclaw_memory.cli import common


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument(
        "--idle", type=common.a_time, default=600.0, metavar="S", help="end after so many seconds without a query (600)"
    )
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until idle, or told to end by a signal."""
    ended = _told()
    ws = common.workspace_of(args)
    from openclaw_memory.server.warm import serve

    if not serve(ws.root, args.idle, ended):
        print("this workspace has a warm server already")
    return 0


def _told() -> threading.Event:
    """What a signal sets; call it before other threads start, who then leave the signal to the one that waits here.

    No handler: what that raises is lost where it interrupts a callback.
    """
    ended, numbers = threading.Event(), {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def wait() -> None:
        signal.sigwait(numbers)
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended
