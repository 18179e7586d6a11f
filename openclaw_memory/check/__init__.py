"""The rules, judged on a work tree, on what is staged, or on each commit of a range.

`worktree`, `staged` and `commits` give reports; findings are results, never exceptions. The rules themselves are
small functions over a `View` (index.py, commit.py, files.py), so that each is written once for every kind of tree.
Imports nothing above it; other families of rules are handed in (see `openclaw_memory.subject`).
"""

from openclaw_memory.check.engine import judge
from openclaw_memory.check.report import Report

__all__ = ["Report", "judge"]
