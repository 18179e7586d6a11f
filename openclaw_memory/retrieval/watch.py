"""Keep the index up to date as files change: file events, debounced, and a scan now and then in case one was lost.

What is watched follows the config, the collections and the disk: a folder that was added, replaced or came back is
watched from then on. The vectors of what changed are computed behind it, in a thread, so that a slow model delays no
update.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from openclaw_memory.config.model import seconds
from openclaw_memory.errors import LockError, MissingExtraError, OpenClawMemoryError, WorkspaceError
from openclaw_memory.retrieval import catchup
from openclaw_memory.retrieval import collections as folders
from openclaw_memory.retrieval.embedders.choose import load
from openclaw_memory.retrieval.embedders.shared import Shared
from openclaw_memory.retrieval.update import Report, update
from openclaw_memory.workspace import STATE, Workspace

_QUIET = 50
"""Milliseconds without events that end a burst."""
_PATIENCE = 0.5
"""Seconds between two looks at whether to end, and after which one looks at folders that are watched from now on."""

_Places = Mapping[str, tuple[int, int]]
"""Folders and which they are on disk (device, inode): one that took another's place has to be watched anew."""


def watch(
    ws: Workspace, stop: threading.Event, debounce_ms: int = 0, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Report]:
    """A report for every update that changed something; the first at once. Ends when `stop` is set.

    `debounce_ms` and the interval are the config's (`memory.update`) where not given. What keeps an update from being
    done (a config that is being edited, a full disk) is told once, and the next event tries again. Raises
    MissingExtraError without watchfiles, WorkspaceError where there is no workspace any more.
    """
    try:
        import watchfiles  # noqa: F401 (whether it is there)
    except ImportError as error:
        raise MissingExtraError("watch", "retrieval") from error
    with _embedding(ws.root, stop) as changed:
        yield update(ws)
        changed.set()
        watcher = _Watcher(ws, stop, debounce_ms, tell)
        while not stop.is_set():
            for report in watcher.reports():
                changed.set()
                yield report


class _Watcher:
    """What is watched now, and what was told last."""

    def __init__(self, ws: Workspace, stop: threading.Event, debounce_ms: int, tell: Callable[[str], None]) -> None:
        self._ws = ws
        self._stop = stop
        self._debounce_ms = debounce_ms
        self._tell = tell
        self._told = ""

    def reports(self) -> Iterator[Report]:
        """Those of the updates until other folders have to be watched."""
        places = self._places()
        looked = float("-inf")
        for events in self._events(places):
            if self._stop.is_set():
                return
            if not self._ws.root.is_dir():
                raise WorkspaceError(f"the workspace {self._ws.root} is gone", "there is nothing left to watch")
            rested = time.monotonic() - looked >= seconds(self._ws.config.memory.update.interval)
            if not events and not rested and self._places() == places:  # of a folder that is moved no event tells
                continue
            looked = time.monotonic()
            report = self._update()
            if report is not None and report.writes:
                yield report
            if self._places() != places:
                return

    def _places(self) -> _Places:
        """The folders that are there; the workspace's own holds what else says what is searched."""
        try:
            roots = [one.root for one in folders.load(self._ws).all]
        except OpenClawMemoryError as error:
            self._say(error)
            roots = []
        found = {}
        for root in (self._ws.root, *roots):
            try:
                stat = root.stat()
            except OSError:
                continue
            found[str(root)] = (stat.st_dev, stat.st_ino)
        return found

    def _events(self, places: _Places) -> Iterator[object]:
        """Bursts of events, and empty ones (the first soon) when there were none for a while, or of our own files only.

        watchfiles' own filter would keep the latter back: who searches all the time would hide that a folder moved.
        """
        import watchfiles

        config = self._ws.config.memory.update
        try:
            bursts = watchfiles.watch(
                *sorted(places),
                debounce=self._debounce_ms or config.debounce_ms,
                step=_QUIET,
                stop_event=self._stop,
                rust_timeout=int(_PATIENCE * 1000),
                yield_on_timeout=True,
                watch_filter=None,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
            for burst in bursts:
                yield [path for _, path in burst if _wanted(path)]
        except FileNotFoundError:  # one of them went a moment ago
            self._stop.wait(_PATIENCE)
            yield ()
        except OSError as error:
            hint = "raise fs.inotify.max_user_watches, or do without: every search looks at the disk itself"
            raise WorkspaceError(f"files cannot be watched: {error}", hint) from error

    def _update(self) -> Report | None:
        try:
            self._ws = Workspace(self._ws.root)
            report = update(self._ws)
        except LockError:
            return None  # whoever writes sees the same files
        except OpenClawMemoryError as error:
            self._say(error)
            return None
        self._told = ""
        return report

    def _say(self, error: OpenClawMemoryError) -> None:
        if str(error) != self._told:
            self._told = str(error)
            self._tell(self._told)


@contextmanager
def _embedding(root: Path, stop: threading.Event) -> Iterator[threading.Event]:
    """A thread that computes missing vectors whenever the event is set; it ends with the block, or with `stop`."""
    changed, over = threading.Event(), threading.Event()
    model: Shared | None = None

    def work() -> None:
        nonlocal model
        wanted = None
        while not (over.is_set() or stop.is_set()):
            if not changed.wait(_PATIENCE):
                continue
            changed.clear()
            try:
                ws = Workspace(root)
                if wanted != ws.config.retrieval:
                    model, wanted = None, ws.config.retrieval
                if model is None and catchup.is_due(ws) and (found := load(wanted)) is not None:
                    model = Shared(found)
            except OpenClawMemoryError:  # `embed` says why
                continue
            while model and not (over.is_set() or stop.is_set()) and catchup.more(ws, model):
                pass

    behind = threading.Thread(target=work, daemon=True)
    behind.start()
    try:
        yield changed
    finally:
        over.set()
        if model is not None:
            model.stop()
        behind.join()


def _wanted(path: str) -> bool:
    own = f"/{STATE}/" in path and not path.endswith(f"/{folders.FILE}")
    return not own and "/.git/" not in path
