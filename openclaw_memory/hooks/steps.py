"""What an installer means to do, as values: a plan is a list of steps that can be shown (`--dry-run`) or applied.

Knows files and git config; what a hook is, it must not know.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from openclaw_memory import fsio
from openclaw_memory.errors import OpenClawMemoryError, WriteError
from openclaw_memory.hooks import repository

_TIME_LIMIT = 180  # seconds; a host's command line takes up to ten to start


class Step(Protocol):
    """One change: `describe` says it in one line, `apply` does it or raises WriteError or GitError."""

    def describe(self) -> str:
        """One line for a person."""

    def apply(self) -> None:
        """Do it."""


@dataclass(frozen=True)
class Write:
    """Write `data` to `path`, with its folder; `mode` (permission bits) only where it is not None."""

    path: Path
    data: bytes
    mode: int | None = None

    def describe(self) -> str:
        """One line for a person."""
        return f"write {self.path}"

    def apply(self) -> None:
        """Write durably, through symlinks to the file they name."""
        fsio.write(self.path, self.data)
        if self.mode is not None:
            try:
                self.path.chmod(self.mode)
            except OSError as error:
                raise WriteError(f"cannot make {self.path} executable: {error.strerror}", "check its owner") from error


@dataclass(frozen=True)
class Move:
    """Give `path` (a file or a symlink, with its mode) the name `to`, which nobody has."""

    path: Path
    to: Path

    def describe(self) -> str:
        """One line for a person."""
        return f"rename {self.path} to {self.to.name}"

    def apply(self) -> None:
        """Rename; a name that is taken meanwhile is an error."""
        fsio.move(self.path, self.to)


@dataclass(frozen=True)
class Remove:
    """Remove the file `path`, and the folders above it up to `within` that this leaves empty."""

    path: Path
    within: Path | None = None

    def describe(self) -> str:
        """One line for a person."""
        return f"remove {self.path}"

    def apply(self) -> None:
        """Remove; a file that is gone already is no error."""
        fsio.remove(self.path)
        folder = self.path.parent
        while self.within and folder != self.within and self.within in folder.parents:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent


@dataclass(frozen=True)
class GitConfig:
    """Set the repository's own `key` to `value`; None removes the whole section of `key`."""

    root: Path
    key: str
    value: str | None

    def describe(self) -> str:
        """One line for a person."""
        return f"set git config {self.key}" if self.value is not None else f"unset git config {self._section}"

    def apply(self) -> None:
        """Run `git config`. Raises GitError with git's words."""
        words = [self.key, self.value] if self.value is not None else ["--remove-section", self._section]
        repository.git(self.root, "config", "--local", *words)

    @property
    def _section(self) -> str:
        return self.key.rpartition(".")[0]


@dataclass(frozen=True)
class Run:
    """Run the command line of a host, the program `cli` called `name`, with `words`."""

    name: str
    cli: str
    words: tuple[str, ...]

    def describe(self) -> str:
        """One line for a person."""
        return f"run {self.name} {' '.join(self.words)}"

    def apply(self) -> None:
        """Run it without input. Raises OpenClawMemoryError with what it said when it fails."""
        try:
            done = subprocess.run(
                [self.cli, *self.words], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIME_LIMIT, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise OpenClawMemoryError(
                f"{self.describe()}: no answer within {_TIME_LIMIT} s", "run it by hand to see why"
            ) from error
        except OSError as error:
            raise OpenClawMemoryError(
                f"{self.describe()}: {error.strerror}", f"check the command {self.name}"
            ) from error
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise OpenClawMemoryError(f"{self.describe()} failed: {said[-500:]}", "run it by hand to see why")


@dataclass(frozen=True)
class Report:
    """What an installer of `host` did, or would do: its steps, and notes a person should read."""

    host: str
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The report as plain JSON types."""
        return {"host": self.host, "steps": [step.describe() for step in self.steps], "notes": list(self.notes)}


def carry_out(host: str, steps: Sequence[Step], notes: Sequence[str] = (), *, dry_run: bool = False) -> Report:
    """Apply the steps in order, unless `dry_run`. An error names the steps that were done before it."""
    done: list[str] = []
    for step in () if dry_run else steps:
        try:
            step.apply()
        except OpenClawMemoryError as error:
            error.hint = _with_done(error.hint, done)
            raise
        done.append(step.describe())
    return Report(host, tuple(steps), tuple(notes))


def _with_done(hint: str, done: list[str]) -> str:
    return f"{hint} (done before that: {'; '.join(done)}; run it again to finish)" if done else hint
