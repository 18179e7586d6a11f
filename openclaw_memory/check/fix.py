"""`check --fix`: mends what needs no judgement, and nothing else.

A stale or missing rev becomes the file's own; an entry follows a file that the commit moves without a change; the
entry of a file that the commit deletes goes; a name in the wrong case is written right. With `--staged` the same
edit goes to the staged index and to the one on disk, so that other unstaged work stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from openclaw_memory import fsio, markdown
from openclaw_memory.check import repository
from openclaw_memory.check.view import View
from openclaw_memory.check.worktree import WorkTree
from openclaw_memory.git import Repo
from openclaw_memory.index import Draft, Index, Reference, Relinker
from openclaw_memory.record import Record
from openclaw_memory.subject import Subject
from openclaw_memory.workspace import Change, Outcome, Workspace, transact


class Facts(Record):
    """What the judged tree says must be written: `revs` by path, `renamed` old to new, `gone` for good."""

    revs: dict[str, str]
    renamed: dict[str, str]
    gone: tuple[str, ...]


def worktree(ws: Workspace, *, dry_run: bool = False, commit: bool = False) -> Outcome:
    """Mend the index on disk by what is on disk."""
    path = ws.config.index.path

    def plan() -> list[Change]:
        view = View(Subject(WorkTree(ws), ws.config, ws.layout, lambda: ws.now().date()), whole=True)
        if view.index is None:
            return []
        old = fsio.read(ws.index_path)
        return [Change(path, old, markdown.encode(apply(view, view.index, facts(view))))]

    message = "Mend what needs no judgement in the index"
    return transact(ws, "check --fix", plan, dry_run=dry_run, commit=commit, message=message)


def staged(ws: Workspace, *, dry_run: bool = False) -> Outcome:
    """Mend the staged index by what is staged, and the one on disk by the same edit.

    Raises GitError where git's index is locked, FormatError where one of the two cannot be edited.
    """
    repo = Repo.find(ws.root)
    prefix = repo.prefix(ws.root)
    with repo.objects() as objects:
        step = repository.next_commit(repo, objects, repository.above())
        found = list(repository.subjects(repo, objects, repository.Scope(only=prefix), step))
        view = View(found[0], whole=True) if found else None
        if view is None or view.index is None or view.text is None:
            return Outcome(())
        known = facts(view)
        new = apply(view, view.index, known)
        if new == view.text:
            return Outcome(())
        change = Change(view.index_path, markdown.encode(view.text), markdown.encode(new))
        if dry_run:
            return Outcome((change,), dry_run=True)
        # what goes is gone by the commit itself, however much of the index that is
        outcome = transact(ws, "check --staged --fix", lambda: _on_disk(ws, view, known), allow_shrink=True)
        _stage(repo, prefix + view.index_path, step.listing[prefix + view.index_path].mode, markdown.encode(new))
    return outcome._replace(changes=outcome.changes or (change,))


def facts(view: View) -> Facts:
    """What is to be written, from the tree that `view` looks at."""
    index = view.index
    if index is None:
        return Facts({}, {}, ())
    deleted = [path for path, status in view.changed_details.items() if status == "D" and index.entry(path)]
    renamed = view.moves | {
        _meant(ref): ref.path for ref in index.references if ref.status == "wrong-case" and ref.path
    }
    gone = tuple(path for path in deleted if path not in renamed)
    return Facts(_revs(view, index, renamed), renamed, gone)


def _meant(reference: Reference) -> str:
    """The path from the root that a reference in the wrong case wrote, or wrote the end of."""
    kept = len(reference.path) - len(reference.target)
    same = reference.path[kept:].casefold() == reference.target.casefold()
    return reference.path[:kept] + reference.target if same and kept >= 0 else reference.target


def _revs(view: View, index: Index, renamed: dict[str, str]) -> dict[str, str]:
    """The revs that are wrong, and with `index.revs` those that the judged files lack."""
    judged = view.changed_details if view.changes is not None else index.by_path
    found = {}
    for path in judged:
        entry = index.entry(path)
        if entry is None or entry.is_folder or path not in view.tree.paths or view.leads_out(path):
            continue
        rev = view.tree.rev(path)
        lacks = entry.rev is None and view.config.index.revs and view.changes is not None and not entry.main.active
        if rev and rev != entry.rev and (entry.rev is not None or lacks):
            found[path] = rev
    moved = [new for new in renamed.values() if _has_rev(index, renamed, new)]
    return found | {new: view.tree.rev(new) for new in moved}


def _has_rev(index: Index, renamed: dict[str, str], new: str) -> bool:
    entries = [index.entry(old) for old, target in renamed.items() if target == new]
    return any(entry is not None and entry.rev for entry in entries)


def apply(view: View, index: Index, known: Facts) -> str:
    """The text of `index` with what is `known`; entries it does not have are left alone."""
    text = index.text
    if known.renamed:
        files = {*view.tree.paths, *known.renamed} - set(known.renamed.values())
        base = view.config.index.link_base
        relinker = Relinker(files, known.renamed, index_path=view.index_path, link_base=base)
        text = relinker.relink(text, view.index_path)
    draft = Draft(view.parse(text))
    for path, rev in known.revs.items():
        entry = draft.index.entry(path)
        if entry is not None and (entry.rev is not None or not entry.main.active):
            draft.set_rev(path, rev)
    for path in known.gone:
        if draft.index.entry(path) is not None:
            draft.remove(path)
    return draft.text


def _on_disk(ws: Workspace, view: View, known: Facts) -> Sequence[Change]:
    if not os.path.lexists(ws.index_path):
        return []
    old = fsio.read(ws.index_path)
    return [Change(view.index_path, old, markdown.encode(apply(view, view.parse(markdown.decode(old)), known)))]


def _stage(repo: Repo, path: str, mode: str, data: bytes) -> None:
    """Put `data` (as checked out) into git's index at `path`, through its clean filters; nothing else is touched."""
    oid = repo.run("hash-object", "-w", f"--path={path}", "--stdin", data=data).decode().strip()
    repo.run("update-index", "-z", "--index-info", data=f"{mode} {oid} 0\t".encode() + os.fsencode(path) + b"\0")
