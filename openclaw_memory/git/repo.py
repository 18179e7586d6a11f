"""A repository, as the process that asks sees it: its top, its format, its staged tree, its commits."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from openclaw_memory.errors import GitError
from openclaw_memory.git import trees
from openclaw_memory.git.objects import Objects
from openclaw_memory.git.process import clean_env, git_env, run, to_bytes, to_text
from openclaw_memory.git.trees import Delta, Listing
from openclaw_memory.record import Record

# The ids of the empty tree and blob, which every repository of that format knows without storing them.
EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
EMPTY_BLOB = {
    "sha1": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "sha256": "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}
_RAW = ("--raw", "-z", "--no-renames", "--full-index", "--ignore-submodules=none", "--no-ext-diff", "--no-relative")


class Commit(Record):
    """A commit's id and its parents' ids, the first parent first."""

    oid: str
    parents: tuple[str, ...]


class Repo:
    """One work tree. `top` is its absolute path, `format` "sha1" or "sha256", `shallow` whether history is cut."""

    def __init__(self, top: str, format: str, shallow: bool, env: Mapping[str, str]) -> None:
        self.top = top
        self.format = format
        self.shallow = shallow
        self.env = env

    @classmethod
    def here(cls, environ: Mapping[str, str] | None = None) -> Repo:
        """The repository of a hook: the one git's own environment and the current folder name.

        Raises GitError where there is none, or git refuses it.
        """
        return cls._open(os.getcwd(), os.environ if environ is None else environ)

    @classmethod
    def find(cls, path: str | os.PathLike[str], environ: Mapping[str, str] | None = None) -> Repo:
        """The repository that holds the folder `path`. Raises GitError where there is none, or git refuses it.

        Inside a hook (GIT_DIR or GIT_INDEX_FILE set) its environment is kept if `path` lies in the hook's own
        repository, and dropped if it lies in another one.
        """
        env = os.environ if environ is None else environ
        folder = os.path.realpath(path)
        if "GIT_DIR" in env or "GIT_INDEX_FILE" in env:
            own = cls._of_hook(env)
            if own is not None and own.holds(folder):
                return own
        return cls._open(folder, clean_env(env))

    @classmethod
    def _of_hook(cls, env: Mapping[str, str]) -> Repo | None:
        try:
            return cls._open(os.getcwd(), env)
        except GitError:
            return None

    @classmethod
    def _open(cls, cwd: str, environ: Mapping[str, str]) -> Repo:
        asked = ("rev-parse", "--show-object-format", "--is-shallow-repository", "--show-toplevel")
        env = git_env(environ)
        said = os.fsdecode(run(asked, cwd, env)).split("\n", 2)
        if len(said) < 3 or not said[2].strip():
            raise GitError(f"{cwd}: this repository has no work tree", "call it in a clone that has one")
        return cls(os.path.realpath(said[2].removesuffix("\n")), said[0], said[1] == "true", env)

    def holds(self, folder: str) -> bool:
        """Whether the absolute path `folder` is this work tree's top or lies below it (in no inner repository)."""
        folder = os.path.realpath(folder)
        if folder != self.top and not folder.startswith(self.top.rstrip("/") + "/"):
            return False
        while folder != self.top:
            if os.path.lexists(os.path.join(folder, ".git")):
                return False
            folder = os.path.dirname(folder)
        return True

    def prefix(self, folder: str | os.PathLike[str]) -> str:
        """The folder's path from the top as git writes it: "" for the top, else with a slash at its end."""
        relative = os.path.relpath(os.path.realpath(folder), self.top)
        return "" if relative == os.curdir else to_text(os.fsencode(relative)).replace(os.sep, "/") + "/"

    def run(self, *args: str, data: bytes | None = None, ok: Sequence[int] = (0,)) -> bytes:
        """Output of one git call at the top, with the caller's environment. Raises GitError when it fails."""
        return run(args, self.top, self.env, data, ok)

    def objects(self) -> Objects:
        """A reader of objects; close it."""
        return Objects(self.top, self.env)

    def staged(self) -> Listing:
        """The tree a commit made now would have, and what `git add -N` put beside it as empty files."""
        return trees.staged_listing(self.run("ls-files", "-s", "-z"))

    def tree(self, commit: str) -> Listing:
        """The tree of a commit."""
        return trees.commit_listing(self.run("ls-tree", "-r", "-z", "--full-tree", commit))

    def staged_changes(self, base: str | None) -> list[Delta]:
        """What the staged tree changes against the commit `base` (None: against nothing), `git add -N` left out."""
        asked = ("diff-index", "--cached", "--ita-invisible-in-index", *_RAW)
        return trees.deltas(self.run(*asked, base or self.empty_tree, "--"))

    def changes(self, base: str | None, commit: str) -> list[Delta]:
        """What `commit` changes against `base` (None: against nothing)."""
        return trees.deltas(self.run("diff-tree", "-r", *_RAW, base or self.empty_tree, commit, "--"))

    @property
    def empty_tree(self) -> str:
        """The id of the tree without entries, in this repository's format."""
        return EMPTY_TREE.get(self.format, EMPTY_TREE["sha1"])

    @property
    def empty_blob(self) -> str:
        """The id of the blob without content, in this repository's format."""
        return EMPTY_BLOB.get(self.format, EMPTY_BLOB["sha1"])

    @staticmethod
    def names(data: bytes) -> list[str]:
        """The paths of a `-z` list."""
        return to_text(data).split("\0")[:-1]

    def ignored(self, paths: Iterable[str]) -> dict[str, str]:
        """The untracked ones of `paths` that git ignores, each with the rule that says so ("file:line: pattern")."""
        wanted = [path for path in paths if path]
        if not wanted:
            return {}
        try:
            return self._ignored(wanted)
        except GitError:  # one that leads out, or beyond a symlink or into a submodule, fails them all
            return (
                {} if len(wanted) == 1 else {key: rule for path in wanted for key, rule in self.ignored([path]).items()}
            )

    def _ignored(self, paths: Iterable[str]) -> dict[str, str]:
        data = b"".join(b"./%b\0" % to_bytes(path) for path in paths)  # "./": no name is pathspec magic
        env = {**self.env, "GIT_LITERAL_PATHSPECS": "0"}  # check-ignore refuses to run under it
        args = ("check-ignore", "-v", "-z", "--stdin")
        fields = to_text(run(args, self.top, env, data, ok=(0, 1))).split("\0")
        rows = zip(fields[0::4], fields[1::4], fields[2::4], fields[3::4], strict=False)
        return {path[2:]: f"{source}:{line}: {pattern}" for source, line, pattern, path in rows}


def parse_commit(oid: str, data: bytes) -> Commit:
    """A commit object's id and parents, from its text."""
    head = data.split(b"\n\n", 1)[0].split(b"\n")
    return Commit(oid, tuple(line[7:].decode() for line in head if line.startswith(b"parent ")))
