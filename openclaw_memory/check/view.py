"""What the rules look at: a subject with its index parsed once, and the changed detail files."""

from __future__ import annotations

import posixpath
from functools import cached_property

from openclaw_memory import markdown
from openclaw_memory.check.digest import LONG, Digest, common, digest
from openclaw_memory.index import Index, parse
from openclaw_memory.subject import Status, Subject, Tree


class View:
    """One workspace in one tree, read on demand."""

    def __init__(self, subject: Subject, *, whole: bool = False) -> None:
        """With `whole` the index is parsed line by line however long it is (to be edited)."""
        self._whole = whole
        self.subject = subject
        self.tree: Tree = subject.tree
        self.config = subject.config
        self.layout = subject.layout
        self.index_path = subject.config.index.path

    @cached_property
    def changes(self) -> dict[str, Status] | None:
        """The judged commit's changes; None for a work tree."""
        return None if self.tree.changes is None else dict(self.tree.changes)

    @cached_property
    def changed_details(self) -> dict[str, Status]:
        """The detail files that the commit changes, and folders of theirs that are submodules."""
        return {path: status for path, status in (self.changes or {}).items() if self.is_detail(path)}

    def is_detail(self, path: str) -> bool:
        """Whether a change of `path` concerns the index: a detail file, or what stands in for a folder of them."""
        if self.layout.is_detail(path) or path in self.layout.roots:
            return True
        plain = "." not in path.rpartition("/")[2]
        return plain and any(path.startswith(f"{root}/") for root in self.layout.roots) and self.tree.alien(path)

    @cached_property
    def details(self) -> list[str]:
        """Every detail file of the tree."""
        return [path for path in self.tree.paths if self.layout.is_detail(path)]

    @property
    def index_changed(self) -> bool:
        """Whether the index is to be judged for itself: it changed, or a work tree is judged."""
        return self.changes is None or self.index_path in self.changes

    @property
    def concerned(self) -> bool:
        """Whether the index has to be looked at: it or a detail file changed, or a work tree is judged."""
        return self.index_changed or bool(self.changed_details)

    @cached_property
    def index_link(self) -> str | None:
        """Where the index leads if it is a symlink."""
        return self.tree.link(self.index_path)

    @cached_property
    def link_problem(self) -> str:
        """Why an index that is a symlink cannot be used, "" where it can or is none. In git it never can."""
        target = self.index_link
        if target is None:
            return ""
        path = _led_to(self.index_path, target)
        if not path:
            return f"a symlink that leads out of the workspace, to {target}"
        if not self.tree.exists(path):
            return f"a symlink to {target}, which does not exist"
        return "" if self.tree.kind == "worktree" else f"a symlink to {target}: git keeps the name and not the text"

    @property
    def index_link_fits(self) -> bool:
        """Whether the index is a symlink to a file of the workspace."""
        led = _led_to(self.index_path, self.index_link or "/")
        return bool(led) and self.tree.exists(led)

    def leads_out(self, path: str) -> bool:
        """Whether the file is a symlink that leaves the workspace, so that no command touches it."""
        target = self.tree.link(path)
        return target is not None and not _led_to(path, target)

    @cached_property
    def text(self) -> str | None:
        """The index as text; None where there is none that can be read as one."""
        if self.index_path not in self.tree.paths or self.link_problem:
            return None
        data = self.tree.read(self.index_path)
        return None if b"\0" in data else markdown.decode(data)

    @cached_property
    def index(self) -> Index | None:
        """The parsed index; of a long one only what the commit may have broken (see `digest`)."""
        if self.text is None:
            return None
        if self.digest is not None:
            found = self.parse(self.digest.text)
            if not (found.document.unclosed_fence or found.document.unclosed_comment):
                return found
            self.digest = None
        return self.parse(self.text)

    @cached_property
    def digest(self) -> Digest | None:
        """What of a long index has to be parsed; None where all of it has."""
        if self.text is None or self.old_text is None or not self._can_digest(self.text):
            return None
        return digest(self.text, self.old_text, self._common)

    @cached_property
    def _common(self) -> dict[str, str]:
        return common(self.text or "", self.old_text or "", frozenset(self.tree.paths), self.changes or {})

    def _can_digest(self, text: str) -> bool:
        """Whether a path written in the index can only mean the file of that name from the root."""
        plain = not self._whole and self.changes is not None and "/" not in self.index_path
        return plain and len(text) > LONG and not any(path.startswith("memory/memory/") for path in self.tree.paths)

    @property
    def plain(self) -> tuple[tuple[int, str], ...]:
        """(line, path) of the entries that need no look."""
        return () if self.digest is None else self.digest.plain

    def number(self, line: int) -> int:
        """The number that a line of `index` has in the file."""
        return line if self.digest is None or not line else self.digest.numbers[line - 1]

    @cached_property
    def old_text(self) -> str | None:
        """The index before the commit; None where there was none."""
        data = self.tree.before(self.index_path)
        return None if data is None else markdown.decode(data)

    @cached_property
    def old(self) -> Index | None:
        """The index before the commit, parsed against the files of now."""
        if self.old_text is None or self.index is None or self.digest is None or self.text is None:
            return None if self.old_text is None else self.parse(self.old_text)
        return self.parse(digest(self.old_text, self.text, self._common).text)

    @cached_property
    def new_lines(self) -> frozenset[int] | None:
        """The numbers of the index's lines that the commit writes; None where every line is to be judged."""
        if self.changes is None or self.index is None:
            return None
        known = set((self.old_text or "").splitlines())
        return frozenset(line.number for line in self.index.document.lines if line.text not in known)

    def is_new(self, line: int) -> bool:
        """Whether a remark on this line of the index is due."""
        return self.new_lines is None or line in self.new_lines

    @cached_property
    def referred(self) -> frozenset[str]:
        """The files that the index points to without an entry."""
        return frozenset() if self.index is None else frozenset(ref.path for ref in self.index.references if ref.path)

    def lists(self, path: str) -> bool:
        """Whether the index names the file, in whatever way."""
        if self.index is None:
            return False
        return self.index.lists(path) or path in self.referred or path in self._plain_paths

    @cached_property
    def _plain_paths(self) -> frozenset[str]:
        return frozenset(path for _, path in self.plain)

    def parse(self, text: str) -> Index:
        """Another text as the index of the same files."""
        base, gone = self.config.index.link_base, self._gone
        return parse(
            text, self.tree.paths, index_path=self.index_path, exists=self.tree.exists, link_base=base, gone=gone
        )

    @cached_property
    def _gone(self) -> frozenset[str]:
        """The files that the commit deletes."""
        return frozenset(path for path, status in (self.changes or {}).items() if status == "D")

    @cached_property
    def moves(self) -> dict[str, str]:
        """{old: new} of the listed files that moved: one new file has their bytes, or the rev of their entry. On disk,
        where the old bytes are gone, one with the same short name will do, as it does for `index sync`."""
        if self.changes is None:
            return self._moved_on_disk()
        gone = [path for path, status in self.changed_details.items() if status == "D" and self._listed_before(path)]
        added = [path for path, status in self.changed_details.items() if status == "A" and not self.lists(path)]
        if not gone or not added:
            return {}
        found: dict[bytes | str, list[str]] = {}
        for path in added:
            found.setdefault(self.tree.read(path), []).append(path)
            found.setdefault(self.tree.rev(path), []).append(path)
        fitting = {path: found.get(self.tree.before(path) or b"", found.get(self._rev_of(path), [])) for path in gone}
        return {path: paths[0] for path, paths in fitting.items() if len(paths) == 1}

    def _moved_on_disk(self) -> dict[str, str]:
        dead = [entry for entry in self.index.entries if not entry.exists] if self.index else []
        orphans = [path for path in self.details if not self.lists(path)] if dead else []
        if not orphans:
            return {}
        from openclaw_memory.index.sync import renamed

        return renamed(dead, orphans, {path: self.tree.rev(path) for path in orphans})

    def _listed_before(self, path: str) -> bool:
        return self.index is not None and self.index.entry(path) is not None

    def _rev_of(self, path: str) -> str:
        """The rev that the entry of `path` carries; a word that is none where it has none."""
        entry = self.index.entry(path) if self.index else None
        return (entry.rev if entry else None) or "none"

    # -- what is printed below a finding ------------------------------------------------------------------

    @cached_property
    def stuck(self) -> str:
        """Why no command can edit the index now, as what to do first; "" where one can."""
        if self.index is None:
            return ""
        from openclaw_memory.errors import FormatError
        from openclaw_memory.index import check_writable

        try:
            check_writable(self.index)
        except FormatError as error:
            return error.hint
        return ""

    def command(self, *words: str, add: bool = True) -> str:
        """A command that edits the index, as a line that can be pasted; with `add` the commit's index is staged too.

        A new file whose name cannot be printed is found by `index sync`.
        """
        stage = (self.index_path,) if add else ()
        line = self.subject.command(*words, stage=stage)
        if not line and words[:2] == ("index", "add") and len(words) == 3:
            line = self.subject.command("index", "sync", stage=stage)
        return self.stuck or line

    def mend(self, path: str) -> str:
        """The command that mends the entry of `path`, which is staged first where only this commit has it.

        `git commit -a` and `git commit PATH` judge a tree of their own, which is gone once the commit is refused:
        where they take the index too, the one to mend is on disk.
        """
        import os

        own_tree = self.tree.kind == "staged" and os.environ.get("GIT_INDEX_FILE", "").endswith(".lock")
        if self.tree.kind == "worktree" or (own_tree and self.index_changed):
            return self.command("check", "--fix", add=False)
        command = self.command("check", "--staged", "--fix", add=False)
        if own_tree and not self.stuck:
            return f"{self.subject.git('add', path) or 'git add -u'} && {command}"
        return command

    def restore(self) -> str:
        """The command that brings the last commit's index back."""
        return self.subject.git("checkout HEAD --", self.index_path)

    def at(self, path: str) -> str:
        """A path as it is typed where the command line runs."""
        return self.subject.at(path)


def _led_to(path: str, target: str) -> str:
    """Where the symlink at `path` leads, from the workspace's root; "" where that is outside."""
    led = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return "" if target.startswith("/") or led == ".." or led.startswith("../") else led
