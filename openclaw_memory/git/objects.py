"""Objects by id through one long-lived `cat-file --batch`, and the rev of a file's content."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType

from openclaw_memory.errors import GitError
from openclaw_memory.git.process import Child, run, start, to_bytes

_NONCE = "openclaw-memory/" + os.urandom(12).hex()
_END = f"{_NONCE} missing\n".encode()


class TooLarge(GitError):
    """A blob is larger than what the caller is ready to hold in memory."""


def rev6(data: bytes) -> str:
    """The rev of a file: the first 6 hex digits of the SHA-1 git blob id of `data`, as git stores it.

    The same number in a SHA-256 repository. Format: git's object header, "blob SIZE NUL" (Pro Git, 10.2).
    """
    import hashlib  # loads OpenSSL: 2 ms that a hook in a SHA-1 repository saves

    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()[:6]


class Objects:
    """Reads objects. `text` gives a blob as it stands on disk after smudge filters, `raw` as git stores it.

    Use it as a context manager, so that its processes end.
    """

    def __init__(self, cwd: str, env: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._env = env
        self._running: dict[str, Child] = {}

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        for process in self._running.values():
            process.end()
        self._running = {}

    def text(self, oid: str, path: str, limit: int | None = None) -> bytes:
        """Blob `oid` as it would be checked out at `path`. Raises TooLarge over `limit` bytes, GitError if missing."""
        return self._need(self._ask("--filters", f"{oid} {_one_line(path)}", limit), oid)

    def raw(self, oid: str, limit: int | None = None) -> bytes:
        """Object `oid` as git stores it. Raises like `text`."""
        return self._need(self._ask("", oid, limit), oid)

    def peek(self, name: str) -> bytes | None:
        """The commit or tag that the revision `name` (without spaces) stands for; None where there is none."""
        return self._ask("--filters", f"{name} {name}", None)

    def _need(self, found: bytes | None, oid: str) -> bytes:
        if found is None:
            raise GitError(f"object {oid} is missing from the repository", "run `git fsck`, or fetch it again")
        return found

    def _ask(self, mode: str, request: str, limit: int | None) -> bytes | None:
        """One object's bytes. git gives the size before its filters, so a name that no object has marks the end."""
        process = self._process(mode)
        asked = f"{request}\n{_NONCE} x\n" if mode else f"{request}\n{_NONCE}\n"
        try:
            process.stdin.write(to_bytes(asked))
            process.stdin.flush()
        except BrokenPipeError:
            raise self._died(mode, request) from None
        return self._answer(mode, request, limit)

    def _answer(self, mode: str, request: str, limit: int | None) -> bytes | None:
        pipe = self._process(mode).stdout
        header = pipe.readline()
        if header.endswith((b" missing\n", b" ambiguous\n")):
            return None if pipe.readline() == _END else b""
        data = bytearray()
        size, tail = 0, b""
        while not tail.endswith(b"\n" + _END):
            chunk = pipe.read1(1 << 20)
            if not chunk:
                raise self._died(mode, request)
            size += len(chunk)
            tail = (tail + chunk)[-len(_END) - 1 :]
            if limit is None or size <= limit + len(tail):
                data += chunk
        size -= len(tail)
        if limit is not None and size > limit:
            raise TooLarge(f"{request.split(' ', 1)[-1]} is larger than {limit} bytes", "make it smaller")
        del data[size:]
        return bytes(data)

    def _process(self, mode: str) -> Child:
        if mode not in self._running:
            args = ["cat-file", "--batch", *([mode] if mode else [])]
            self._running[mode] = start(args, self._cwd, self._env)
        return self._running[mode]

    def _died(self, mode: str, request: str) -> GitError:
        """What git says when it is asked for this object alone (a smudge filter failed, the object is broken)."""
        code = self._running.pop(mode).end()
        oid, _, path = request.partition(" ")
        try:
            run(["cat-file", *([mode, f"--path={path}"] if mode else ["-p"]), oid], self._cwd, self._env)
        except GitError as error:
            return error
        return GitError(f"git cat-file ended with exit code {code} in {self._cwd}", "run `git fsck`")


def _one_line(path: str) -> str:
    """`path` for looking up attributes; the protocol has no way to give a line end."""
    return path.replace("\n", " ")
