"""The exception tree. Every error a user can cause is an `OpenClawMemoryError`; imports nothing of ours."""

from __future__ import annotations


class OpenClawMemoryError(Exception):
    """Something the user can put right: `message` says what is wrong and where, `hint` what to do about it.

    `exit_code` is what the command line ends with: 2, "cannot judge or wrong use".
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class UsageError(OpenClawMemoryError):
    """A command was called with arguments that make no sense together."""


class WorkspaceError(OpenClawMemoryError):
    """No workspace here, or one whose files cannot be used (missing, a folder, unreadable, escaping the root)."""


class ConfigError(OpenClawMemoryError):
    """`openclaw-memory.yaml` cannot be read or holds an unknown or wrong key."""


class FormatError(OpenClawMemoryError):
    """A file is not in a form that can be edited without loss (unclosed fence, broken JSON, conflict markers)."""


class GitError(OpenClawMemoryError):
    """git is absent, failed, or its repository cannot be judged."""


class LockError(OpenClawMemoryError):
    """Another process holds the workspace's lock; names the holder where that is known."""


class WriteError(OpenClawMemoryError):
    """A write was refused or failed (read-only, full disk, shrink guard); the old bytes are still there."""


class RetrievalError(OpenClawMemoryError):
    """The search index cannot be used or made (another program's file, full disk, a folder that is gone)."""


class ModelError(OpenClawMemoryError):
    """A model, or the endpoint it is asked through, failed or gave no answer that can be used."""


class MissingExtraError(OpenClawMemoryError):
    """The feature needs an optional dependency; the hint is the command that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the optional extra [{extra}]",
            f"pip install 'openclaw-workspace-memory[{extra}]'",
        )
