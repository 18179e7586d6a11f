"""Random histories: whatever is added, edited, moved, staged in part, amended or merged, the hook's verdict is the
one of an oracle that judges the commit after it landed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_memory.git import rev6

from .oracle import git, verdict

NAMES = [f"memory/{letter}.md" for letter in "abcd"]
HOOK = """#!/bin/sh
'{python}' -P -m openclaw_memory hook {name} > '{said}' 2>&1
echo $? >> '{said}'
exit 0
"""
name = st.sampled_from(NAMES)
STEPS = st.one_of(
    st.tuples(st.just("write"), name, st.integers(0, 3)),
    st.tuples(st.just("remove"), name),
    st.tuples(st.just("rename"), name, name),
    st.tuples(st.just("chmod"), name),
    st.tuples(st.just("sync"), st.booleans()),
    st.tuples(st.just("line"), name),
    st.tuples(st.just("unline"), name),
    st.tuples(st.just("prose"), st.integers(0, 9)),
    st.tuples(st.just("drop index")),
    st.tuples(st.just("stage"), st.sampled_from(["-A", "MEMORY.md", *NAMES])),
    st.tuples(st.just("unstage"), st.sampled_from(["MEMORY.md", *NAMES])),
    st.tuples(
        st.just("commit"), st.sampled_from(["", "-a", "--amend", "-a --amend", "--only MEMORY.md", f"-i {NAMES[0]}"])
    ),
    st.tuples(st.just("good commit"), st.booleans()),
    st.tuples(st.just("branch")),
    st.tuples(st.just("merge"), st.sampled_from(["", "--squash", "--no-ff", "-X ours", "--no-commit"])),
)


class World:
    """A repository in which everything can go wrong, and the verdicts of its hooks."""

    def __init__(self, root: Path) -> None:
        self.root = root / "repo"
        self.said = root / "said"
        self.commits = 0
        git(root, "init", "-q", "--template=", str(self.root))
        hooks = self.root / ".git/hooks"
        hooks.mkdir()
        for hook in ("pre-commit", "pre-merge-commit"):
            (hooks / hook).write_text(HOOK.format(python=sys.executable, name=hook, said=self.said))
            (hooks / hook).chmod(0o755)
        (self.root / "memory").mkdir()
        (self.root / "README").write_text("r")
        self.run("add", "-A")
        self.run("commit", "-q", "-m", "root")

    def run(self, *args: str) -> bool:
        """Run git, which may refuse; a commit that a hook saw is compared with the oracle."""
        before = self.head()
        self.said.unlink(missing_ok=True)
        done = subprocess.run(["git", *args], cwd=self.root, capture_output=True, text=True, check=False)
        if self.said.exists() and self.head() != before:
            *words, code = self.said.read_text().splitlines()
            wrong = verdict(self.root)
            assert code == ("1" if wrong else "0"), (args, wrong, words)
            self.commits += 1
        return done.returncode == 0

    def head(self) -> str:
        done = subprocess.run(
            ["git", "rev-parse", "-q", "--verify", "HEAD"], cwd=self.root, capture_output=True, text=True
        )
        return done.stdout

    def step(self, verb: str, *args: object) -> None:
        getattr(self, verb.replace(" ", "_"))(*args)

    def write(self, path: str, value: int) -> None:
        (self.root / "memory").mkdir(exist_ok=True)
        (self.root / path).write_text(f"text {value}\n")

    def remove(self, path: str) -> None:
        (self.root / path).unlink(missing_ok=True)

    def rename(self, old: str, new: str) -> None:
        if (self.root / old).exists():
            (self.root / old).rename(self.root / new)

    def chmod(self, path: str) -> None:
        if (self.root / path).exists():
            (self.root / path).chmod(0o755)

    def sync(self, revs: bool) -> None:
        files = [path for path in NAMES if (self.root / path).exists()]
        self._index("\n".join(["# Index", "", *(self._line(path, revs) for path in files)]) + "\n")

    def _line(self, path: str, revs: bool) -> str:
        rev = f" <!-- rev: {rev6((self.root / path).read_bytes())} -->" if revs else ""
        return f"- [{path[7]}]({path}): about <!-- trigger: t{path[7]} -->{rev}"

    def _index(self, text: str) -> None:
        (self.root / "MEMORY.md").write_text(text)

    def _text(self) -> str:
        index = self.root / "MEMORY.md"
        return index.read_text() if index.exists() else "# Index\n\n"

    def line(self, path: str) -> None:
        if f"]({path})" not in self._text():
            self._index(self._text() + f"- [{path[7]}]({path}): about <!-- trigger: t{path[7]} -->\n")

    def unline(self, path: str) -> None:
        lines = [line for line in self._text().splitlines() if f"]({path})" not in line]
        self._index("\n".join(lines) + "\n")

    def prose(self, value: int) -> None:
        first, _, rest = self._text().partition("\n")
        self._index(f"# Index {value}\n{rest}" if first.startswith("# Index") else self._text())

    def drop_index(self) -> None:
        (self.root / "MEMORY.md").unlink(missing_ok=True)

    def stage(self, what: str) -> None:
        self.run("add", "-A", *([] if what == "-A" else ["--", what]))

    def unstage(self, what: str) -> None:
        self.run("reset", "-q", "--", what)

    def commit(self, words: str) -> None:
        self.run("commit", "-q", "-m", "x", *words.split())

    def good_commit(self, revs: bool) -> None:
        self.sync(revs)
        self.stage("-A")
        self.commit("")

    def branch(self) -> None:
        self.run("stash", "-q", "-u")
        here = git(self.root, "branch", "--show-current").strip()
        there = "side" if here == "main" else "main"
        self.run("checkout", "-q", there) or self.run("checkout", "-q", "-b", there)

    def merge(self, words: str) -> None:
        self.stage("-A")
        self.commit("")
        other = "side" if git(self.root, "branch", "--show-current").strip() == "main" else "main"
        if self.run("rev-parse", "-q", "--verify", other) and not self.run(
            "merge", "-q", "--no-edit", *words.split(), other
        ):
            self.run("checkout", "-q", "--ours", "--", ".")
            self.stage("-A")
            self.run("commit", "-q", "--no-edit")


def play(steps: list[tuple[object, ...]]) -> None:
    root = Path(tempfile.mkdtemp(prefix="histories-"))
    try:
        world = World(root)
        for verb, *args in steps:
            world.step(str(verb), *args)
        world.stage("-A")
        world.commit("")
    finally:
        shutil.rmtree(root)


SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


@settings(max_examples=6, deadline=None, suppress_health_check=SLOW, derandomize=True)
@given(st.lists(STEPS, min_size=4, max_size=14))
def test_verdicts(steps: list[tuple[object, ...]]) -> None:
    play(steps)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(st.lists(STEPS, min_size=6, max_size=30))
def test_verdicts_of_long_histories(steps: list[tuple[object, ...]]) -> None:
    play(steps)
