"""The lines of notes and conversations that extraction reads, and how far each note was read before. No writing.

`.openclaw-memory/extracted.json` remembers for each note the bytes that were read and their SHA-256; it changes in the
transaction that applies what was read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping

from openclaw_memory import fsio, markdown, safety
from openclaw_memory.record import Record
from openclaw_memory.workspace import STATE, Change, Workspace

READ = f"{STATE}/extracted.json"
OFFERED = f"{STATE}/offered.json"
MAX_BYTES = 256 << 20

_TIME = re.compile(r"^(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s*(?:[-–—|]\s*)?)")
_SKIPPED = frozenset({"fence", "indented_code", "comment", "front_matter", "html", "rule", "blank", "heading", "table"})


class Line(Record):
    """A statement of a note: `number` in the file from 1, `text` without bullet and time; `checked` for a task box."""

    path: str
    number: int
    text: str
    checked: bool | None = None
    low_trust: bool = False


class Unread(Record):
    """A note with what was not read yet: its lines from `first` on, and what to remember once they are."""

    path: str
    text: str
    first: int
    mark: Mapping[str, object]
    low_trust: bool = False

    def lines(self) -> Iterator[Line]:
        """The statements of the unread part; code, comments, headings and tables hold none."""
        document = markdown.scan(self.text)
        for block in document.blocks:
            if block.last < self.first or block.kind in _SKIPPED:
                continue
            text = _TIME.sub("", " ".join(block.text.split("\n")).strip())
            if text:
                yield Line(self.path, block.first, text, block.checked, self.low_trust)

    def numbered(self) -> str:
        """The unread part with its line numbers, for a prompt."""
        lines = self.text.splitlines()
        return "\n".join(f"{number}: {lines[number - 1]}" for number in range(self.first, len(lines) + 1))


def offer(ws: Workspace, notes: Iterable[Unread]) -> None:
    """Remember how far a prompt shows each note: a plan made from it may mark no line as read that came later."""
    marks = {note.path: dict(note.mark) for note in notes if note.mark}
    fsio.write(ws.state_dir / "offered.json", json.dumps(marks, sort_keys=True).encode("utf-8", "surrogatepass"))


def offered(ws: Workspace) -> list[Unread]:
    """The notes as the last prompt showed them; those that are gone since are left out."""
    found = []
    for path, mark in read_marks(ws, OFFERED).items():
        if ws.path(path).exists():
            found += [note._replace(mark=mark) for note in unread(ws, [path], again=True)]
    return found


def read_marks(ws: Workspace, name: str = READ) -> dict[str, dict[str, object]]:
    """How far each note was read (or, by another `name`, offered); {} where nothing is remembered."""
    path = ws.root / name
    if not path.exists():
        return {}
    try:
        value = json.loads(fsio.read(path))
    except (ValueError, RecursionError):
        return {}
    return {str(k): v for k, v in value.items() if isinstance(v, dict)} if isinstance(value, dict) else {}


def marking(ws: Workspace, notes: Iterable[Unread]) -> Change:
    """The change that remembers `notes` as read."""
    path = ws.root / READ
    before = fsio.read(path) if path.exists() else None
    marks = {**read_marks(ws), **{note.path: dict(note.mark) for note in notes}}
    return Change(READ, before, json.dumps(marks, indent=1, sort_keys=True).encode("utf-8", "surrogatepass") + b"\n")


def unread(ws: Workspace, paths: Iterable[str], *, again: bool = False) -> list[Unread]:
    """The notes of `paths` that hold something unread. A note whose read part was edited is read again as a whole
    (what is known already is not added twice); so is each one with `again`."""
    marks = {} if again else read_marks(ws)
    found = []
    for path in paths:
        data = fsio.read(ws.path(path), limit=MAX_BYTES, binary=True)
        first = _first_line(data, marks.get(path, {}))
        if first:
            mark = {"offset": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            text = markdown.decode(data)
            found.append(Unread(path, text, first, mark, _distrusted(ws, path, text)))
    return found


def _distrusted(ws: Workspace, path: str, text: str) -> bool:
    """Whether a file is of low trust: a dump of a session, or anything that is no daily note and no detail file, or
    says in its front matter that it comes from outside."""
    if ws.layout.is_daily(path) is None and not ws.layout.is_detail(path):
        return True
    if text.lstrip("\ufeff").startswith("# Session:"):
        return True
    if not text.lstrip("\ufeff").startswith("---"):
        return False
    return safety.untrusted(str(markdown.scan(text).front_matter.get("source", "")))


def _first_line(data: bytes, mark: Mapping[str, object]) -> int:
    """The first line that was not read, 0 where all were."""
    offset = mark.get("offset")
    if not isinstance(offset, int) or not 0 < offset <= len(data):
        return 1 if data.strip() else 0
    head = data[:offset]
    if hashlib.sha256(head).hexdigest() != mark.get("sha256"):
        return 1
    if not data[offset:].strip():
        return 0
    started = offset and not head.endswith(b"\n")  # the last line that was read has grown
    return head.count(b"\n") + (1 if started or head.endswith(b"\n") else 2)
