"""Where workspaces are found, by names alone; and how the hook names them to who committed."""

from __future__ import annotations

import sys

import pytest

from openclaw_memory.check.places import inner, workspaces

from .conftest import Lab


@pytest.mark.parametrize(
    ("paths", "gone", "found"),
    [
        ([], [], []),
        (["src/x.py", "docs/MEMORY.md"], [], []),
        (["MEMORY.md", "memory/a.md"], [], [""]),
        (["MEMORY.md"], [], [""]),
        (["memory/a.md"], [], [""]),
        (["memory/a.txt"], [], []),
        (["a/MEMORY.md", "a/memory/x.md", "b/openclaw-memory.yaml"], [], ["a/", "b/"]),
        (["a/memory/x.md"], ["a/MEMORY.md"], ["a/"]),
        (["MEMORY.md", "memory"], [], [""]),
        (["MEMORY.md", "memory/old/MEMORY.md", "memory/old/memory/x.md"], [], [""]),
        (["MEMORY.md", "memory/x.md", "memory/in/openclaw-memory.yaml"], [], ["", "memory/in/"]),
        (["xMEMORY.md", "memoryx/a.md", "a/xopenclaw-memory.yaml"], [], []),
    ],
)
def test_workspaces(paths: list[str], gone: list[str], found: list[str]) -> None:
    assert workspaces(paths, gone) == found


def test_inner() -> None:
    assert inner("", ["", "a/", "b/c/"]) == ("a/", "b/c/")
    assert inner("a/", ["", "a/", "b/c/"]) == ()


def test_the_hook_speaks_from_where_commit_was_called(lab: Lab) -> None:
    lab.write("ws/memory/a.md", "a\n").write("ws/MEMORY.md", "- [A](memory/a.md): a <!-- trigger: a -->\n").land()
    lab.append("ws/memory/a.md", "more\n").git("add", "-A")
    inside = Lab(lab.root / "ws").commit()
    assert inside.stderr.startswith("memory/a.md:1: OM101")
    assert "fix: openclaw-memory check --staged --fix\n" in inside.stderr
    below = Lab(lab.root / "ws/memory").commit()
    assert below.stderr.startswith("../memory/a.md:1: OM101")
    assert "fix: openclaw-memory check --staged --fix --workspace ..\n" in below.stderr
    above = lab.commit()
    assert "fix: openclaw-memory check --staged --fix --workspace ws\n" in above.stderr


def test_names_of_hooks(lab: Lab) -> None:
    hook = (sys.executable, "-P", "-m", "openclaw_memory", "hook")
    done = lab.run(*hook, "pre-push")
    assert done.returncode == 2 and "pre-merge-commit" in done.stderr
    assert lab.run(*hook).returncode == 2
    assert lab.run(*hook, "--help").returncode == 0
    assert lab.run(*hook, "pre-commit", "whatever", "--else").returncode == 0
