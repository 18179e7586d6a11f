"""Hooks of git, Claude Code and OpenClaw: install, uninstall, status; and what the hooks of an agent's session print.

Edits what belongs to the hosts (hook scripts, settings), never a memory file. May use every layer below it.
"""

from openclaw_memory.hooks.git import install_git, uninstall_git
from openclaw_memory.hooks.steps import Report

__all__ = ["Report", "install_git", "uninstall_git"]
