"""Workspaces from nothing or from what has grown: `init`, `init --adopt`, `upgrade`, `migrate`, `doctor`, `sync`.

May use every part below the command line; nothing but the command line uses it.
"""
