"""The standard streams of the process: all three are there, and what cannot be written stops no command half-way.

A command runs to its end whatever becomes of its output, so its exit code is its own where the reader went away
(`| head -1`), and what it had to do is done where the disk is full; `finish` then says that output is missing.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TextIO

    from _typeshed import ReadableBuffer

UNWRITTEN = 2
"""The exit code where output is missing."""


class Unread(Exception):
    """Nobody gets any more of the output: a command that would go on for ever ends."""


class _Output(io.RawIOBase):
    """A descriptor to write to; after the first error it takes everything and writes nothing."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw
        self.failure: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all of `data`. A caller (Node) may have set its end not to block: that is waited for."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left and self.failure is None:
                done = self._raw.write(left)
                if done is None:
                    _wait(self._raw.fileno())
                left = left[done or 0 :]
        except OSError as error:
            self.failure = error
        return size


def _wait(descriptor: int) -> None:
    """Until it takes more."""
    import select

    select.select([], [descriptor], [])


def open_all() -> None:
    """Make the three what this module says. What is no UTF-8 is printed as it came in."""
    codecs.register_error("printable", _printable)
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 - for as long as the process lives
    sys.stdout = _stream(sys.stdout)
    sys.stderr = _stream(sys.stderr)


def _stream(given: TextIO | None) -> TextIO:
    """`given` over an `_Output`; one that the caller closed (None) takes the lowest free number, which is its own."""
    if given is None:  # opened for reading, so that a write fails as it does on what is closed
        raw: Any = io.FileIO(os.open(os.devnull, os.O_RDONLY), "w")
        return _text(io.BufferedWriter(_Output(raw)))
    if not isinstance(given, io.TextIOWrapper):
        return given
    raw = getattr(given.buffer, "raw", given.buffer)  # on Windows the console's own
    out: Any = _Output(raw)
    plain = given.write_through  # `python -u`, which has no buffer
    return _text(out if plain else io.BufferedWriter(out), given.line_buffering, plain)


def _text(buffer: io.BufferedWriter, lines: bool = False, plain: bool = False) -> TextIO:
    return io.TextIOWrapper(buffer, "utf-8", "printable", line_buffering=lines, write_through=plain)


def flush() -> None:
    """Give the reader what was printed so far. Raises Unread where that is in vain."""
    sys.stdout.flush()
    if _failure() is not None:
        raise Unread


def finish(code: int) -> int:
    """Write what is left, and return the exit code: `code`, or `UNWRITTEN` where output is missing, which is said."""
    sys.stdout.flush()
    failure = _failure()
    if failure is None or isinstance(failure, BrokenPipeError):  # who went away has what he wanted
        return code
    why = "it is closed" if failure.errno == errno.EBADF else failure.strerror
    print(f"openclaw-memory: the output could not be written ({why}); what the command did stands", file=sys.stderr)
    return UNWRITTEN


def _failure() -> OSError | None:
    """What went wrong on standard output; nothing is known of one that is not ours (a test's)."""
    buffer = getattr(sys.stdout, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    return raw.failure if isinstance(raw, _Output) else None


def _printable(error: UnicodeError) -> tuple[str | bytes, int]:
    """How what is no UTF-8 is printed: a byte of a file or name as it is, half a character (from JSON) as a mark."""
    assert isinstance(error, UnicodeEncodeError)
    half = error.object[error.start]
    return (bytes((ord(half) & 0xFF,)) if "\udc80" <= half <= "\udcff" else "?"), error.start + 1
