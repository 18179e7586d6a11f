"""Brings a folder of memory that lies outside the workspace (`~/life`) in, byte for byte; the old one stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import config, fsio, index, markdown
from openclaw_memory.config import Config
from openclaw_memory.errors import UsageError, WorkspaceError
from openclaw_memory.git import rev6
from openclaw_memory.index.described import describe, offered_triggers, readable
from openclaw_memory.index.disk import load
from openclaw_memory.record import Record
from openclaw_memory.scaffold.config_text import set_keys
from openclaw_memory.workspace import Change, Outcome, Workspace, transact

_KINDS = (".md", ".json", ".yaml", ".yml", ".jsonl", ".txt", ".csv")


class Brought(Record):
    """What came in; `left` are files of other kinds, links and hidden ones, which stay outside."""

    outcome: Outcome
    files: tuple[str, ...]
    left: tuple[str, ...]
    note: str = ""

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {**self.outcome.to_json(), "files": list(self.files), "left": list(self.left), "note": self.note}


def bring(ws: Workspace, source: Path, into: str = "", *, apply: bool = False, commit: bool = False) -> Brought:
    """Copy the text files below `source` to the folder `into` (default: the name of `source`) and index them.

    Where the layout does not cover the folder, the config gets it as one of `roots`. Raises UsageError for a source
    inside the workspace, WorkspaceError where a file is there already with another content.
    """
    source = source.expanduser()
    if not source.is_dir():
        raise WorkspaceError(f"{source} is no folder", "name the folder to bring in")
    if source.resolve().is_relative_to(ws.root.resolve()) or ws.root.resolve().is_relative_to(source.resolve()):
        raise UsageError(
            f"{source} and the workspace {ws.root} lie inside each other", "bring in a folder from outside"
        )
    folder = (into or source.name).strip("/")
    ws.path(folder)
    found, left = _split(source)
    target = {f"{folder}/{rel}": source / rel for rel in found}
    note: list[str] = []

    def changes() -> Iterator[Change]:
        contents = {path: fsio.read(file, binary=True) for path, file in target.items()}
        yield from _files(ws, contents)
        covered, change = _covering(ws, folder)
        if change:
            yield change
        elif not covered:
            note.append(f"add to {config.FILE}: roots: [{folder}]")
        wider = Workspace(ws.root, covered or ws.config)
        yield from _entries(wider, contents)

    outcome = transact(
        ws,
        "migrate --from",
        changes,
        dry_run=not apply,
        commit=commit,
        message=f"Bring {source.name} into the workspace",
    )
    return Brought(outcome, tuple(target), tuple(left), "; ".join(note))


def _split(source: Path) -> tuple[list[str], list[str]]:
    """(files to bring, files that stay), relative to `source`."""
    found: list[str] = []
    left: list[str] = []
    for path in sorted(source.rglob("*")):
        rel = path.relative_to(source)
        if path.is_dir() and not path.is_symlink():
            continue
        plain = not path.is_symlink() and not any(part.startswith(".") for part in rel.parts)
        (found if plain and path.suffix in _KINDS else left).append(rel.as_posix())
    return found, left


def _files(ws: Workspace, contents: dict[str, bytes]) -> Iterator[Change]:
    clashes = [path for path, data in contents.items() if (ws.root / path).exists() and _read(ws, path) != data]
    if clashes:
        raise WorkspaceError(
            f"{len(clashes)} files are there already with another content, first {clashes[0]}",
            "move them away, or name another folder with --into",
        )
    for path, data in contents.items():
        if not (ws.root / path).exists():
            yield Change(path, None, data)


def _read(ws: Workspace, path: str) -> bytes:
    return fsio.read(ws.path(path), binary=True)


def _covering(ws: Workspace, folder: str) -> tuple[Config | None, Change | None]:
    """(the config under which `folder` holds detail files, the change of the file that says so, if one is needed)."""
    if ws.layout.is_detail(f"{folder}/x.md"):
        return ws.config, None
    path = ws.root / config.FILE
    old = fsio.read(path) if path.exists() else None
    try:
        text = set_keys((old or b"version: 1\n# roots: []\n").decode(), {"roots": [*ws.config.roots, folder]})
        return config.parse(text.encode(), config.FILE), Change(config.FILE, old, text.encode())
    except KeyError:  # a config written by hand, without the line to uncomment
        return None, None


def _entries(ws: Workspace, contents: dict[str, bytes]) -> Iterator[Change]:
    """The index with an entry for each new detail file."""
    loaded = load(ws, missing_ok=True)
    details = sorted(path for path in contents if ws.layout.is_detail(path))
    files, base = {*loaded.files, *details}, loaded.link_base
    draft = index.Draft(index.parse(loaded.index.text, files, index_path=loaded.index.path, link_base=base))
    for path in details:
        if not draft.index.covering(path):
            said = describe(markdown.decode(contents[path]))
            rev = rev6(contents[path]) if ws.config.index.revs else None
            draft.add(path, index.Words(readable(path, said), offered_triggers(path, said), said.about, None, rev))
    before = loaded.data if ws.index_path.exists() else None
    if draft.text or before is not None:
        yield Change(ws.config.index.path, before, markdown.encode(draft.text))
