"""Kills a Python process at a system call of choice, by strace's fault injection."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# What changes files, or waits for them. A kill between two of these leaves the disk as a kill at the next one does.
_NAMES = (
    "write pwrite64 ftruncate fsync fdatasync flock rename renameat renameat2 unlink unlinkat link mkdir mkdirat rmdir "
    "fchmod fchown"
)
CHANGING = frozenset(_NAMES.split())
BEGIN = "the-part-under-test-begins"
_BEGIN_CODE = f"""
import os
def begin():
    try:
        os.unlink({BEGIN!r})
    except OSError:
        pass
"""


@functools.cache
def _broken() -> str:
    """Why strace cannot be used, "" when it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(["strace", "-qq", "-e", "inject=write:signal=KILL:when=1", "echo"], capture_output=True)
    return "" if done.returncode == -9 else f"strace cannot inject here: {done.stderr.decode()[:200]}"


Kills = Callable[..., Iterator[str]]


@pytest.fixture
def kills(tmp_path: Path) -> Kills:
    """`kills(code, cwd)` runs `code` again and again, each time killed at a later system call.

    It yields, after each kill, which call it was, from `begin()` in `code` on; with `every` each call has its turn,
    else those that change files or wait for them. `cwd` is as it was before each run; the last run is not killed.
    """
    if reason := _broken():
        pytest.skip(reason)

    def runs(code: str, cwd: Path, *, every: bool = False) -> Iterator[str]:
        words = [sys.executable, "-c", _BEGIN_CODE + code]
        pristine = tmp_path / "pristine"
        shutil.copytree(cwd, pristine, symlinks=True)
        calls = _calls(words, cwd, tmp_path / "trace")
        for name, number in calls:
            if every or name in CHANGING:
                shutil.rmtree(cwd)
                shutil.copytree(pristine, cwd, symlinks=True)
                if _killed(words, cwd, name, number):
                    yield f"{name} {number}"
        shutil.rmtree(cwd)
        shutil.copytree(pristine, cwd, symlinks=True)
        assert subprocess.run(words, cwd=cwd, capture_output=True).returncode == 0

    return runs


def _calls(words: list[str], cwd: Path, trace: Path) -> list[tuple[str, int]]:
    """The calls after `begin()`, each with its number among those of its name, as strace counts them."""
    subprocess.run(["strace", "-qq", "-o", str(trace), *words], cwd=cwd, capture_output=True, check=True)
    counts: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    begun = False
    for line in trace.read_text(errors="replace").splitlines():
        if match := re.match(r"(\w+)\(", line):
            counts[match[1]] += 1
            if begun:
                found.append((match[1], counts[match[1]]))
            begun = begun or BEGIN in line
    return found


def _killed(words: list[str], cwd: Path, name: str, number: int) -> bool:
    inject = ["-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}"]
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", *inject, *words], cwd=cwd, capture_output=True)
    assert done.returncode in (0, -9, 137), done.stderr.decode()
    return done.returncode != 0
