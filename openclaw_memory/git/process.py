"""One git process: how it is started and how its failure becomes a `GitError`. Imports no other module of git/."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence

from openclaw_memory.errors import GitError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BufferedReader
    from typing import IO

# `git rev-parse --local-env-vars`: what ties a process to one repository (git 2.39, gitrevisions(7)).
LOCAL_ENV = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
)
# Reading must not refresh the index a commit has locked, and no name may be read as a pattern.
_ALWAYS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1", "GIT_TERMINAL_PROMPT": "0"}
_NEVER = frozenset({"GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"})
_SPAWN = hasattr(os, "posix_spawnp")  # without the subprocess module, whose import is 4 of a hook's 60 ms
_PYTHON_IGNORES = (13, 25)  # SIGPIPE and SIGXFSZ, on Linux and macOS: git must not inherit that
_OWNER = "run it as the owner, or: git config --global --add safe.directory {cwd}"
# what git says: (what that means, what to do about it); "" where its own words are the clearest
_KNOWN = (
    ("dubious ownership", ("{cwd} belongs to another user, so git does not read it", _OWNER)),
    ("not a git repository", ("{cwd} lies in no git repository", "run `git init` there, or call this inside one")),
    (
        "must be run in a work tree",
        ("{cwd} is a bare repository: it has no work tree", "call it in a clone or a linked worktree"),
    ),
    ("filter", ("", "the program of this filter must be on the PATH where git runs its hooks")),
    ("index file", ("", "the index is damaged: move .git/index away and run `git reset`")),
    ("index.lock", ("", "another git command holds the index; try again when it is done")),
    ("bad object", ("", "the repository misses objects: run `git fsck`")),
    ("unknown revision", ("", "fetch the missing history (CI: fetch-depth: 0), or check the name")),
)


def clean_env(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without what ties it to a repository: for git calls on another one than the hook's."""
    return {key: value for key, value in environ.items() if key not in LOCAL_ENV}


def git_env(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` (GIT_INDEX_FILE and all) with what every reading call adds, less what contradicts it."""
    return {key: value for key, value in environ.items() if key not in _NEVER} | _ALWAYS


def to_text(data: bytes) -> str:
    """What git writes, as text: UTF-8 whatever the locale says, because so are the files that name these paths."""
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    """The inverse of `to_text`."""
    return text.encode("utf-8", "surrogateescape")


def run(
    args: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    data: bytes | None = None,
    ok: Sequence[int] = (0,),
) -> bytes:
    """Standard output of `git ARGS`, fed with `data`. Raises GitError on an exit code not in `ok`."""
    if data is None and _SPAWN:
        child = start(args, cwd, env)
        out = child.stdout.read()
        if child.end() in ok:
            return out  # else once more, with an ear for what git says
    return _run(args, cwd, env, data or b"", ok)


def _run(args: Sequence[str], cwd: str, env: Mapping[str, str], data: bytes, ok: Sequence[int]) -> bytes:
    import subprocess

    try:
        done = subprocess.run(["git", *args], cwd=cwd, env=env, input=data, capture_output=True, check=False)
    except OSError as error:
        raise unstartable(error, cwd) from error
    if done.returncode not in ok:
        raise failure(args, done.returncode, done.stderr, cwd)
    return done.stdout


class Child:
    """A running git with a pipe to it and one from it. What it says on standard error is not kept."""

    def __init__(self, args: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        told, tell = os.pipe()
        hear, said = os.pipe()
        silent = os.open(os.devnull, os.O_WRONLY)
        at = ["-C", cwd] if cwd != os.getcwd() else []
        wiring = [(os.POSIX_SPAWN_DUP2, from_, to) for from_, to in ((told, 0), (said, 1), (silent, 2))]
        try:
            self.pid = os.posix_spawnp("git", ["git", *at, *args], env, file_actions=wiring, setsigdef=_PYTHON_IGNORES)
        except OSError:
            os.close(tell)
            os.close(hear)
            raise
        finally:
            for descriptor in (told, said, silent):
                os.close(descriptor)
        self.stdin: IO[bytes] = open(tell, "wb")  # noqa: SIM115  closed by end()
        self.stdout: BufferedReader = open(hear, "rb")  # noqa: SIM115

    def end(self) -> int:
        """Close the pipes, wait for it to end, and give its exit code (negative: the signal that ended it)."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self.stdout.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class _WindowsChild(Child):
    """The same where there is no posix_spawn."""

    def __init__(self, args: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        from io import BufferedReader
        from subprocess import DEVNULL, PIPE, Popen

        self._process = Popen(["git", *args], cwd=cwd, env=env, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        assert self._process.stdin is not None and isinstance(self._process.stdout, BufferedReader)  # they are pipes
        self.stdin, self.stdout = self._process.stdin, self._process.stdout

    def end(self) -> int:
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self.stdout.close()
        return self._process.wait()


def start(args: Sequence[str], cwd: str, env: Mapping[str, str]) -> Child:
    """A git process with pipes for input and output. Raises GitError where git cannot be started."""
    try:
        return Child(args, cwd, env) if _SPAWN else _WindowsChild(args, cwd, env)
    except OSError as error:
        raise unstartable(error, cwd) from error


def unstartable(error: OSError, cwd: str) -> GitError:
    """Why git could not be started: absent, or the folder to start it in is."""
    if os.path.isdir(cwd):
        return GitError("git cannot be started: it is not on the PATH", "install git, or put it on the PATH")
    return GitError(f"{cwd}: {error.strerror or error}", "name a folder that exists")


def failure(args: Sequence[str], code: int, stderr: bytes, cwd: str) -> GitError:
    """A failed call as an error that shows git's own words and the way out where it is known."""
    said = to_text(stderr).strip()
    verb = next((arg for arg in args if not arg.startswith("-")), "")
    meaning, hint = next((known for words, known in _KNOWN if words in said.lower()), ("", ""))
    words = "; ".join(said.splitlines()[:3]) or f"exit code {code}"
    meant = meaning.format(cwd=cwd) or f"git {verb} failed in {cwd}: {words}"
    return GitError(meant, hint.format(cwd=cwd))
