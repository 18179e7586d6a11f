"""A repository with the product's hooks in it, and the words to make commits with."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory.git import rev6

ROOT = Path(__file__).resolve().parents[2]
HOOK = """#!/bin/sh
exec '{python}' -P -m openclaw_memory hook {name}
"""


class Lab:
    """A real repository. Files are written as text; `commit` runs git with the hooks and gives what it said."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *args: str, ok: bool = True, **env: str) -> str:
        done = self.run("git", *args, **env)
        assert not ok or done.returncode == 0, done.stderr
        return done.stdout

    def run(self, *args: str, input: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            args,
            cwd=self.root,
            env={**os.environ, **env},
            input=input,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )

    def init(self, *args: str) -> Lab:
        self.root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "--template=", *args)
        self.hook()
        return self

    def hook(self) -> None:
        hooks = self.root / self.git("rev-parse", "--git-path", "hooks").strip()
        hooks.mkdir(parents=True, exist_ok=True)
        for name in ("pre-commit", "pre-merge-commit"):
            (hooks / name).write_text(HOOK.format(python=sys.executable, name=name))
            (hooks / name).chmod(0o755)

    def write(self, path: str, text: str, **kept: str) -> Lab:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        return self

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode("utf-8", "surrogateescape")

    def append(self, path: str, text: str) -> Lab:
        return self.write(path, (self.read(path) if (self.root / path).exists() else "") + text)

    def base(self) -> Lab:
        """Two detail files with entries without revs, committed."""
        self.write("memory/a.md", "alpha\n").write("memory/b.md", "beta\n")
        self.write("MEMORY.md", "# Index\n\n- [A](memory/a.md): alpha\n- [B](memory/b.md): beta\n")
        return self.land("base")

    def base_with_revs(self) -> Lab:
        """The same with revs."""
        self.base()
        lines = [f"- [{n.upper()}](memory/{n}.md): {w} <!-- rev: {rev6((w + chr(10)).encode())} -->" for n, w in _WORDS]
        return self.write("MEMORY.md", "# Index\n\n" + "\n".join(lines) + "\n").land("revs")

    def land(self, message: str = "x") -> Lab:
        """Commit everything past the hooks."""
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message)
        return self

    def commit(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run("git", "commit", "-q", *(args or ("-m", "x")), **env)

    def check(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-P", "-m", "openclaw_memory", "check", *words, **env)


_WORDS = (("a", "alpha"), ("b", "beta"))


def codes(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The codes of what was printed, in order, each once."""
    return list(dict.fromkeys(re.findall(r"\bOM\d{3}\b", re.sub(r"fix: .*", "", done.stdout + done.stderr))))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An empty repository with the hooks."""
    return Lab(tmp_path / "repo").init()
