"""`index sync`: brings the index up to date with the detail files, and drops nothing it cannot prove dead.

`plan` is pure (texts and facts in, text and report out); `sync` runs it on a workspace.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from openclaw_memory.errors import WorkspaceError
from openclaw_memory.index.described import Described, offered_triggers, readable
from openclaw_memory.index.details import stem
from openclaw_memory.index.disk import load
from openclaw_memory.index.draft import Draft, check_writable
from openclaw_memory.index.forms import Words
from openclaw_memory.index.model import Entry, Index
from openclaw_memory.index.move import Relinker
from openclaw_memory.index.operations import Flags, described, revs
from openclaw_memory.index.words import kind_title
from openclaw_memory.markdown import encode
from openclaw_memory.workspace import Change, Outcome, Workspace, transact


@dataclass
class Report:
    """What a sync did and what it left alone. Paths from the workspace's root."""

    added: list[str] = field(default_factory=list)
    """Orphans that got an entry, and folders of the archive that got one."""
    updated: list[str] = field(default_factory=list)
    """Entries whose rev or words changed."""
    moved: list[tuple[str, str]] = field(default_factory=list)
    """Entries that follow a file which was renamed (same content under a new name)."""
    dropped: list[str] = field(default_factory=list)
    """Entries of files that git proves deleted."""
    dead: list[str] = field(default_factory=list)
    """Entries of files that do not exist, kept because nothing proves why."""
    left: list[tuple[str, str]] = field(default_factory=list)
    """Files that may not or cannot be read, and why: their entries stay as they are, and they get none."""

    def to_json(self) -> dict[str, object]:
        """The report as plain JSON types."""
        return {
            "added": self.added,
            "updated": self.updated,
            "moved": [{"from": old, "to": new} for old, new in self.moved],
            "dropped": self.dropped,
            "dead": self.dead,
            "left": [{"path": path, "why": why} for path, why in self.left],
        }


def plan(
    index: Index,
    details: Collection[str],
    current: Mapping[str, str],
    read: Callable[[str], Described],
    *,
    reparse: Callable[[str], Index],
    keep_revs: bool = True,
    deleted: Callable[[Iterable[str]], set[str]] = lambda paths: set(),
    archive_of: Callable[[str], str] = lambda path: "",
    link_base: str = "auto",
) -> tuple[str, Report]:
    """The text of the index brought up to date, and what changed.

    `details` are the detail files on disk, `current` their revs (those that have one). `read` tells what a file
    says of itself; it is called only for orphans and for files whose rev is not the entry's. `deleted` picks the
    paths that are proven deleted, `reparse` reads a text as an index. With `keep_revs` false no rev is added; those
    that are there are kept right. An orphan for which `archive_of` names a folder is covered by an entry for that.
    """
    report = Report()
    dead = [entry for entry in index.entries if not entry.exists]
    orphans = sorted(path for path in details if not index.lists(path))
    covered = [path for path in details if _only_covered(index, path)] if dead else []
    moves = renamed(dead, orphans, current, covered)
    if moves:
        report.moved = sorted(moves.items())
        check_writable(index)
        before = {*details, *moves} - set(moves.values())
        relinker = Relinker(before, moves, index_path=index.path, link_base=link_base)
        index = reparse(relinker.relink(index.text, index.path))
    draft = Draft(index)
    gone = deleted([entry.path for entry in dead if entry.path not in moves])
    for entry in index.entries:
        if entry.path in current:
            if _update(draft, entry, current[entry.path], read, keep_revs=keep_revs):
                report.updated.append(entry.path)
        elif entry.path in gone:
            draft.remove(entry.path)
            report.dropped.append(entry.path)
        elif not entry.exists:
            report.dead.append(entry.path)
    left = [path for path in orphans if path not in moves.values()]
    for folder in _outermost({archive_of(path) for path in left} - {""}):
        draft.add(folder, _archive_words(folder, index.language))
        report.added.append(folder)
    for path in (path for path in left if not archive_of(path)):
        said = read(path)
        rev = current.get(path) if keep_revs else None
        draft.add(path, Words(readable(path, said), offered_triggers(path, said), said.about, rev=rev))
        report.added.append(path)
    return draft.text, report


def _outermost(folders: Collection[str]) -> list[str]:
    """The ones of `folders` that lie in no other."""
    return sorted(path for path in folders if not any(path != top and path.startswith(top) for top in folders))


def _archive_words(folder: str, language: str) -> Words:
    """What the entry of an archive's folder says: `Archive 2025`."""
    year = stem(folder) if stem(folder).isdigit() else ""
    name = f"{kind_title('archive', language or 'en')} {year}".strip()
    return Words(name, (name.casefold(),))


def _only_covered(index: Index, path: str) -> bool:
    """Whether the index names a folder above the file, and not the file."""
    entry = index.covering(path)
    return entry is not None and entry.is_folder


