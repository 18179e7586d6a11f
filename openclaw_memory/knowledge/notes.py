"""Daily notes: appending to one, and never anything else. Imports little: `note` is on a hot path."""

from __future__ import annotations

import re
from datetime import datetime

from openclaw_memory import fsio
from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome

MAX_BYTES = 256 << 20
_STAMPED = re.compile(rb"(?m)^[ \t]*[-*+] \d\d:\d\d ")


class Noted(Record):
    """Where a block was written, or already stands: the note's path, the line, and whether it was new."""

    path: str
    line: int
    new: bool


def note(
    ws: Workspace, text: str, now: datetime, at: datetime | None = None, *, dry_run: bool = False, commit: bool = False
) -> tuple[Noted, Outcome]:
    """Append `text` to the note of the day of `at` (else `now`; aware, in the workspace's zone), as `- HH:MM text`
    or, where it has several lines, as it is below a heading with the time.

    A block that the note already holds is not written again, whatever its time; where `at` is given only one with
    the same time counts as the same. Raises UsageError for no text and for a day to come.
    """
    from openclaw_memory.workspace import transact

    block, moment = _block(text), at or now
    if moment.date() > now.date():
        raise UsageError(f"{moment.date()} is in the future", "a note is about what happened; check the clock")
    path = ws.layout.daily_path(moment.date())
    places: list[Noted] = []

    def plan() -> list[Change]:
        before = _existing(ws, path)
        after, place = append(before or b"", block, moment, at is not None)
        places.append(place._replace(path=path))
        return [Change(path, before, after)]

    outcome = transact(ws, "note", plan, dry_run=dry_run, commit=commit, message=f"Note of {moment.date()}")
    return places[-1], outcome


def _block(text: str) -> list[bytes]:
    lines = [line.rstrip().encode("utf-8", "surrogateescape") for line in text.splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise UsageError("there is nothing to note", "give a text, or pipe one in")
    return lines


def _existing(ws: Workspace, path: str) -> bytes | None:
    full = ws.path(path)
    return fsio.read(full, limit=MAX_BYTES, binary=True) if full.exists() else None


def append(before: bytes, block: list[bytes], at: datetime, stamped: bool) -> tuple[bytes, Noted]:
    """The note with `block` at its end, and where it stands; the same bytes where it stands there already."""
    time = at.strftime("%H:%M").encode()
    line = _line_of(before, block, time if stamped else b"")
    if line:
        return before, Noted("", line, False)
    eol = b"\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else b"\n"
    start = before or b"# " + at.date().isoformat().encode() + eol
    start += b"" if start.endswith(b"\n") else eol
    start += _closing(start, eol)
    gap = eol if not before or (len(block) > 1 and not start.endswith(eol * 2)) else b""
    rows = [b"- " + time + b" " + block[0]] if len(block) == 1 else [b"## " + time, b"", *block]
    after = start + gap + b"".join(row + eol for row in rows)
    return after, Noted("", (start + gap).count(b"\n") + (1 if len(block) == 1 else 3), True)


def _line_of(before: bytes, block: list[bytes], time: bytes) -> int:
    """The line on which `block` stands already (with `time` in front or above it, where one is given), else 0."""
    plain = b"\n" + re.sub(rb"[ \t]*\r?\n", b"\n", before) + b"\n"
    body = b"\n".join(block)
    if len(block) > 1:
        wanted = b"\n## " + time + b"\n\n" + body + b"\n" if time else b"\n" + body + b"\n"
        found = plain.find(wanted)
        return plain.count(b"\n", 0, found) + (3 if time else 1) if found >= 0 else 0
    if time:
        found = plain.find(b"\n- " + time + b" " + body + b"\n")
        return plain.count(b"\n", 0, found) + 1 if found >= 0 else 0
    return _line_alone(plain, body)


def _line_alone(plain: bytes, body: bytes) -> int:
    """The line that says `body` and no more, beside a bullet and a time."""
    at = plain.find(body + b"\n")
    while at >= 0:
        start = plain.rfind(b"\n", 0, at) + 1
        lead = plain[start:at]
        if lead.strip() in (b"", b"-", b"*", b"+") or _STAMPED.fullmatch(lead):
            return plain.count(b"\n", 0, start)
        at = plain.find(body + b"\n", at + 1)
    return 0


def _closing(text: bytes, eol: bytes) -> bytes:
    """The end of a code fence that was left open: what is appended would be code, and never be extracted."""
    if b"```" not in text and b"~~~" not in text:
        return b""
    from openclaw_memory import markdown

    fence = markdown.scan(markdown.decode(text)).unclosed_fence
    if fence is None:
        return b""
    opened = re.match(rb"[ \t>]*(`{3,}|~{3,})", text.splitlines()[fence.first - 1])
    return opened[1] + eol if opened else b""
