"""What a rule of `check` is given: one workspace in one tree, and how a part adds rules of its own.

A rule is a function `(Subject) -> Iterable[Finding]`, written once for every kind of tree. The families that
need another part's knowledge live with that part, one function `judge(subject)` in a module `rules`:
`openclaw_memory.knowledge.rules` (OM2, OM3) and `openclaw_memory.heartbeat.rules` (OM4). The command line hands
them to the engine, which imports one only when a path it wants is judged. Findings carry the rule's default
severity (`findings.finding`); selecting, ignoring, severities and the baseline are the engine's.

Imports of ours only `shown` at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date
    from typing import Literal, Protocol, TypeAlias

    from openclaw_memory.config import Config
    from openclaw_memory.findings import Finding
    from openclaw_memory.workspace import Layout

else:
    Protocol = object  # making a real one costs a hook half a millisecond

Kind: TypeAlias = "Literal['worktree', 'staged', 'commit']"
Status: TypeAlias = "Literal['A', 'D', 'M']"


class Tree(Protocol):
    """The files of one workspace: on disk, staged for the next commit, or in a commit.

    Paths are posix, relative to the workspace; odd bytes come as surrogates. Bytes are as they would be checked
    out (smudge filters applied).
    """

    @property
    def kind(self) -> Kind:
        """Where the files come from."""

    @property
    def paths(self) -> Collection[str]:
        """Every file (symlinks and submodules too), in git's order."""

    @property
    def changes(self) -> Mapping[str, Status] | None:
        """The files whose content the judged commit adds, deletes or modifies; a rename is a D and an A.

        None when no commit is judged (the work tree): then every file is to be judged.
        """

    @property
    def merge(self) -> bool:
        """Whether the judged commit has several parents (its first one is what it is compared with)."""

    def read(self, path: str) -> bytes:
        """A file's content. Raises WorkspaceError or GitError where it is absent, too large or unreadable."""

    def before(self, path: str) -> bytes | None:
        """Its content in the commit's first parent (a work tree: in HEAD); None where it was not there."""

    def rev(self, path: str) -> str:
        """The six digits that an entry for this file carries (see `git.rev6`); "" for a submodule."""

    def link(self, path: str) -> str | None:
        """The target of a symlink as it is written; None for every other file."""

    def alien(self, path: str) -> bool:
        """Whether `path` is a submodule or symlink, or was one before: nothing below it can be judged."""

    def exists(self, path: str) -> bool:
        """Whether there is something at `path`, if only inside a submodule, where nothing can be judged."""

    def ignored(self, paths: Iterable[str]) -> dict[str, str]:
        """The ones of `paths` that git ignores, each with the rule that says so; {} outside a repository."""

    def left_out(self, path: str) -> bool:
        """Whether the disk has `path` and the next commit has not; False of a work tree and of history."""


class Subject:
    """One workspace to judge. `where` is its path as a person would type it for `--workspace`, "" for here."""

    def __init__(self, tree: Tree, config: Config, layout: Layout, today: Callable[[], date], where: str = "") -> None:
        self.tree = tree
        self.config = config
        self.layout = layout
        self.where = where
        self._today = today

    @property
    def today(self) -> date:
        """The day in the workspace's time zone; of a commit in history, its own day."""
        return self._today()

    def judged(self, wants: Callable[[str], bool] = lambda path: True) -> list[str]:
        """The present files to judge that `wants` admits: those of the commit, or all of them."""
        changes = self.tree.changes
        if changes is None:
            return [path for path in self.tree.paths if wants(path)]
        return [path for path, status in changes.items() if status != "D" and wants(path)]

    # -- what is printed below a finding ------------------------------------------------------------------

    def at(self, path: str) -> str:
        """A path as it is typed where the command line runs."""
        typed = f"{self.where}/{path}" if self.where else path
        return f"./{typed}" if typed.startswith("-") else typed

    def command(self, *words: str, stage: Sequence[str] = ()) -> str:
        """`openclaw-memory WORDS` as a line that can be pasted; where a commit is judged it stages the files `stage`.

        "" where a name cannot be printed: what cannot be printed cannot be pasted.
        """
        line = _line("openclaw-memory", *words, *(("--workspace", self.at("").rstrip("/")) if self.where else ()))
        if not line or self.tree.changes is None or not stage:
            return line
        staged = self.git("add", *stage)
        return staged and f"{line} && {staged}"

    def git(self, verb: str, *paths: str) -> str:
        """`git VERB PATHS` as a line that can be pasted; "" where a name cannot be printed."""
        return _line("git", *verb.split(" "), *map(self.at, paths))

    def put_back(self, path: str) -> str:
        """The line that brings back the last commit's `path`; what became of it is kept beside it, if it is there."""
        back = ["git", "checkout", "HEAD", "--", self.at(path)]
        if path not in self.tree.paths:
            return self.shell(back)
        return self.shell(["cp", self.at(path), self.at(f"{path}.mine")], back)

    def shell(self, *lines: Sequence[str]) -> str:
        """Commands of the shell, one after the other, as a line that can be pasted; "" where one cannot be printed."""
        typed = [_line(*words) for words in lines]
        return " && ".join(typed) if all(typed) else ""


def _line(*words: str) -> str:
    from openclaw_memory.shown import visible  # only what is broken has a line to print

    if any(visible(word) != word for word in words):
        return ""
    import shlex

    return shlex.join(words)


class Family(Protocol):
    """The rules of another part, as the command line hands them to the engine."""

    def wants(self, subject: Subject) -> bool:
        """Whether they have anything to judge here; cheap, decided by paths."""

    def judge(self, subject: Subject) -> Iterable[Finding]:
        """Their findings. Imports the part only now."""