def renamed(
    dead: Sequence[Entry], orphans: Sequence[str], current: Mapping[str, str], covered: Iterable[str] = ()
) -> dict[str, str]:
    """{old: new} of entries whose file went and is now one that no line names: by the same rev, else, of `orphans`
    (files that no folder's entry covers either), by the same short name."""
    unnamed = {path: current.get(path, "") for path in (*orphans, *covered)}
    by_rev = _paired({entry.path: entry.rev or "" for entry in dead}, unnamed)
    left = {entry.path: stem(entry.path) for entry in dead if entry.path not in by_rev}
    return by_rev | _paired(left, {path: stem(path) for path in orphans if path not in by_rev.values()})


def _paired(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """The keys of both whose value (not "") is the same and is no other key's."""
    found = {}
    for path, value in old.items():
        fitting = [other for other, its in new.items() if its == value]
        if value and len(fitting) == 1 and list(old.values()).count(value) == 1:
            found[path] = fitting[0]
    return found


def _update(draft: Draft, entry: Entry, rev: str, read: Callable[[str], Described], *, keep_revs: bool) -> bool:
    """Bring an entry up to date with its changed file; whether anything was to do."""
    if entry.rev == rev or (entry.main.active and entry.rev is None):
        return False
    before = draft.text_of(entry)
    if entry.main.active:  # a line without words
        draft.set_rev(entry.path, rev)
        return True
    said = read(entry.path)
    draft.add_triggers(entry.path, said.triggers)
    if said.about and said.about != entry.about:
        draft.set_about(entry.path, said.about)
    if keep_revs or entry.rev is not None:
        draft.set_rev(entry.path, rev)
    return draft.text_of(entry) != before


def sync(ws: Workspace, flags: Flags = Flags()) -> tuple[Outcome, Report]:  # noqa: B008  # frozen
    """Run `plan` on the workspace: front matter's triggers and about go to the entry, revs are put right, orphans
    get entries. With `flags.commit` the detail files go into the same commit."""
    reports: list[Report] = []
    also: list[str] = []

    def work() -> Iterable[Change]:
        loaded = load(ws, missing_ok=True)
        listed = [entry.path for entry in loaded.index.entries if entry.exists and not entry.is_folder]
        paths = dict.fromkeys([*loaded.details, *listed])
        left = dict(_unreadable(ws, paths))
        text, report = plan(
            loaded.index,
            [path for path in loaded.details if path not in left],
            revs(ws, [path for path in paths if path not in left]),
            lambda path: described(ws, path),
            reparse=loaded.parse,
            keep_revs=ws.config.index.revs,
            deleted=lambda paths: _deleted(ws, paths),
            archive_of=ws.layout.archive_of,
            link_base=loaded.link_base,
        )
        report.left = list(left.items())
        reports.append(report)
        also[:] = [ws.config.index.path, *_uncommitted(ws)] if flags.commit else []
        before = loaded.data if ws.index_path.exists() else None
        return [Change(ws.config.index.path, before, encode(text) if text or before else None)]

    outcome = transact(
        ws,
        "index sync",
        work,
        dry_run=flags.dry_run,
        commit=flags.commit,
        allow_shrink=flags.allow_shrink,
        message="Bring the index up to date with its detail files",
        also=also,
    )
    return outcome, reports[-1]


def _unreadable(ws: Workspace, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Those of `paths` that lead out of the workspace or cannot be read, and why."""
    for path in paths:
        try:
            full = ws.path(path)
        except WorkspaceError as error:
            yield path, error.message
            continue
        if not os.access(full, os.R_OK):
            yield path, f"{path} cannot be read: check its owner and mode"


def _uncommitted(ws: Workspace) -> list[str]:
    """The detail files that differ from HEAD: changed, new or deleted. [] outside a repository."""
    from openclaw_memory.errors import GitError
    from openclaw_memory.git import Repo

    try:
        repo = Repo.find(ws.root)
        prefix = repo.prefix(ws.root)
        asked = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--")
        said = repo.names(repo.run(*asked, *(prefix + root for root in ws.layout.roots)))
    except GitError:
        return []
    paths = [record[3:].removeprefix(prefix) for record in said]
    return [path for path in paths if ws.layout.is_detail(path)]


def _deleted(ws: Workspace, paths: Iterable[str]) -> set[str]:
    """Those of `paths` that git knows and that are not on disk: deleted on purpose, not merely misspelt."""
    from openclaw_memory.errors import GitError
    from openclaw_memory.git import Repo

    wanted = list(paths)
    if not wanted:
        return set()
    try:
        repo = Repo.find(ws.root)
        prefix = repo.prefix(ws.root)
        named = [prefix + path for path in wanted]
        known = set(repo.names(repo.run("log", "--all", "--format=", "--name-only", "-z", "--", *named)))
    except GitError:
        return set()
    return {path for path in wanted if prefix + path in known}
