"""Hooks of git, Claude Code and OpenClaw: install, uninstall, status; and what the hooks of an agent's session print.

Edits what belongs to the hosts (hook scripts, settings), never a memory file. May use every layer below it.
A name is imported when it is first used: a session hook must not pay for the installers.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.hooks.claude import claude_status, install_claude, uninstall_claude
    from openclaw_memory.hooks.git import install_git, uninstall_git
    from openclaw_memory.hooks.openclaw import install_openclaw, openclaw_status, uninstall_openclaw
    from openclaw_memory.hooks.states import HookState, git_status
    from openclaw_memory.hooks.steps import Report

_HOMES = {
    "claude": ("claude_status", "install_claude", "uninstall_claude"),
    "git": ("install_git", "uninstall_git"),
    "openclaw": ("install_openclaw", "openclaw_status", "uninstall_openclaw"),
    "states": ("HookState", "git_status"),
    "steps": ("Report",),
}

__all__ = [
    "HookState",
    "Report",
    "claude_status",
    "git_status",
    "install_claude",
    "install_git",
    "install_openclaw",
    "openclaw_status",
    "status",
    "uninstall_claude",
    "uninstall_git",
    "uninstall_openclaw",
]


def status(root: Path, merged: Sequence[str] = ()) -> list[HookState]:
    """Every hook of every host, for the workspace at `root`; `merged` as for `git_status`. Reads only."""
    from openclaw_memory.hooks.claude import claude_status
    from openclaw_memory.hooks.openclaw import openclaw_status
    from openclaw_memory.hooks.states import git_status

    return [*git_status(root, merged), *claude_status(root), *openclaw_status()]


def __getattr__(name: str) -> object:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
