"""Globs over posix paths, compiled into one regular expression when a path is tried.

`*` stays inside a path segment, `**` crosses them, `[...]` and `?` are as in a shell. A glob without a slash fits a
name at any depth; one that fits a folder fits everything below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from openclaw_memory.patterns import pattern


def matcher(globs: Iterable[str], *, ignore_case: bool = False) -> Callable[[str], bool]:
    """A test whether a relative posix path fits one of `globs`; without globs nothing fits."""
    anywhere: list[str] = []
    fixed: list[str] = []
    for glob in globs:
        path = glob.removeprefix("./")
        (fixed if "/" in path.rstrip("/") else anywhere).append(_segments(path.strip("/").split("/")))
    if not anywhere and not fixed:
        return lambda path: False
    parts = [f"(?:.*/)?(?:{'|'.join(anywhere)})", *fixed] if anywhere else fixed
    wanted = pattern(f"(?:{'|'.join(parts)})(?:/.*)?", re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    return lambda path: wanted.fullmatch(path) is not None


def _segments(segments: list[str]) -> str:
    out = ""
    for i, segment in enumerate(segments):
        last = i == len(segments) - 1
        if segment == "**":
            out += ".+" if last else "(?:.*/)?"
        else:
            out += _segment(segment) + ("" if last else "/")
    return out


def _segment(segment: str) -> str:
    out, i = "", 0
    while i < len(segment):
        char, close = segment[i], segment.find("]", i + 2)
        if char == "[" and close > 0:
            body = segment[i + 1 : close].replace("\\", "\\\\").replace("[", "\\[")
            out += f"[{'^' + body[1:] if body[0] in '!^' else body}]"
            i = close
        else:
            out += {"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char)
        i += 1
    return out
