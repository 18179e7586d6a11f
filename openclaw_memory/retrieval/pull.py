"""`update --pull`: the workspace's repository, fast-forward only. Never a merge nobody asked for."""

from __future__ import annotations

from pathlib import Path

from openclaw_memory.errors import GitError


def pull(root: Path) -> None:
    """`git pull --ff-only` in `root`. Raises GitError with git's own words."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", "-C", str(root), "pull", "--ff-only", "--quiet"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed", "install git, or leave out --pull") from error
    if done.returncode:
        raise GitError(f"git pull failed: {done.stderr.strip()}", "put the repository right, then run it again")
