"""Keep the index up to date as files change: file events, debounced, and a scan now and then in case one was lost.

The vectors of what changed are computed behind it, in a thread, so that a slow model delays no update.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from openclaw_memory.config.model import seconds
from openclaw_memory.errors import LockError, MissingExtraError, OpenClawMemoryError, WorkspaceError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import catchup
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.embedders.choose import load
from openclaw_memory.retrieval.update import Report, update

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_QUIET = 50
"""Milliseconds without events that end a burst."""
_PATIENCE = 0.5
"""Seconds between two looks at whether to end."""


def watch(ws: Workspace, stop: threading.Event, debounce_ms: int = 0) -> Iterator[Report]:
    """A report for every update that changed something; the first at once. Ends when `stop` is set.

    `debounce_ms` and the interval are the config's (`memory.update`) where not given. Raises MissingExtraError
    without watchfiles, WorkspaceError where there is no folder to watch.
    """
    try:
        import watchfiles  # noqa: F401 (whether it is there)
    except ImportError as error:
        raise MissingExtraError("watch", "retrieval") from error
    roots = {str(one.root) for one in folders.load(ws).all if one.root.is_dir()}
    if not roots:
        raise WorkspaceError("there is no folder to watch", "`collection add PATH` adds one")
    with _embedding(ws, stop) as changed:
        yield update(ws)
        changed.set()
        yield from _updates(ws, stop, sorted(roots), debounce_ms, changed)


def _updates(
    ws: Workspace, stop: threading.Event, roots: list[str], debounce_ms: int, changed: threading.Event
) -> Iterator[Report]:
    import watchfiles

    config = ws.config.memory.update
    events = watchfiles.watch(
        *roots,
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
            changed.set()
            yield report


@contextmanager
def _embedding(ws: Workspace, stop: threading.Event) -> Iterator[threading.Event]:
    """A thread that computes missing vectors whenever the event is set; it ends with the block, or with `stop`."""
    changed, over = threading.Event(), threading.Event()

    def work() -> None:
        model = None
        while not (over.is_set() or stop.is_set()):
            if not changed.wait(_PATIENCE):
                continue
            changed.clear()
            try:
                model = model or (load(ws.config.retrieval) if catchup.is_due(ws) else None)
            except OpenClawMemoryError:  # `embed` says why
                return
            while model and not (over.is_set() or stop.is_set()) and catchup.more(ws, model):
                pass

    threading.Thread(target=work, daemon=True).start()
    try:
        yield changed
    finally:
        over.set()


def _wanted(change: object, path: str) -> bool:
    return "/.openclaw-memory/" not in path and "/.git/" not in path
