"""git work that no hook waits for (init, commit, log), through GitPython, imported when it is called."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from openclaw_memory.errors import GitError
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    import git

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # without git its import would fail; our calls say it better

_FROM_FILE = ("--pathspec-from-file=-", "--pathspec-file-nul")
_HINTS = (
    (
        "tell me who you are",
        'git config --global user.name "Your Name" && git config --global user.email you@example.org',
    ),
    ("partial commit during a merge", "finish the merge first: git status says what is open"),
    ("ignored by one of your .gitignore files", "take the file out of .gitignore, or leave --commit away"),
    ("index.lock", "another git process works here; try again when it is done"),
)


class LogEntry(Record):
    """One commit: full id, ISO time, author's name, first line of the message, paths it changed."""

    oid: str
    when: str
    author: str
    subject: str
    paths: tuple[str, ...]


def init(root: Path, branch: str = "main") -> bool:
    """Make `root` a repository. False, and nothing done, where it lies in one already."""
    import git

    with _errors(root):
        try:
            git.Repo(root, search_parent_directories=True)
        except (git.InvalidGitRepositoryError, git.NoSuchPathError):
            git.Repo.init(root, mkdir=True, initial_branch=branch)
            return True
    return False


STAND_IN = "openclaw-memory"
"""Who commits where git has no name for the person yet."""


def knows_who(root: Path) -> bool:
    """Whether git has a name and an address for commits in `root`."""
    import git

    with _errors(root), _repo(root) as repo:
        try:
            repo.git.var("GIT_AUTHOR_IDENT")
        except git.GitCommandError:
            return False
    return True


def commit(root: Path, paths: Sequence[str], message: str, *, stand_in: bool = False) -> str | None:
    """Commit `paths` (relative to `root`) as they are on disk, and only them; hooks run. What else is staged stays.

    With `stand_in` the commit is made by `STAND_IN`, for this once. Returns the commit's id, or None when they hold
    nothing new. Raises GitError with the hook's or git's words.
    """
    with _errors(root), _repo(root) as repo:
        tracked = set(repo.git.ls_files("-z", "--", *paths).split("\0")) if paths else set()
        told = [path for path in paths if path in tracked or os.path.lexists(root / path)]
        if not told:
            return None
        if stand_in:
            address = f"{STAND_IN}@localhost"
            for role in ("AUTHOR", "COMMITTER"):
                repo.git.update_environment(**{f"GIT_{role}_NAME": STAND_IN, f"GIT_{role}_EMAIL": address})
        with _tracked(repo, [path for path in told if path not in tracked]):
            if not repo.git.status("--porcelain", "-z", "--", *told):
                return None
            repo.git.commit("-q", "-m", message, *_FROM_FILE, istream=_input(told))
        return str(repo.git.rev_parse("HEAD"))  # GitPython's own reader of refs knows only SHA-1


def log(root: Path, limit: int = 20, paths: Sequence[str] = ()) -> list[LogEntry]:
    """The last `limit` commits that touched `paths` (default: anything) below `root`, newest first."""
    with _errors(root), _repo(root) as repo:
        if not repo.git.rev_parse("-q", "--verify", "HEAD", with_exceptions=False):
            return []
        where = list(paths) or ["."]
        form = "--format=%x01%H%x00%aI%x00%an%x00%s"
        said = repo.git.log(
            f"-{limit}", form, "--name-only", "-z", "--relative", "--", *where, strip_newline_in_stdout=False
        )
        return [_entry(record) for record in said.split("\x01")[1:]]


def _entry(record: str) -> LogEntry:
    oid, when, author, subject, *paths = (field.strip("\n") for field in record.split("\0"))
    return LogEntry(oid, when, author, subject, tuple(path for path in paths if path))


@contextmanager
def _tracked(repo: git.Repo, new: Sequence[str]) -> Iterator[None]:
    """git knows the new ones without their content, and forgets them if the commit fails: checkout would empty them."""
    import git

    if new:
        repo.git.add("-N", *_FROM_FILE, istream=_input(new))
    try:
        yield
    except git.GitCommandError:
        if new:
            repo.git.reset("-q", *_FROM_FILE, istream=_input(new))
        raise


def _input(paths: Sequence[str]) -> io.BufferedReader:
    """The paths as a file that a process can read (they may be too many for its arguments)."""
    import tempfile

    file = tempfile.TemporaryFile()  # noqa: SIM115  git reads it to its end and then it is gone
    file.write(b"".join(os.fsencode(path) + b"\0" for path in paths))
    file.seek(0)
    return file  # type: ignore[return-value]  # a TemporaryFile wraps a BufferedRandom


@contextmanager
def _repo(root: Path) -> Iterator[git.Repo]:
    import git

    with git.Repo(root, search_parent_directories=True) as repo:
        repo.git._working_dir = str(root)
        repo.git.update_environment(GIT_LITERAL_PATHSPECS="1")
        yield repo


@contextmanager
def _errors(root: Path) -> Iterator[None]:
    """GitPython's errors as ours."""
    import git

    try:
        yield
    except git.InvalidGitRepositoryError as error:
        raise GitError(f"{root}: not a git repository", "run `git init` there, or leave --commit away") from error
    except git.GitCommandNotFound as error:
        raise GitError("git cannot be started: it is not on the PATH", "install git, or put it on the PATH") from error
    except git.GitCommandError as error:
        said = str(error.stderr or error.stdout).strip().removeprefix("stderr: ").strip("'\n ")
        hint = next((hint for words, hint in _HINTS if words in said), "")
        raise GitError(f"git {' '.join(map(str, error.command[1:2]))} failed in {root}:\n{said}", hint) from error
