"""OM3: a past day's note only grows, and its name and heading agree. Reads trees, never the disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from openclaw_memory.errors import GitError, WorkspaceError
from openclaw_memory.findings import Finding, finding
from openclaw_memory.subject import Subject

_HEADING = re.compile(rb"^#{1,2}[ \t]+[^\r\n]*?(\d{4})-(\d{2})-(\d{2})", re.MULTILINE)
_TARGET = re.compile(rb"(?<=\]\()[^)\r\n]*|(?<=\[\[)[^\]|\r\n]*")
_PATH = re.compile(rb"`[^`\s]*\.md[^`\s]*`|<[^<>\r\n]*\.md[^<>\r\n]*>|[\w./-]+/[\w./-]*\.md\b")
_REDACTED = re.compile(rb"\[redacted[^\]]*\]")


def judge(subject: Subject) -> Iterator[Finding]:
    """Every finding on the daily notes to judge, and on what the commit did to past ones."""
    for path in subject.judged(lambda path: subject.layout.is_daily(path) is not None):
        yield from _named(subject, path)
    changes = subject.tree.changes or {}
    for path, status in changes.items():
        day = subject.layout.is_daily(path)
        if day is not None and status != "A" and day < subject.today:
            yield from _kept(subject, path, status)


def _named(subject: Subject, path: str) -> Iterator[Finding]:
    try:
        data = subject.tree.read(path)[:4096]
    except (WorkspaceError, GitError):
        return  # cannot be read at all: OM504 tells
    found = _HEADING.search(data)
    day = subject.layout.is_daily(path)
    if found is None or data[: found.start()].strip(b"\xef\xbb\xbf \t\r\n") or day is None:
        return
    try:
        said = date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return
    if said != day:
        line = data.count(b"\n", 0, found.start()) + 1
        yield finding(
            "OM303", path, line, f"the note of {day} is headed {said}", "rename the file, or correct the heading"
        )


def _kept(subject: Subject, path: str, status: str) -> Iterator[Finding]:
    try:
        before = subject.tree.before(path) or b""
        after = subject.tree.read(path) if status != "D" else b""
    except (WorkspaceError, GitError):
        return  # too large to compare: OM504 tells
    if status == "D":
        if not _moved(subject, before):
            yield finding("OM302", path, 0, "a past day's note was deleted", subject.put_back(path))
        return
    old, new = _lines(before), _lines(after)
    missing = first_missing(old, new)
    if missing < 0:
        return
    shrank = first_missing(new, old) < 0
    line = old[missing].decode("utf-8", "replace")
    fix = subject.put_back(path)
    secret = "(of a secret in it only that becomes [redacted: why])"
    if shrank:
        told = f"a past day's note was shortened; its line {missing + 1} is gone {secret}"
        yield finding("OM302", path, missing + 1, told, fix)
    else:
        told = f"a past day's note was rewritten; its line {missing + 1} ({len(line)} characters) is gone {secret}"
        yield finding("OM301", path, missing + 1, told, fix)


def _moved(subject: Subject, before: bytes) -> bool:
    added = [path for path, status in (subject.tree.changes or {}).items() if status == "A" and path.endswith(".md")]
    return any(subject.tree.read(path) == before for path in added)


def _lines(data: bytes) -> list[bytes]:
    """The lines without ends and trailing space; empty ones at the end do not count."""
    lines = [line.rstrip() for line in data.split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def first_missing(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """The position of the first line of `old` that `new` does not hold in the same order; -1 where it holds all.

    Empty lines do not count; a link may lead elsewhere (files move), and a part may be replaced by `[redacted: why]`.
    """
    at = 0
    for position, line in enumerate(old):
        if not line:
            continue
        while at < len(new) and not _same(line, new[at]):
            at += 1
        if at == len(new):
            return position
        at += 1
    return -1


def _same(old: bytes, new: bytes) -> bool:
    if old == new:
        return True
    if b"[redacted" in new and _is_redaction(old, new):
        return True
    return b".md" in old and b".md" in new and _linkless(old) == _linkless(new)


def _linkless(line: bytes) -> bytes:
    return _PATH.sub(b"<file>", _TARGET.sub(b"", line))


def _is_redaction(old: bytes, new: bytes) -> bool:
    pieces = _REDACTED.split(new)
    if len(pieces) < 2 or not old.startswith(pieces[0]) or not old.endswith(pieces[-1]):
        return False
    at = len(pieces[0])
    for piece in pieces[1:]:
        at = old.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True
