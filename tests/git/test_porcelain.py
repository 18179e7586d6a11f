from pathlib import Path

import pytest

from openclaw_memory.errors import GitError
from openclaw_memory.git import porcelain

from .conftest import run_git


def test_init_once(tmp_path: Path) -> None:
    root = tmp_path / "new"
    assert porcelain.init(root) is True
    assert run_git(root, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    (root / "sub").mkdir()
    assert porcelain.init(root / "sub") is False


def test_commit_takes_the_named_paths_only(repo: Path) -> None:
    for name in ("a.md", "[x].md", "other.md"):
        (repo / name).write_text("1")
    run_git(repo, "add", "other.md")
    oid = porcelain.commit(repo, ["a.md", "[x].md", "never-there.md"], "first")
    assert oid == run_git(repo, "rev-parse", "HEAD").strip()
    assert run_git(repo, "ls-tree", "-r", "--name-only", "HEAD").split() == ["[x].md", "a.md"]
    assert run_git(repo, "diff", "--cached", "--name-only") == "other.md\n"
    assert porcelain.commit(repo, ["a.md"], "again") is None
    (repo / "a.md").unlink()
    assert porcelain.commit(repo, ["a.md"], "gone")
    assert [(entry.subject, entry.paths) for entry in porcelain.log(repo)] == [
        ("gone", ("a.md",)),
        ("first", ("[x].md", "a.md")),
    ]


def test_commit_below_the_top(repo: Path) -> None:
    (repo / "ws").mkdir()
    (repo / "ws/a.md").write_text("1")
    assert porcelain.commit(repo / "ws", ["a.md"], "x")
    assert run_git(repo, "ls-tree", "-r", "--name-only", "HEAD") == "ws/a.md\n"


def test_a_sha256_repository(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "a.md").write_text("1")
    assert porcelain.log(tmp_path) == []
    oid = porcelain.commit(tmp_path, ["a.md"], "first")
    assert oid and len(oid) == 64
    assert [entry.oid for entry in porcelain.log(tmp_path)] == [oid]


def test_a_refusing_hook_is_quoted(repo: Path) -> None:
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'MEMORY.md: OM101' >&2; exit 1\n")
    hook.chmod(0o755)
    (repo / "a.md").write_text("1")
    with pytest.raises(GitError, match="OM101"):
        porcelain.commit(repo, ["a.md"], "x")
    assert run_git(repo, "status", "--porcelain") == "?? a.md\n"  # as it was: git stash and checkout leave it alone
    hook.unlink()
    porcelain.commit(repo, ["a.md"], "x")
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    (repo / "b.md").write_text("1")
    (repo / "a.md").write_text("2")
    with pytest.raises(GitError):
        porcelain.commit(repo, ["a.md", "b.md"], "x")
    assert run_git(repo, "status", "--porcelain") == " M a.md\n?? b.md\n"


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not a git repository"):
        porcelain.commit(tmp_path, ["a.md"], "x")


def test_log_of_an_unborn_branch(repo: Path) -> None:
    assert porcelain.log(repo) == []
