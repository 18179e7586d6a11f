"""What a host cuts out of the index: the lines the model never sees."""

from __future__ import annotations

from openclaw_memory import tokens
from openclaw_memory.config import PROFILES, Profile
from openclaw_memory.record import Record

__all__ = ["PROFILES", "Cut", "cut"]


class Cut(Record):
    """Lines `first` to `last` are lost, wholly or in part; `why` is the cap in words."""

    first: int
    last: int
    why: str

    def hides(self, line: int) -> bool:
        """Whether the line is lost."""
        return self.first <= line <= self.last


def cut(text: str, profile: Profile, path: str) -> Cut | None:
    """What `profile` cuts out of the file `path`; None where it fits. A file's own cap goes first."""
    lines = text.splitlines(keepends=True)
    cap = dict(profile.file_caps).get(path, profile.file_chars)
    found = _by_characters(lines, cap, profile) or _by_lines(lines, profile)
    return found or _by_bytes(lines, profile)


def _by_characters(lines: list[str], cap: int, profile: Profile) -> Cut | None:
    """The middle goes: `head` of the cap is kept from the start and `tail` of it from the end."""
    if not cap:
        return None
    sizes = [tokens.utf16_units(line) for line in lines]
    total = sum(sizes)
    if total <= cap:
        return None
    first = _reach(sizes, int(cap * profile.head))
    last = len(sizes) + 1 - _reach(sizes[::-1], int(cap * profile.tail))
    return Cut(first, max(first, last), f"{total:,} characters, it loads {cap:,}")


def _by_lines(lines: list[str], profile: Profile) -> Cut | None:
    cap = profile.index_lines
    return Cut(cap + 1, len(lines), f"it loads {cap} lines") if cap and len(lines) > cap else None


def _by_bytes(lines: list[str], profile: Profile) -> Cut | None:
    cap = profile.index_bytes
    if not cap:
        return None
    sizes = [len(line.encode("utf-8", "surrogateescape")) for line in lines]
    if sum(sizes) <= cap:
        return None
    return Cut(_reach(sizes, cap), len(lines), f"{sum(sizes):,} bytes, it loads {cap:,}")


def _reach(sizes: list[int], room: int) -> int:
    """The number of the first line that does not fit into `room` whole."""
    for number, size in enumerate(sizes, 1):
        room -= size
        if room < 0:
            return number
    return len(sizes)
