"""Rules on a commit (OM101 to OM104, OM119): the index changes in the same commit as its detail files.

A merge is exempt from co-change (its parents were judged), not from what its tree must hold. In a work tree
there is no commit: there every entry and every file is judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_memory.check import places
from openclaw_memory.check.view import View
from openclaw_memory.findings import Finding, finding
from openclaw_memory.index import Entry
from openclaw_memory.rules import Severity

_BROUGHT_HOME = "put the file itself there: {} is a symlink that leads out of the workspace"
_SEVERITY: dict[str, Severity] = {"error": "error", "warn": "warning", "off": "off"}


def no_index(view: View) -> Iterator[Finding]:
    """OM119: there are detail files and no index."""
    if view.index_path in view.tree.paths or not (view.concerned or places.CONFIG in (view.changes or {})):
        return  # the config says which file it is
    count = len(view.details) + sum(view.tree.alien(root) for root in view.layout.roots)
    if count:
        files = "a detail file" if count == 1 else f"{count} detail files"
        folder = any(path.startswith(f"{view.index_path}/") for path in view.tree.paths)
        what = f"{view.index_path} is a folder" if folder else f"there is no {view.index_path}"
        aside = view.subject.git("mv", view.index_path, f"{view.index_path}.d") + " && " if folder else ""
        back = view.restore() if view.old_text is not None else view.command("index", "sync")
        yield finding("OM119", view.index_path, 0, f"{what}, and {files} that it has to name", aside + back)


def co_change(view: View) -> Iterator[Finding]:
    """OM101 and OM102: by the entry's rev where it has one, else by the plain rule."""
    severity = _SEVERITY[view.config.index.co_change]
    if view.changes is None or view.tree.merge or severity == "off":
        return
    for path, status in view.changed_details.items():
        found = _judge(view, path, deleted=status == "D")
        if found is not None:
            yield found._replace(severity=severity)


def _judge(view: View, path: str, *, deleted: bool) -> Finding | None:
    entry = view.index.covering(path) if view.index else None
    if entry.is_folder if entry is not None else view.layout.archive_of(path):
        return None
    if entry is not None and entry.rev and not deleted and view.tree.rev(path):
        return _stale(view, path, entry.rev, entry.main.line)
    if view.index_path in (view.changes or {}) or (deleted and entry is None and _has_revs(view)):
        return None
    what = "is deleted" if deleted else "changes"
    message = f"{path} {what} in this commit and {view.index_path} does not{' change' if deleted else ''}"
    return finding("OM101", path, 0, message, _brought_up(view, path, entry, deleted=deleted))


def _brought_up(view: View, path: str, entry: Entry | None, *, deleted: bool) -> str:
    """How the index keeps up with the file: its entry goes, gets a rev, or comes; where no rev can do it, by hand."""
    if (deleted and entry is None) or not view.layout.is_detail(path):
        return _say(view, f"that {path} is gone" if deleted else f"what changed in {path}")
    if deleted:
        return view.mend(path)
    if entry is None or entry.main.active:
        return _entry_for(view, path)
    return view.mend(path) if view.config.index.revs else _say(view, f"what changed in {path}")


def _say(view: View, what: str) -> str:
    return f"say in {view.at(view.index_path)} {what}, and git add it"


def _entry_for(view: View, path: str) -> str:
    if view.leads_out(path):
        return _BROUGHT_HOME.format(path)
    if path in view.moves.values():
        return view.mend(path)
    return view.command("index", "add", path)


def _stale(view: View, path: str, rev: str, line: int) -> Finding | None:
    now = view.tree.rev(path)
    if rev == now:
        return None
    message = f"the entry of {path} carries rev {rev}, the file has {now}: the entry was not brought up to date"
    return finding("OM102", view.index_path, view.number(line), message, _resynced(view, path))


def _resynced(view: View, path: str) -> str:
    """How an entry gets the rev of its file."""
    if view.leads_out(path):
        return _BROUGHT_HOME.format(path)
    return view.command("index", "sync", add=False) if view.changes is None else view.mend(path)


def _has_revs(view: View) -> bool:
    """Whether this index goes by revs: then no entry means that there is nothing to bring up to date."""
    if view.plain:
        return "<!-- rev:" in (view.text or "")
    return view.index is not None and any(entry.rev for entry in view.index.entries)


def stale_revs(view: View) -> Iterator[Finding]:
    """OM102 in a work tree: every entry's rev is the one of its file."""
    if view.changes is not None or view.index is None:
        return
    for entry in view.index.entries:
        if entry.rev and entry.path in view.tree.paths:
            found = _stale(view, entry.path, entry.rev, entry.main.line)
            if found is not None:
                yield found


def dropped_revs(view: View) -> Iterator[Finding]:
    """OM103: a rev that the index had before is gone, and its entry is not. On disk: one lacks what others have."""
    if view.index is None or not view.index_changed or not view.config.index.revs:
        return
    if view.changes is None:
        yield from _lacking_revs(view)
        return
    had = {entry.path for entry in view.old.entries if entry.rev} if view.old else set()
    for entry in view.index.entries:
        if entry.path in had and not entry.rev:
            message = f"the entry of {entry.path} had a rev and lost it"
            fix = view.command("index", "sync")
            yield finding("OM103", view.index_path, view.number(entry.main.line), message, fix)


def _lacking_revs(view: View) -> Iterator[Finding]:
    """Entries without a rev in an index that goes by revs: a merge of two changes takes it away on purpose."""
    if not _has_revs(view) or view.index is None:
        return
    for entry in view.index.entries:
        listed = not entry.main.active and entry.path in view.tree.paths and view.layout.is_detail(entry.path)
        if listed and not entry.rev:
            message = f"the entry of {entry.path} has no rev, as others do"
            yield finding("OM103", view.index_path, entry.main.line, message, view.command("index", "sync"))


def orphans(view: View) -> Iterator[Finding]:
    """OM104: a detail file is not in the index. Of a commit: the files it writes, and those whose entry it drops."""
    if view.index is None:
        return
    if view.changes is None:
        yield from (_orphan(view, path) for path in view.details if _leads_nowhere(view, path))
        return
    written = [path for path, status in view.changed_details.items() if status != "D" and view.layout.is_detail(path)]
    yield from (_orphan(view, path) for path in written if _leads_nowhere(view, path))
    if view.index_changed and view.old is not None:
        for path in [entry.path for entry in view.old.entries if view.layout.is_detail(entry.path)]:
            if path in view.tree.paths and path not in view.changed_details and _leads_nowhere(view, path):
                message = f"the commit takes {path} out of {view.index_path} and leaves the file: nothing leads to it"
                yield finding("OM104", path, 0, message, _entry_for(view, path))._replace(severity="warning")


def _leads_nowhere(view: View, path: str) -> bool:
    """Whether no line of the index leads to the file, and one has to."""
    return not view.lists(path) and not view.layout.archive_of(path)


def _orphan(view: View, path: str) -> Finding:
    return finding("OM104", path, 0, f"{path} is not in {view.index_path}", _entry_for(view, path))
