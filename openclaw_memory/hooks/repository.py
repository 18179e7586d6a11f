"""Where git looks for the hooks of a repository: `core.hooksPath`, linked worktrees and submodules respected.

Asks git and reads paths; never writes, and knows nothing of what our hooks hold.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from openclaw_memory.errors import GitError


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
        return self.top in self.hooks.parents and not self._own_hooks

    @property
    def _own_hooks(self) -> bool:
        return self.common in self.hooks.parents

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
    top, common, hooks = (
        Path(root, _ask(root, *words)).resolve()
        for words in (("--show-toplevel",), ("--git-common-dir",), ("--git-path", "hooks"))
    )
    return Repository(top, common, hooks)


def config(root: Path, key: str) -> str | None:
    """The value of the git setting `key`, or None."""
    done = _git(root, "config", "--get", key)
    return os.fsdecode(done.stdout).removesuffix("\n") if not done.returncode else None


def attribute(root: Path, name: str, path: str) -> str:
    """The git attribute `name` of the file `path` (relative to `root`): "unspecified" where it has none."""
    done = _git(root, "check-attr", "-z", name, "--", path)
    return os.fsdecode(done.stdout).split("\0")[2] if not done.returncode else "unspecified"


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", os.fspath(root), *words], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise GitError("git is not on PATH", "install git, then run this again") from error


def _ask(root: Path, *words: str) -> str:
    """The answer of `git rev-parse`, without its line end. Raises GitError with git's own words."""
    done = _git(root, "rev-parse", *words)
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().partition("\n")[0]
        raise GitError(f"no usable git repository at {root}: {said}", "run `git init` there, or name another folder")
    return os.fsdecode(done.stdout).removesuffix("\n")
