"""Where git looks for the hooks of a repository: `core.hooksPath`, linked worktrees and submodules respected.

Asks git and reads paths; never writes, and knows nothing of what our hooks hold.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openclaw_memory.errors import GitError
from openclaw_memory.git import process


@dataclass(frozen=True)
class Repository:
    """The folders of one repository, absolute and with symlinks resolved (`hooks` also as git names it).

    `top` is the work tree, `common` the git folder that all its worktrees share, `hooks` where git looks.
    """

    top: Path
    common: Path
    hooks: Path

    @property
    def scripts(self) -> Path:
        """Our own folder inside the git folder."""
        return self.common / "openclaw-memory"

    @property
    def shares_hooks(self) -> bool:
        """Whether the hooks lie in the work tree (husky, `.githooks`), where a clone gets them from a commit."""
        return self.hooks.is_relative_to(self.top) and not self._own_hooks

    @property
    def _own_hooks(self) -> bool:
        return self.hooks.is_relative_to(self.common)

    @property
    def foreign_hooks(self) -> bool:
        """Whether the hooks lie outside the repository, so that other repositories run them too."""
        return not (self._own_hooks or self.shares_hooks)


def find(root: Path) -> Repository:
    """The repository whose work tree holds `root`. Raises GitError: git absent, no repository, a bare one."""
    if _ask(root, "--is-bare-repository") == "true":
        raise GitError(f"{root} is a bare git repository", "hooks are for the clone in which you commit")
    if _ask(root, "--is-inside-work-tree") != "true":
        raise GitError(f"{root} lies in a git folder, not in a work tree", "name the folder that holds MEMORY.md")
    top = Path(_ask(root, "--show-toplevel")).resolve()
    common = Path(top, _ask(top, "--git-common-dir")).resolve()
    return Repository(top, common, Path(top, _ask(top, "--git-path", "hooks")).resolve())


def git(root: Path, *words: str, ok: tuple[int, ...] = (0,)) -> str:
    """What `git WORDS` says in `root`, whatever repository the process that started us works on. Raises GitError."""
    return os.fsdecode(process.run(words, os.fspath(root), process.clean_env(os.environ), ok=ok))


def config(root: Path, key: str) -> str:
    """The value of the git setting `key`, "" where it has none."""
    return git(root, "config", "--get", key, ok=(0, 1)).removesuffix("\n")


def attributes(root: Path, name: str, paths: Sequence[str]) -> list[str]:
    """The git attribute `name` of each of `paths` (relative to `root`): "unspecified" where it has none."""
    return git(root, "check-attr", "-z", name, "--", *paths).split("\0")[2::3]


def _ask(root: Path, *words: str) -> str:
    """The answer of `git rev-parse`, without its line end."""
    return git(root, "rev-parse", *words).removesuffix("\n")
