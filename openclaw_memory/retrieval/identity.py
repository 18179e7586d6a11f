"""What says whether a file is still the one that was indexed: its stat, and the hash of its content."""

from __future__ import annotations

from openclaw_memory.record import Record

_HALF = 1 << 63


class Stat(Record):
    """What a file is known again by, without reading it (git's rule: size, mtime, inode)."""

    size: int
    mtime_ns: int
    inode: int
    racy: bool = False
    """Written so close to when it was read that a later write could leave the same stat."""


def fitting(number: int) -> int:
    """`number` in the 64 bits with a sign that the database has for it: times and inodes may be larger."""
    return number if -_HALF <= number < _HALF else (number + _HALF) % (2 * _HALF) - _HALF


def content_hash(data: bytes) -> str:
    """40 hex digits that name a content; the first 6 are the document's id."""
    import hashlib  # loads OpenSSL: 2 ms that a search does not need

    return hashlib.sha1(data, usedforsecurity=False).hexdigest()
