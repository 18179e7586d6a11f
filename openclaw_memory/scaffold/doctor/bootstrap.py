"""What a host loads at session start, file by file in its order, and where it cuts. Reads only.

The whole start is counted, not one file: what stands late in the order starves under the total cap.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal

from openclaw_memory import fsio, index, markdown, tokens
from openclaw_memory.check import caps
from openclaw_memory.config import PROFILES, Profile
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.record import Record
from openclaw_memory.workspace import Workspace

SMALLEST = 64  # characters left in total under which the host stops loading

State = Literal["loaded", "cut", "starved", "absent", "unreadable"]


class BootFile(Record):
    """One file of the start. Sizes of the file: `bytes`, `chars` (UTF-16 units); `loaded` chars and `tokens` of them.

    `first` and `last` are the lines that are lost (0: none), `lost` the entries of the index that stand there.
    """

    path: str
    state: State
    bytes: int = 0
    chars: int = 0
    loaded: int = 0
    tokens: int = 0
    first: int = 0
    last: int = 0
    why: str = ""
    lost: tuple[str, ...] = ()


def boot(ws: Workspace) -> list[BootFile]:
    """The files that the host of `ws.config.profile` loads, in its order."""
    profile = PROFILES[ws.config.profile]
    found, used = [], 0
    for name in profile.files:
        file = _load(ws, profile, name, used)
        used += file.loaded
        found.append(file)
    return found


def _load(ws: Workspace, profile: Profile, name: str, used: int) -> BootFile:
    path = ws.root / name
    if not os.path.lexists(path):
        return BootFile(name, "absent")
    try:
        text = markdown.decode(fsio.read(path))
    except WorkspaceError as error:
        return BootFile(name, "unreadable", why=error.message)
    size = tokens.measure(text)
    room = profile.total_chars - used if profile.total_chars else size.utf16
    if profile.total_chars and room < SMALLEST:
        why = f"the files before it use {used:,} of {profile.total_chars:,} characters"
        return BootFile(
            name, "starved", size.bytes, size.utf16, 0, 0, 1, text.count("\n") + 1, why, _entries(ws, name, text)
        )
    return _cut(ws, profile, BootFile(name, "loaded", size.bytes, size.utf16, size.utf16, size.tokens), text, room)


def _cut(ws: Workspace, profile: Profile, file: BootFile, text: str, room: int) -> BootFile:
    """`file` as it is loaded: whole, or without its middle or its end."""
    own = dict(profile.file_caps).get(file.path, profile.file_chars)
    cap = min(own, room) if profile.total_chars else own
    limits = profile._replace(file_chars=cap, file_caps=())
    if file.path != "MEMORY.md":
        limits = limits._replace(index_lines=0, index_bytes=0)
    cut = caps.cut(text, limits, file.path)
    if cut is None:
        return file
    lines = text.splitlines(keepends=True)
    kept = "".join(lines[: cut.first - 1] + lines[cut.last :])
    why = cut.why if cap == own else f"{cut.why}, because earlier files use the rest of {profile.total_chars:,}"
    lost = _entries(ws, file.path, text, cut)
    loaded = min(cap, file.chars) if cap else tokens.utf16_units(kept)
    return file._replace(
        state="cut", loaded=loaded, tokens=tokens.count(kept), first=cut.first, last=cut.last, why=why, lost=lost
    )


def _entries(ws: Workspace, name: str, text: str, cut: caps.Cut | None = None) -> tuple[str, ...]:
    """The entries of the index all of whose lines are cut (without `cut`: all)."""
    if name != ws.config.index.path:
        return ()
    parsed = index.parse(text, ws.detail_files(), index_path=name, link_base=ws.config.index.link_base)
    return tuple(entry.path for entry in parsed.entries if cut is None or all(map(cut.hides, entry.lines)))


def warnings(ws: Workspace, files: list[BootFile]) -> Iterator[tuple[str, str]]:
    """(sentence, fix) for each file that does not arrive whole."""
    for file in files:
        if file.state in ("cut", "starved"):
            lost = f"; {len(file.lost)} entries lost: {_some(file.lost)}" if file.lost else ""
            where = f"lines {file.first}-{file.last} of {file.path} are lost to the model"
            yield f"{where} ({file.why}){lost}", _fix(ws, file)
        elif file.state == "unreadable":
            yield f"{file.path} is not loaded: {file.why}", "make it a readable text file"


def _some(paths: tuple[str, ...], most: int = 9) -> str:
    return ", ".join(paths[:most]) + (", ..." if len(paths) > most else "")


def _fix(ws: Workspace, file: BootFile) -> str:
    if file.path == ws.config.index.path:
        return "move content into detail files (openclaw-memory migrate) or archive it (openclaw-memory archive)"
    return f"shorten {file.path}: what not every session needs belongs in a detail file"
