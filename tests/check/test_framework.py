"""Under the real pre-commit framework, which stands between git and the check and stashes what is not staged."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from .conftest import ROOT, Lab, codes

PRE_COMMIT = Path(sys.executable).with_name("pre-commit")
pytestmark = pytest.mark.skipif(not PRE_COMMIT.exists(), reason="the pre-commit framework is not installed")
LOCAL = """\
default_install_hook_types: [pre-commit, pre-merge-commit]
repos:
- repo: local
  hooks:
  - id: openclaw-memory
    name: openclaw-memory
    language: system
    entry: {python} -P -m openclaw_memory hook pre-commit
    always_run: true
    pass_filenames: false
"""


@pytest.fixture
def framed(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A repository whose only hook is the framework's, which runs ours."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{PRE_COMMIT.parent}:{os.environ['PATH']}")
    shutil.rmtree(lab.root / ".git/hooks")
    lab.base().write(".pre-commit-config.yaml", LOCAL.format(python=sys.executable)).land()
    assert lab.run("pre-commit", "install").returncode == 0
    return lab


def test_commits(framed: Lab) -> None:
    framed.append("memory/a.md", "1\n")
    assert codes(framed.commit("-am", "x")) == ["OM101"]
    framed.append("MEMORY.md", "words\n")
    assert framed.commit("-am", "x").returncode == 0
    framed.append("memory/a.md", "2\n").git("add", "-A")
    framed.append("MEMORY.md", "not staged\n")
    assert codes(framed.commit()) == ["OM101"]
    assert framed.read("MEMORY.md").endswith("not staged\n")


def test_deletion_alone(framed: Lab) -> None:
    framed.git("rm", "-q", "memory/a.md")
    assert codes(framed.commit()) == ["OM105", "OM101"]


def test_amend(framed: Lab) -> None:
    framed.append("memory/a.md", "1\n").append("MEMORY.md", "words\n")
    assert framed.commit("-am", "x").returncode == 0
    framed.append("memory/a.md", "2\n").git("add", "-A")
    assert framed.commit("--amend", "--no-edit").returncode == 0


def test_merge(framed: Lab) -> None:
    framed.git("checkout", "-q", "-b", "side")
    framed.write("memory/c.md", "c\n").land("index forgotten")
    framed.git("checkout", "-q", "main")
    framed.write("other.txt", "x").land()
    assert codes(framed.run("git", "merge", "-q", "--no-edit", "side")) == ["OM104"]


def test_what_we_offer_is_valid(tmp_path: Path) -> None:
    done = Lab(tmp_path).run(str(PRE_COMMIT), "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_from_a_checkout(framed: Lab, tmp_path: Path) -> None:
    """`repo:` installs us with pip into an environment of the framework's own; skipped where no index is reached."""
    source = Lab(tmp_path / "source").init()
    for name in ("openclaw_memory", "workspace_template", "hooks", "heartbeat", ".ci"):
        shutil.copytree(ROOT / name, source.root / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("pyproject.toml", "README.md", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, source.root / name)
    source.land()
    framed.append("memory/a.md", "1\n").git("add", "-A")
    done = framed.run("pre-commit", "try-repo", str(source.root), "openclaw-memory", PYTHONPATH="")
    if "CalledProcessError" in done.stdout + done.stderr:
        pytest.skip("pip cannot install the dependencies here")
    assert codes(done) == ["OM101"], done.stdout
