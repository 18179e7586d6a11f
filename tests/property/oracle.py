"""The rule judged after the fact, on the commit that landed, by other means than the product's: one plain function."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

LINE = re.compile(r"- \[\w+\]\((memory/[\w.-]+\.md)\)(?:.*<!-- rev: ([0-9a-f]{6}) -->)?")


def git(root: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=root, capture_output=True, text=True, check=True).stdout


def is_detail(path: str) -> bool:
    return path.startswith("memory/") and path.endswith(".md")


def tree(root: Path, commit: str) -> dict[str, str]:
    """{path: blob id} of a commit."""
    rows = [row.split() for row in git(root, "ls-tree", "-r", commit).splitlines()]
    return {row[3]: row[2] for row in rows}


def verdict(root: Path, commit: str = "HEAD") -> list[str]:
    """What is wrong with `commit` against its first parent, [] when nothing is."""
    parents = git(root, "rev-list", "--parents", "-1", commit).split()[1:]
    now, before = tree(root, commit), tree(root, parents[0]) if parents else {}
    changed = {path for path in {*now, *before} if now.get(path) != before.get(path)}
    details = {path for path in changed if is_detail(path)}
    if not details and "MEMORY.md" not in changed:
        return []
    if "MEMORY.md" not in now and any(map(is_detail, now)):
        return ["no index"]
    entries = dict(LINE.findall(git(root, "show", f"{commit}:MEMORY.md"))) if "MEMORY.md" in now else {}
    wrong = [f"dangling {path}" for path in entries if path not in now]
    wrong += [f"unindexed {path}" for path in details if path in now and path not in entries]
    if len(parents) < 2:
        for path in sorted(details):
            rev = entries.get(path, "")
            if path in now and rev:
                wrong += [f"stale {path}"] if rev != now[path][:6] else []
            elif "MEMORY.md" not in changed and (path in now or path in entries or not any(entries.values())):
                wrong.append(f"co-change {path}")
    return wrong
