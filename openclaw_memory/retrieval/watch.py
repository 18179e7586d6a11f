"""Keep the index up to date as files change: file events, debounced, and a scan now and then in case one was lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from openclaw_memory.config.model import seconds
from openclaw_memory.errors import LockError, MissingExtraError, WorkspaceError
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.update import Report, update

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_QUIET = 50
"""Milliseconds without events that end a burst."""


def watch(ws: Workspace, stop: threading.Event, debounce_ms: int = 0) -> Iterator[Report]:
    """A report for every update that changed something; the first at once. Ends when `stop` is set.

    `debounce_ms` and the interval are the config's (`memory.update`) where not given. Raises MissingExtraError
    without watchfiles, WorkspaceError where there is no folder to watch.
    """
    try:
        import watchfiles
    except ImportError as error:
        raise MissingExtraError("watch", "retrieval") from error
    config = ws.config.memory.update
    roots = {str(one.root) for one in folders.load(ws).all if one.root.is_dir()}
    if not roots:
        raise WorkspaceError("there is no folder to watch", "`collection add PATH` adds one")
    yield update(ws)
    events = watchfiles.watch(
        *sorted(roots),
        debounce=debounce_ms or config.debounce_ms,
        step=_QUIET,
        stop_event=stop,
        rust_timeout=int(seconds(config.interval) * 1000),
        yield_on_timeout=True,
        watch_filter=_wanted,
        raise_interrupt=False,
    )
    for _ in events:
        if stop.is_set():
            return
        try:
            report = update(ws)
        except LockError:
            continue  # whoever writes sees the same files
        if report.writes:
            yield report


def _wanted(change: object, path: str) -> bool:
    return "/.openclaw-memory/" not in path and "/.git/" not in path
