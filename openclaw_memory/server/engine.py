"""A search that stays warm: the workspace, the model and the vectors are loaded once, under a lock, and kept.

Used by the MCP server and the warm search server; a config that changes on disk is read again.
"""

from __future__ import annotations

import atexit
import threading
import time
from pathlib import Path

from openclaw_memory.config import trust
from openclaw_memory.config.load import FILE
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import store
from openclaw_memory.retrieval.embedders.shared import Shared
from openclaw_memory.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory.retrieval.hits import Answer
    from openclaw_memory.retrieval.options import Options

MAX_AGE = 1.0
"""Seconds that a look at a large workspace stays good (see `retrieval.fresh.freshen`)."""
QUIET = 0.5
"""Seconds without a query after which missing vectors are computed."""
_PATIENCE = 30.0
"""Seconds for a model to end what it computes, when the process ends."""
_Stamp = tuple[tuple[int, int] | None, ...]
"""When the config and the record of trust were written, and their sizes."""


class Engine:
    """Answers queries over the workspace at `root`, from any number of threads."""

    def __init__(self, root: Path) -> None:
        self._lock = threading.Lock()
        self._root = root
        self._ws = Workspace(root)
        store.stay(store.path_in(self._ws.state_path))
        self._watched = (root / FILE, trust.record_path())
        self._stamp = self._config_stamp()
        self._embedder: Shared | None = None
        self._over = threading.Event()
        self._behind: threading.Thread | None = None
        self._tried = False
        self.used = time.monotonic()
        """When a query was last asked or answered."""
        self.working = False
        """Whether vectors are being computed behind the queries."""

    def load(self) -> None:
        """Load what every query needs but the model, where nobody waits yet."""
        from openclaw_memory.retrieval import arrays, hybrid  # noqa: F401

        arrays.load()

    @property
    def workspace(self) -> Workspace:
        """The workspace, with the config that is on disk now. Raises ConfigError where that is broken."""
        with self._lock:
            stamp = self._config_stamp()
            if stamp != self._stamp:
                self._ws, self._stamp, self._tried = Workspace(self._root), stamp, False
            return self._ws

    def query(self, text: str, options: Options) -> Answer:
        """By words and meaning; see `retrieval.hybrid.query`."""
        return self._answer("query", text, options)

    def vsearch(self, text: str, options: Options) -> Answer:
        """By meaning alone; see `retrieval.hybrid.vsearch`."""
        return self._answer("vsearch", text, options)

    def _answer(self, verb: str, text: str, options: Options) -> Answer:
        from openclaw_memory.retrieval import hybrid

        ws = self.workspace
        self.used = time.monotonic()
        try:
            found: Answer = getattr(hybrid, verb)(ws, text, options._replace(max_age=MAX_AGE), self._model(ws))
        finally:
            self.used = time.monotonic()
        return found

    def catch_up(self) -> int:
        """What can be done while nobody asks: load what the next query needs, compute some of the missing vectors.

        How many files were done; 0: nothing is left for now.
        """
        from openclaw_memory.retrieval import catchup

        self.load()
        try:
            ws = self.workspace
            model = self._model(ws) if catchup.is_due(ws) else None
        except OpenClawMemoryError:  # a config that is being edited
            return 0
        if self._embedder is not None:
            self._embedder.warm()
        return catchup.more(ws, model) if model is not None else 0

    def keep_up(self) -> None:
        """Compute missing vectors whenever nobody asks, in a thread, until `close` or the process ends."""
        self._behind = threading.Thread(target=self._keep_up, daemon=True)
        self._behind.start()
        atexit.register(self.close)

    def close(self) -> None:
        """End what `keep_up` began."""
        atexit.unregister(self.close)
        self._over.set()
        if self._embedder is not None:
            self._embedder.stop()
        if self._behind is not None:
            self._behind.join(_PATIENCE)

    def _keep_up(self) -> None:
        seen = 0.0
        while not self._over.wait(QUIET) and self._root.is_dir():
            if time.monotonic() - self.used >= QUIET and (self.used != seen or self.working):
                seen = self.used
                self.working = self.catch_up() > 0

    def _model(self, ws: Workspace) -> Shared | None:
        """The model, tried once for each config: what cannot be loaded is left to the search, which says why."""
        with self._lock:
            if not self._tried:
                self._tried = True
                self._embedder = _load(ws)
            return self._embedder

    def _config_stamp(self) -> _Stamp:
        return tuple(map(_stat, self._watched))


def _stat(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _load(ws: Workspace) -> Shared | None:
    from openclaw_memory.retrieval import embedders

    try:
        found = embedders.load(ws.config.retrieval)
    except OpenClawMemoryError:
        return None
    return Shared(found) if found is not None else None
