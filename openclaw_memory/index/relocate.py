"""`index mv`: moves a file or folder and rewrites every link to it in the workspace, in one transaction."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping

from openclaw_memory import fsio
from openclaw_memory.errors import UsageError, WorkspaceError
from openclaw_memory.index.disk import load
from openclaw_memory.index.draft import Draft, check_writable
from openclaw_memory.index.move import Relinker, pointed
from openclaw_memory.index.operations import Flags
from openclaw_memory.index.resolve import Resolver
from openclaw_memory.markdown import decode, encode
from openclaw_memory.record import Record
from openclaw_memory.workspace import STATE, Change, Outcome, Workspace, transact

_SKIPPED = {".git", STATE, "node_modules", "__pycache__", ".venv"}


class Move(Record):
    """What is moved: `files` from old to new path; `done` where the files stand at their new place already."""

    old: str
    new: str
    files: Mapping[str, str]
    done: bool


def move(ws: Workspace, old: str, new: str, flags: Flags = Flags()) -> tuple[Outcome, Move]:  # noqa: B008  # frozen
    """Move the file or folder `old` to `new` and let every link in the workspace's Markdown follow.

    Where `old` is gone and `new` is there, only the links are rewritten. Raises WorkspaceError where neither is or
    no link names `old`, or where something stands at `new` already. Code blocks stay, and so do code spans that hold
    more than a path: what was run, or is to be run, is not ours to reword.
    """
    planned: list[Move] = []

    def plan() -> Iterable[Change]:
        what = _what(ws, old, new)
        planned.append(what)
        changes = list(_changes(ws, what))
        if what.done and not any(change.after != change.before for change in changes):
            raise _absent(ws, f"{old} does not exist, and no link names it")
        return changes

    also: list[str] = []
    message = f"Move {old} to {new}"
    outcome = transact(
        ws, f"index mv {old} {new}", plan, dry_run=flags.dry_run, commit=flags.commit, message=message, also=also
    )
    return outcome, planned[-1]


def relink(ws: Workspace, target: str, path: str, flags: Flags = Flags()) -> Outcome:  # noqa: B008  # frozen
    """Let every link of the index that says `target`, which fits several files, mean the file `path`.

    Raises WorkspaceError where `path` is no file, UsageError where no link says `target`.
    """
    if not ws.path(path).exists():
        raise WorkspaceError(f"{path} does not exist in {ws.root}", "name one of the files that the link fits")

    def plan() -> Iterable[Change]:
        loaded = load(ws)
        check_writable(loaded.index)
        known = Resolver(loaded.files, loaded.exists, base=loaded.link_base)
        text = pointed(loaded.index.text, target, path, posixpath.dirname(loaded.index.path), known)
        if text == loaded.index.text and loaded.index.entry(path) is None:
            raise UsageError(f"no link in {loaded.index.path} says {target}", "give it as the index writes it")
        return [Change(loaded.index.path, loaded.data, encode(text))]

    command, message = f"index relink {target} {path}", f"Say which file {target} means"
    return transact(ws, command, plan, dry_run=flags.dry_run, commit=flags.commit, message=message)


def _what(ws: Workspace, old: str, new: str) -> Move:
    old, new = old.rstrip("/"), new.rstrip("/") if not new.endswith("/") else new + posixpath.basename(old.rstrip("/"))
    source, goal = ws.path(old), ws.path(new)
    if ws.config.index.path in (old, new):
        raise UsageError("the index itself cannot be moved", "set index.path in openclaw-memory.yaml")
    if not source.exists() and not goal.exists():
        raise _absent(ws, f"{old} does not exist")
    if source.exists() and goal.exists():
        raise WorkspaceError(f"{new} exists already", "choose another name, or move that file away first")
    done = not source.exists()
    folder = goal.is_dir() if done else source.is_dir()
    if not folder:
        if not new.endswith(".md") and old.endswith(".md"):
            raise UsageError(f"{new} is no Markdown file", f"call it {new}.md, or {new}/ to move it into a folder")
        return Move(old, new, {old: new}, done)
    if f"{new}/".startswith(f"{old}/"):
        raise UsageError(f"{old} cannot be moved into itself", "choose another folder")
    inside = _below(ws, new if done else old)
    start = len(new if done else old)
    return Move(f"{old}/", f"{new}/", {old + path[start:]: new + path[start:] for path in inside}, done)


def _absent(ws: Workspace, what: str) -> WorkspaceError:
    return WorkspaceError(f"{what} in {ws.root}", "`openclaw-memory index list` shows what is")


def _below(ws: Workspace, folder: str) -> list[str]:
    found = []
    for top, _, names in os.walk(ws.root / folder):
        relative = os.path.relpath(top, ws.root).replace(os.sep, "/")
        found += [f"{relative}/{name}" for name in names]
    return sorted(found)


def _changes(ws: Workspace, what: Move) -> Iterator[Change]:
    texts = set(_markdown_files(ws))
    before = {path for path in texts if path not in what.files.values()} if what.done else texts
    moves = {**what.files, what.old: what.new} if what.old.endswith("/") else dict(what.files)
    loaded = load(ws, missing_ok=True)
    relinker = Relinker(
        before | set(what.files), moves, loaded.exists, index_path=loaded.index.path, link_base=loaded.link_base
    )
    changed: dict[str, bytes] = {}
    for path in sorted(before | set(what.files)):
        if path == loaded.index.path:
            continue
        here = relinker.moved(path) if what.done else path
        data = _read(ws, here)
        after = _relinked(relinker, data, path) if path.endswith(".md") else data
        goal = relinker.moved(path)
        if goal != here:
            yield Change(here, data, None)
            yield Change(goal, None, after)
        elif after != data:
            yield Change(here, data, after)
        if goal != path or after != data:
            changed[goal] = after
    if loaded.data:
        check_writable(loaded.index)
        text = _with_revs(ws, relinker, relinker.relink(loaded.index.text, loaded.index.path), changed)
        yield Change(loaded.index.path, loaded.data, encode(text))


def _read(ws: Workspace, path: str) -> bytes:
    return fsio.read(ws.path(path), binary=True)


def _relinked(relinker: Relinker, data: bytes, path: str) -> bytes:
    text = decode(data)
    return encode(relinker.relink(text, path)) if relinker.concerns(text, path) else data


def _with_revs(ws: Workspace, relinker: Relinker, text: str, changed: Mapping[str, bytes]) -> str:
    """The index with the revs of the files that moved or whose own links were rewritten."""
    from openclaw_memory.git import rev6
    from openclaw_memory.git.revs import stored

    index = relinker.index(text, ws.config.index.path)
    draft = Draft(index)
    for entry in index.entries:
        if entry.path in changed and entry.rev is not None and not entry.main.active:
            draft.set_rev(entry.path, rev6(stored(ws.root, entry.path, changed[entry.path])))
    return draft.text


def _markdown_files(ws: Workspace) -> Iterator[str]:
    for top, folders, names in os.walk(ws.root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        relative = os.path.relpath(top, ws.root).replace(os.sep, "/")
        prefix = "" if relative == "." else f"{relative}/"
        yield from (
            prefix + name for name in names if name.endswith(".md") and not (ws.root / prefix / name).is_symlink()
        )
