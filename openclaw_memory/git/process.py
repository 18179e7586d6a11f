"""One git process: how it is started and how its failure becomes a `GitError`. Imports no other module of git/."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from openclaw_memory.errors import GitError

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
_HINTS = (
    ("dubious ownership", "run it as the owner, or: git config --global --add safe.directory {cwd}"),
    ("not a git repository", "run `git init` here, or call this inside the repository"),
    ("must be run in a work tree", "this repository is bare: call it in a clone or a linked worktree"),
    ("index file corrupt", "the index is damaged: move .git/index away and run `git reset`"),
    ("bad object", "the repository misses objects: run `git fsck`"),
    ("unknown revision", "fetch the missing history (CI: fetch-depth: 0), or check the name"),
)


def clean_env(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` without what ties it to a repository: for git calls on another one than the hook's."""
    return {key: value for key, value in environ.items() if key not in LOCAL_ENV}


def git_env(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` (GIT_INDEX_FILE and all) with what every reading call adds."""
    return {**environ, **_ALWAYS}


def start(args: Sequence[str], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A git process with pipes for input and output. Raises GitError where git cannot be started."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(["git", *args], cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise unstartable(error, cwd) from error


def run(
    args: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    data: bytes | None = None,
    ok: Sequence[int] = (0,),
) -> bytes:
    """Standard output of `git ARGS`, fed with `data`. Raises GitError on an exit code not in `ok`."""
    try:
        done = subprocess.run(["git", *args], cwd=cwd, env=env, input=data or b"", capture_output=True, check=False)
    except OSError as error:
        raise unstartable(error, cwd) from error
    if done.returncode not in ok:
        raise failure(args, done.returncode, done.stderr, cwd)
    return done.stdout


def unstartable(error: OSError, cwd: str) -> GitError:
    """Why git could not be started: absent, or the folder to start it in is."""
    if os.path.isdir(cwd):
        return GitError("git cannot be started: it is not on the PATH", "install git, or put it on the PATH")
    return GitError(f"{cwd}: {error.strerror or error}", "name a folder that exists")


def failure(args: Sequence[str], code: int, stderr: bytes, cwd: str) -> GitError:
    """A failed call as an error that shows git's own words and the way out where it is known."""
    said = os.fsdecode(stderr).strip()
    verb = next((arg for arg in args if not arg.startswith("-")), "")
    hint = next((hint for words, hint in _HINTS if words in said.lower()), "")
    first = said.splitlines()[0] if said else f"exit code {code}"
    return GitError(f"git {verb} failed in {cwd}: {first}", hint.format(cwd=cwd))
