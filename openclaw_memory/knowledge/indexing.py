"""The index side of a change to detail files: entries for new ones, links and entries of moved ones, revs of all.

Every plan of this package that touches detail files goes through `indexed`, so that one transaction, and one commit,
holds the files and their index. Reads only; the changes are the caller's to make.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from openclaw_memory import fsio, markdown
from openclaw_memory.errors import GitError
from openclaw_memory.git import Repo, rev6
from openclaw_memory.index import Draft, Entry, Index, Relinker, Words, describe, offered_triggers, parse
from openclaw_memory.index.described import readable
from openclaw_memory.workspace import Change, Workspace


@dataclass
class Plan:
    """File changes in the making, one a path, the newest bytes of each; reads see what was already changed."""

    ws: Workspace
    changes: dict[str, Change] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        """The bytes `path` will have."""
        if path in self.changes:
            return self.changes[path].after
        full = self.ws.path(path)
        return fsio.read(full, limit=256 << 20, binary=True) if full.exists() else None

    def write(self, path: str, data: bytes | None) -> None:
        """`path` will hold `data`; None: it will be gone."""
        old = self.changes.get(path)
        self.changes[path] = Change(path, old.before if old else self.read(path), data)

    def move(self, old: str, new: str) -> None:
        """`new` will hold what `old` holds, and `old` will be gone."""
        self.write(new, self.read(old))
        self.write(old, None)

    def paths(self, before: Iterable[str]) -> set[str]:
        """The paths that will exist, out of those that do."""
        found = set(before)
        for change in self.changes.values():
            (found.discard if change.after is None else found.add)(change.path)
        return found

    def done(self) -> list[Change]:
        """The changes that change something."""
        return [change for change in self.changes.values() if change.before != change.after]


def indexed(
    plan: Plan,
    words: Mapping[str, Words] | None = None,
    *,
    moves: Mapping[str, str] | None = None,
    resettle: Iterable[str] = (),
) -> list[Change]:
    """The changes of `plan` with those of the index (and of a PARA root's `index.md`) that belong to them.

    `words` are what the entries of new files say; `moves` (old path to new, folders with a slash, whose files the plan
    moves already) rewrite links in every Markdown file; `resettle` are old paths whose entries are written anew,
    in the section that fits the new path and out of Active Context.
    """
    ws = plan.ws
    before = [*ws.detail_files(), *ws.daily_notes()]
    if moves:
        _relink(plan, before, moves)
    index = ws.config.index.path
    _edit(plan, index, before, words or {}, moves or {}, tuple(resettle), revs=ws.config.index.revs)
    for root in ws.layout.roots:
        if plan.read(f"{root}/index.md") is not None:
            _edit(plan, f"{root}/index.md", before, words or {}, moves or {}, (), revs=False)
    return plan.done()


def _relink(plan: Plan, before: Sequence[str], moves: Mapping[str, str]) -> None:
    """Links in every Markdown file of the workspace; anything that merely looks like one stays."""
    ws = plan.ws
    tops = sorted(path.name for path in ws.root.glob("*.md") if path.is_file())
    indexes = [f"{root}/index.md" for root in ws.layout.roots if (ws.root / root / "index.md").is_file()]
    files = [*dict.fromkeys([*before, *tops, *indexes])]
    base = ws.config.index.link_base
    relinker = Relinker(files, moves, _there(ws), index_path=ws.config.index.path, link_base=base)
    for path in files:
        now = relinker.moved(path)
        data = plan.read(now) if now != path else plan.read(path)
        if data is None:
            continue
        text = markdown.decode(data)
        if relinker.concerns(text, path):
            after = markdown.encode(relinker.relink(text, path))
            if after != data:
                plan.write(now, after)


def _edit(
    plan: Plan,
    index_path: str,
    before: Sequence[str],
    words: Mapping[str, Words],
    moves: Mapping[str, str],
    resettle: Sequence[str],
    *,
    revs: bool,
) -> None:
    ws = plan.ws
    data = plan.read(index_path)
    home = index_path.rpartition("/")[0]
    judged = [c for c in plan.done() if ws.layout.is_detail(c.path) and (not home or c.path.startswith(f"{home}/"))]
    if not judged:
        return
    after = plan.paths(before)
    text = markdown.decode(data or b"")
    text = _moved_entries(ws, text, index_path, after, moves, resettle)
    index = _read(ws, text, after, index_path)
    draft = Draft(index)
    known = _revs(ws, {c.path: c.after for c in judged if c.after is not None}) if revs else {}
    for change in judged:
        entry = index.entry(change.path)
        if change.after is None:
            if entry is not None:
                draft.remove(change.path)
        elif entry is None or all(mention.active for mention in entry.mentions):
            if home or index.covering(change.path) in (None, entry):
                said = words.get(change.path) or _own_words(change.path, change.after)
                draft.add(
                    change.path, said._replace(rev=known.get(change.path), triggers=() if home else said.triggers)
                )
        elif change.path in known:
            draft.set_rev(change.path, known[change.path])
    written = markdown.encode(draft.text)
    if written != (data or b""):
        plan.write(index_path, written)


def _read(ws: Workspace, text: str, files: Iterable[str], index_path: str) -> Index:
    base = ws.config.index.link_base if index_path == ws.config.index.path else "auto"
    return parse(text, frozenset(files), index_path=index_path, exists=_there(ws), link_base=base)


def _there(ws: Workspace) -> Callable[[str], bool]:
    return lambda path: (ws.root / path).exists()


def _own_words(path: str, data: bytes) -> Words:
    """What a file that no entry names says of itself: its title, about, and triggers from them."""
    said = describe(markdown.decode(data))
    return Words(readable(path, said), offered_triggers(path, said), said.about)


def _moved_entries(
    ws: Workspace,
    text: str,
    index_path: str,
    after: set[str],
    moves: Mapping[str, str],
    resettle: Sequence[str],
) -> str:
    """`text` with the entries of files that now belong to another section (an archived one) written there anew."""
    gone = {landed(path, moves) for path in resettle}
    if not gone:
        return text
    index = _read(ws, text, after, index_path)
    draft = Draft(index)
    kept: list[Entry] = [entry for entry in index.entries if entry.path in gone]
    for entry in kept:
        draft.remove(entry.path)
    text = draft.text
    index = _read(ws, text, after, index_path)
    draft = Draft(index)
    for entry in kept:
        said = Words(entry.name, entry.written_triggers, entry.about, entry.importance, entry.rev)
        draft.add(entry.path, said)
        if entry.active and ws.layout.kind_of(entry.path) != "archives":
            draft.activate(entry.path)
    return draft.text


def landed(path: str, moves: Mapping[str, str]) -> str:
    """Where `path` is after `moves` (old to new; folders with a slash at their end)."""
    for old, new in moves.items():
        if path == old:
            return new
        if old.endswith("/") and path.startswith(old):
            return new + path[len(old) :]
    return path


def _revs(ws: Workspace, files: Mapping[str, bytes]) -> dict[str, str]:
    """The rev each of `files` will have once git stores it: its bytes, unless a filter or line ends are in play."""
    if not files:
        return {}
    try:
        repo = Repo.find(ws.root)
    except GitError:
        return {path: rev6(data) for path, data in files.items()}
    from openclaw_memory.git.revs import stored

    filtered = _filtered(repo, ws, files)
    return {path: rev6(stored(ws.root, path, data) if path in filtered else data) for path, data in files.items()}


def _filtered(repo: Repo, ws: Workspace, files: Mapping[str, bytes]) -> set[str]:
    prefix = repo.prefix(ws.root)
    asked = b"".join(os.fsencode(prefix + path) + b"\0" for path in files)
    told = repo.run("check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding", data=asked)
    fields = os.fsdecode(told).split("\0")
    found = {
        path.removeprefix(prefix)
        for path, value in zip(fields[0::3], fields[2::3], strict=False)
        if value not in ("unspecified", "unset")
    }
    return found | {path for path, data in files.items() if b"\r" in data}
