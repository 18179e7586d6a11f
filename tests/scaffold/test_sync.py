from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from openclaw_memory.errors import GitError, WorkspaceError
from openclaw_memory.scaffold.initialise import initialise
from openclaw_memory.scaffold.sync import sync
from openclaw_memory.workspace import Workspace
from tests.conftest import Run


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def machines(tmp_path: Path, cli: Run) -> tuple[Path, Path]:
    """Two clones of one workspace, hooks and merge driver installed in both."""
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "hub.git")
    one, two = tmp_path / "one", tmp_path / "two"
    initialise(one)
    git(one, "remote", "add", "origin", str(tmp_path / "hub.git"))
    git(one, "push", "-qu", "origin", "HEAD:main")
    git(tmp_path, "clone", "-q", "hub.git", "two")
    assert cli("hooks", "install", "git", cwd=two).returncode == 0
    return one, two


def add(cli: Run, root: Path, name: str) -> None:
    (root / f"memory/people/{name}.md").write_text(f"# {name.title()}\n")
    done = cli("index", "add", f"memory/people/{name}.md", "--trigger", name, "--commit", cwd=root)
    assert done.returncode == 0, done.stderr


def test_two_machines_that_added_entries_get_both(machines: tuple[Path, Path], cli: Run) -> None:
    one, two = machines
    add(cli, one, "ana")
    add(cli, two, "bob")
    assert cli("sync", "--dry-run", cwd=one).stdout == "origin/main: 0 commits would come, 1 would go\n"
    assert cli("sync", cwd=one).stdout == "origin/main: 0 commits came, 1 went\n"
    done = cli("sync", "--json", cwd=two)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert (told["pulled"], told["pushed"], told["findings"]) == (1, 2, [])
    assert sync(Workspace(one)).pulled == 2
    for root in machines:
        index = (root / "MEMORY.md").read_text()
        assert "memory/people/ana.md" in index
        assert "memory/people/bob.md" in index
        assert git(root, "status", "--porcelain") == ""
    assert git(one, "rev-parse", "HEAD") == git(two, "rev-parse", "HEAD")
    assert sync(Workspace(one))[1:3] == (0, 0)


def test_two_machines_that_added_facts_get_both_once_the_driver_is_there(machines: tuple[Path, Path], cli: Run) -> None:
    one, two = machines
    assert cli("entity", "new", "people/jane", "--commit", cwd=one).returncode == 0
    assert cli("fact", "add", "jane", "Lives in Porto", "--commit", cwd=one).returncode == 0
    assert cli("sync", cwd=one).returncode == cli("sync", cwd=two).returncode == 0
    assert cli("hooks", "uninstall", "git", cwd=two).returncode == 0
    assert git(two, "checkout", "-q", "HEAD", "--", ".gitattributes") == ""
    assert cli("fact", "add", "jane", "Has a dog", "--commit", cwd=one).returncode == 0
    assert cli("fact", "add", "jane", "Sings", "--commit", cwd=two).returncode == 0
    assert cli("sync", cwd=one).returncode == 0
    stopped = cli("sync", cwd=two)
    assert stopped.returncode == 2 and "openclaw-memory hooks install git" in stopped.stderr
    assert cli("hooks", "install", "git", cwd=two).returncode == 0
    assert cli("sync", cwd=two).returncode == 0
    facts = json.loads((two / "memory/people/jane/items.json").read_bytes())
    assert {row["fact"] for row in facts} == {"Lives in Porto", "Sings", "Has a dog"}
    assert len({row["id"] for row in facts}) == 3
    assert git(two, "status", "--porcelain") == ""


def test_what_waits_is_named_or_committed(machines: tuple[Path, Path], cli: Run) -> None:
    one, _ = machines
    (one / "memory/2026-03-01.md").write_text("# note\n")
    with pytest.raises(WorkspaceError, match=r"first memory/2026-03-01\.md"):
        sync(Workspace(one))
    done = sync(Workspace(one), commit=True)
    assert done.commit
    assert done.pushed == 1


def test_a_conflict_is_named_and_taken_back(machines: tuple[Path, Path]) -> None:
    one, two = machines
    for root, text in ((one, "mine"), (two, "yours")):
        (root / "SOUL.md").write_text(text)
        git(root, "commit", "-qam", text)
    sync(Workspace(one))
    before = git(two, "rev-parse", "HEAD")
    with pytest.raises(GitError, match=r"same lines of SOUL\.md; nothing was merged"):
        sync(Workspace(two))
    assert git(two, "rev-parse", "HEAD") == before
    assert git(two, "status", "--porcelain") == ""
    assert (two / "SOUL.md").read_text() == "yours"


def test_what_is_wrong_is_not_pushed(machines: tuple[Path, Path], cli: Run) -> None:
    one, _ = machines
    (one / "memory/people/orphan.md").write_text("# Orphan\n")
    git(one, "add", ".")
    git(one, "commit", "-qm", "x", "--no-verify")
    done = cli("sync", cwd=one)
    assert done.returncode == 1
    assert "OM104" in done.stdout
    assert done.stdout.endswith("not pushed\n")
    assert git(one, "rev-list", "--count", "origin/main..HEAD") == "1\n"


def test_without_a_remote_or_with_one_that_is_gone(tmp_path: Path, machines: tuple[Path, Path]) -> None:
    initialise(tmp_path / "alone")
    with pytest.raises(GitError, match="follows no branch"):
        sync(Workspace(tmp_path / "alone"))
    (tmp_path / "hub.git").rename(tmp_path / "gone.git")
    with pytest.raises(GitError):
        sync(Workspace(machines[0]))


def test_a_push_that_the_other_side_refuses(tmp_path: Path, machines: tuple[Path, Path], cli: Run) -> None:
    one, _ = machines
    add(cli, one, "ana")
    hook = tmp_path / "hub.git/hooks/pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitError, match="refuses the push"):
        sync(Workspace(one))
