"""What the `index` and `active` commands do to a workspace: plan under its lock, write through `transact`.

The only impure writing part of the index; printing is the command's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from openclaw_memory import fsio
from openclaw_memory.errors import UsageError, WorkspaceError
from openclaw_memory.index import edit, warmth
from openclaw_memory.index.described import Described, describe, offered_triggers, readable
from openclaw_memory.index.disk import Loaded, load
from openclaw_memory.index.forms import Words
from openclaw_memory.index.model import Entry, Index
from openclaw_memory.markdown import decode, encode
from openclaw_memory.record import Record
from openclaw_memory.workspace import Change, Outcome, Workspace, transact


class Flags(Record):
    """What every writing command may be told."""

    dry_run: bool = False
    commit: bool = False
    allow_shrink: bool = False


def add(ws: Workspace, path: str, words: Words, flags: Flags = Flags()) -> Outcome:  # noqa: B008  # frozen
    """Give the detail file (or folder) `path` an entry, or its entry more words; its own words fill what is not said.

    Raises WorkspaceError where there is no such file, UsageError for words that cannot be triggers.
    """
    _must_exist(ws, path)

    def plan() -> Iterable[Change]:
        loaded = load(ws, missing_ok=True)
        said = _completed(ws, loaded.index, path, words)
        return [_change(ws, loaded, edit.add(loaded.index, path, said))]

    return _run(ws, f"index add {path}", plan, flags, f"Add {path} to the index", [path])


def remove(ws: Workspace, path: str, flags: Flags = Flags()) -> Outcome:  # noqa: B008
    """Take every line of the entry `path` out of the index, even of its only one; the file stays.

    Raises UsageError where there is none.
    """

    def plan() -> Iterable[Change]:
        loaded = load(ws)
        return [_change(ws, loaded, edit.remove(loaded.index, path))]

    also = [] if os.path.lexists(ws.root / path) else [path]
    flags = flags._replace(allow_shrink=True)
    return _run(ws, f"index rm {path}", plan, flags, f"Remove {path} from the index", also)


def activate(ws: Workspace, path: str, flags: Flags = Flags()) -> Outcome:  # noqa: B008
    """Put `path` into Active Context. Raises UsageError when it is full, naming the coldest file in it."""
    _must_exist(ws, path)
    if path.endswith("/"):
        raise UsageError(f"{path} is a folder, and Active Context loads files", "give the file in it that matters")

    def plan() -> Iterable[Change]:
        loaded = load(ws, missing_ok=True)
        index = loaded.index
        text = edit.activate(
            index,
            path,
            cap=ws.config.index.active_cap,
            coldest=lambda paths: warmth.coldest(ws, paths),
            name=_name(ws, path),
        )
        return [_change(ws, loaded, text)]

    return _run(ws, f"active add {path}", plan, flags, f"Put {path} into Active Context", [])


def deactivate(ws: Workspace, paths: Sequence[str], flags: Flags = Flags()) -> Outcome:  # noqa: B008
    """Take `paths` out of Active Context; their entries stay, and a file that had no other line gets one.

    Raises UsageError where one does not stand there.
    """
    names = " ".join(paths)

    def plan() -> Iterable[Change]:
        loaded = load(ws)
        text = loaded.index.text
        for path in dict.fromkeys(paths):
            text = edit.deactivate(loaded.parse(text), path)
        return [_change(ws, loaded, kept(ws, loaded.parse, text, paths))]

    return _run(ws, f"active rm {names}", plan, flags, f"Take {names} out of Active Context", [])


def kept(ws: Workspace, reparse: Callable[[str], Index], text: str, paths: Iterable[str]) -> str:
    """`text` with an entry for each of `paths` that is a file and has no line left in it."""
    for path in dict.fromkeys(paths):
        index = reparse(text)
        if not index.lists(path) and (ws.root / path).exists():
            text = edit.add(index, path, _completed(ws, index, path, Words()))
    return text


def find(ws: Workspace, index: Index, wanted: str) -> Entry:
    """The entry that `wanted` names: a path (from here or from the root), a name, or a file's short name.

    Raises UsageError where none or several fit.
    """
    exact = index.entry(wanted) or index.entry(_relative(ws, wanted))
    if exact is not None:
        return exact
    folded = wanted.casefold().removesuffix(".md").strip("/")
    fitting = [entry for entry in index.entries if folded in _names(entry)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(entry.path for entry in fitting)
        raise UsageError(f"{wanted!r} fits several entries: {names}", "give the whole path")
    raise UsageError(
        f"{wanted} is not in {index.path}", "`openclaw-memory index list` shows what is, and `index add` adds a file"
    )


def _names(entry: Entry) -> set[str]:
    path = entry.path.casefold().removesuffix(".md").removesuffix("/summary").strip("/")
    tails = {path[at + 1 :] for at, char in enumerate(path) if char == "/"}
    return {path, entry.name.casefold(), *tails}


def _relative(ws: Workspace, wanted: str) -> str:
    try:
        return ws.rel(wanted)
    except WorkspaceError:
        return ""


def target(ws: Workspace, wanted: str) -> str:
    """`wanted` as a path from the root, a folder with its slash. Raises WorkspaceError where it lies outside."""
    rel = ws.rel(wanted)
    return f"{rel}/" if (ws.root / rel).is_dir() else rel


def _must_exist(ws: Workspace, path: str) -> None:
    full = ws.root / path
    if path == ws.config.index.path:
        raise UsageError(f"{path} is the index itself", "give a detail file")
    if not full.exists():
        raise WorkspaceError(f"{path} does not exist in {ws.root}", "write the file first, then add it")
    if not full.is_dir() and not path.endswith(".md"):
        raise UsageError(f"{path} is no Markdown file", "the index lists .md files and folders of them")


def described(ws: Workspace, path: str) -> Described:
    """What the file at `path` says of itself; nothing for a folder, or a file that is no text: `check` tells of it."""
    if path.endswith("/"):
        return Described()
    full = ws.path(path)
    try:
        return describe(decode(fsio.read(full, binary=True)))
    except WorkspaceError:
        return Described()


def _name(ws: Workspace, path: str) -> str:
    return readable(path, described(ws, path))


def _completed(ws: Workspace, index: Index, path: str, words: Words) -> Words:
    """`words` with what the file itself says for the rest, and its rev."""
    said = described(ws, path)
    entry = index.entry(path)
    has = bool(words.triggers) or (entry is not None and bool(entry.written_triggers))
    return words._replace(
        name=words.name or readable(path, said),
        triggers=words.triggers if has else offered_triggers(path, said),
        about=words.about or (said.about if entry is None or not entry.about else ""),
        rev=revs(ws, [path]).get(path) if ws.config.index.revs else None,
    )


def revs(ws: Workspace, paths: Iterable[str]) -> dict[str, str]:
    """The rev of each file of `paths` as git would store it now; folders have none."""
    from openclaw_memory.git.revs import worktree_revs

    wanted = [path for path in paths if not path.endswith("/")]
    return worktree_revs(ws.root, wanted) if wanted else {}


def _change(ws: Workspace, loaded: Loaded, text: str) -> Change:
    before = loaded.data if (ws.index_path).exists() else None
    after = encode(text)
    return Change(ws.config.index.path, before, before if after == loaded.data else after)


def _run(
    ws: Workspace,
    command: str,
    plan: Callable[[], Iterable[Change]],
    flags: Flags,
    message: str,
    also: list[str],
) -> Outcome:
    details = [path for path in also if not path.endswith("/")]
    return transact(
        ws,
        command,
        plan,
        dry_run=flags.dry_run,
        commit=flags.commit,
        allow_shrink=flags.allow_shrink,
        message=message,
        also=details,
    )
