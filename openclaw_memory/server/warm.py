"""The warm search server: one process a workspace that keeps the model loaded, on a socket only its owner can open.

One JSON line in, one out: `{"version", "root", "verb", "text", "options"}` to `{"answer"}` or `{"error"}`. A client
of another release, or for another root, is refused, and the server makes way for one of that release. While nobody
asks it computes the vectors that are missing. It ends when it was idle, when its workspace is gone, or when told to;
a lock that dies with its holder keeps it the only one, so a crash leaves nothing stuck.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from openclaw_memory import fsio
from openclaw_memory.errors import LockError, OpenClawMemoryError, UsageError, WriteError
from openclaw_memory.server.address import folder, lock_path, socket_path
from openclaw_memory.server.engine import Engine
from openclaw_memory.server.release import release

IDLE = 600.0
"""Seconds without a query after which the server ends."""
_LONGEST = 1_000_000
_AT_ONCE, _QUEUE = 16, 64
"""Queries that are answered at once, and clients that wait for their turn."""
_PATIENCE = 10.0
"""Seconds for a client to say what it wants, and to take the answer."""
_GRACE = 0.1
"""Seconds in which a server that makes way still sends its last answers, or waits for what it lacks."""
_TURN = 0.5
"""Seconds to wait for another server's lock: it may be held for a moment by one that looks whether it is left over."""
_OLD = 3600.0
"""Seconds after which it is looked whether what a server made is left over."""
VERBS = ("query", "vsearch")


class _Server:
    """Threads that wait for clients: to start one for each query takes longer than many queries do."""

    def __init__(self, root: Path, path: Path, ended: threading.Event) -> None:
        self.engine = Engine(root)
        self.engine.load()  # before anybody can ask: who finds no server answers by himself
        self.root = root
        self._release = release()
        self._ended = ended
        self._socket = socket.socket(socket.AF_UNIX)
        previous = os.umask(0o177)  # the socket is born with its owner's rights only
        try:
            self._socket.bind(str(path))
        finally:
            os.umask(previous)
        self._socket.listen(_QUEUE)

    def serve(self) -> None:
        """Answer until `shutdown`."""
        for _ in range(_AT_ONCE):
            self._start()
        self._ended.wait()
        self._socket.close()

    def shutdown(self) -> None:
        """End `serve`."""
        self._ended.set()

    def _start(self) -> None:
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        try:
            while not self._ended.is_set():
                try:
                    connection = self._socket.accept()[0]
                except OSError:  # no descriptor is free
                    time.sleep(_GRACE)
                    continue
                with connection, suppress(OSError):  # a client that went away
                    self._talk(connection)
        finally:
            if not self._ended.is_set():  # an error of ours: it is told on stderr, and another thread goes on
                self._start()

    def _talk(self, connection: socket.socket) -> None:
        """Answer one line."""
        connection.settimeout(_PATIENCE)
        with connection.makefile("rb") as asked:
            line = asked.readline(_LONGEST)
        try:
            reply = self.answer(line)
        except OpenClawMemoryError as error:
            reply = {"error": error.message, "hint": error.hint, "kind": type(error).__name__}
        connection.sendall(json.dumps(reply).encode("ascii") + b"\n")

    def answer(self, line: bytes) -> dict[str, Any]:
        """The reply to one request line. Raises UsageError for one that is not of our form."""
        from openclaw_memory.retrieval.options import Options
        from openclaw_memory.server.wire import to_wire

        try:
            asked = json.loads(line)
            verb, text, options = asked["verb"], str(asked["text"]), Options(**asked["options"])
            version, root = asked["version"], asked["root"]
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"not a request: {error}", "this socket speaks to openclaw-memory only") from error
        if (version, root) != (self._release, str(self.root)):
            threading.Timer(_GRACE, self.shutdown).start()
            return {"other": {"version": self._release, "root": str(self.root)}}
        if verb not in VERBS:
            raise UsageError(f"there is no verb {verb!r}", f"use one of {', '.join(VERBS)}")
        options = options._replace(collections=tuple(options.collections))
        return {"answer": to_wire(getattr(self.engine, verb)(text, options))}


def serve(root: Path, idle: float = IDLE, ended: threading.Event | None = None) -> bool:
    """Serve until idle, or until `ended` is set; False where another process serves this workspace already.

    Raises WriteError.
    """
    try:
        with fsio.locked(lock_path(root), _TURN, removing=True), _cleared(socket_path(root)) as path:
            _sweep()
            server = _Server(root, path, ended or threading.Event())
            threading.Thread(target=_watch, args=(server, idle), daemon=True).start()
            server.engine.keep_up()
            server.serve()
    except LockError:
        return False
    return True


@contextmanager
def _cleared(path: Path) -> Iterator[Path]:
    """No socket before (of a server that was killed: we hold the lock, so nobody listens) and none after."""
    path.unlink(missing_ok=True)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _sweep() -> None:
    """Remove what servers left that were killed, and whose workspace nobody has asked since."""
    left = set()
    for path in folder().iterdir():
        with suppress(FileNotFoundError):
            if path.lstat().st_mtime < time.time() - _OLD:
                left.add(path.with_suffix(".lock"))
    for lock in left:
        with suppress(LockError, WriteError), fsio.locked(lock, 0.0, removing=True):  # a server that lives holds it
            lock.with_suffix(".sock").unlink(missing_ok=True)


def _watch(server: _Server, idle: float) -> None:
    """Stop the server when it was idle and has no vectors to compute, or when its workspace is gone."""
    engine = server.engine
    while (engine.working or time.monotonic() - engine.used < idle) and server.root.is_dir():
        time.sleep(min(1.0, idle / 4))
    server.shutdown()
