import os
from pathlib import Path

import pytest

from openclaw_memory.errors import GitError
from openclaw_memory.git import Repo, TooLarge

from .conftest import run_git


def commit_all(repo: Path, message: str = "x") -> str:
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "--allow-empty", "-m", message)
    return run_git(repo, "rev-parse", "HEAD").strip()


def test_staged_changes_are_those_of_the_index(repo: Path) -> None:
    (repo / "a b\n.md").write_text("a")
    commit_all(repo)
    (repo / "a b\n.md").rename(repo / "é.md")
    run_git(repo, "add", "-A")
    (repo / "late.md").write_text("not staged")
    found = Repo.find(repo)
    assert [(delta.status, delta.path) for delta in found.staged_changes("HEAD")] == [("D", "a b\n.md"), ("A", "é.md")]
    assert list(found.staged()) == ["é.md"]


def test_user_configuration_cannot_bend_the_list(repo: Path) -> None:
    (repo / "m").mkdir()
    (repo / "m/a.md").write_text("long enough to look like a rename\n")
    commit_all(repo)
    for pair in ("diff.renames copies", "diff.noprefix true", "diff.relative true", "core.quotePath true"):
        run_git(repo, "config", *pair.split())
    run_git(repo, "mv", "m/a.md", "m/ü.md")
    assert [delta.path for delta in Repo.find(repo / "m").staged_changes("HEAD")] == ["m/a.md", "m/ü.md"]


def test_mode_only_is_no_content(repo: Path) -> None:
    (repo / "a.md").write_text("a")
    commit_all(repo)
    (repo / "a.md").chmod(0o755)
    run_git(repo, "add", "-A")
    (delta,) = Repo.find(repo).staged_changes("HEAD")
    assert delta.status == "M" and not delta.content


def test_objects_through_filters_that_change_the_size(repo: Path) -> None:
    run_git(repo, "config", "filter.x.clean", "sed s/longer/l/")
    run_git(repo, "config", "filter.x.smudge", "sed s/l/longer/")
    (repo / ".gitattributes").write_text("*.md filter=x\n")
    (repo / "a.md").write_text("longer\nno end")
    (repo / "empty.md").write_text("")
    commit_all(repo)
    found = Repo.find(repo)
    staged = found.staged()
    with found.objects() as objects:
        assert objects.text(staged["a.md"].oid, "a.md") == b"longer\nno end"
        assert objects.text(staged["empty.md"].oid, "empty.md") == b""
        assert objects.raw(staged["a.md"].oid) == b"l\nno end"
        assert objects.peek("MERGE_HEAD") is None
        assert (objects.peek("HEAD") or b"").startswith(b"tree ")
        with pytest.raises(TooLarge):
            objects.raw(staged["a.md"].oid, limit=3)
        assert objects.raw(staged["a.md"].oid, limit=8) == b"l\nno end"
        with pytest.raises(GitError, match="missing"):
            objects.raw("1" * 40)


def test_required_filter_that_is_absent_is_an_error(repo: Path) -> None:
    (repo / "a.md").write_text("a")
    commit_all(repo)
    (repo / ".gitattributes").write_text("*.md filter=gone\n")
    run_git(repo, "config", "filter.gone.smudge", "no-such-program-at-all")
    run_git(repo, "config", "filter.gone.required", "true")
    found = Repo.find(repo)
    with found.objects() as objects, pytest.raises(GitError):
        objects.text(found.staged()["a.md"].oid, "a.md")


def test_the_hooks_environment_is_kept_for_its_own_repository_only(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "a.md").write_text("a")
    commit_all(repo)
    run_git(tmp_path, "init", "-q", "other")
    (repo / "ws").mkdir()
    monkeypatch.chdir(repo)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    assert list(Repo.find(repo / "ws").staged()) == []
    assert Repo.find(repo / "ws").prefix(repo / "ws") == "ws/"
    other = Repo.find(tmp_path / "other")
    assert other.top == os.path.realpath(tmp_path / "other")
    assert "GIT_INDEX_FILE" not in other.env


def test_not_a_repository_bare_and_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitError, match="in no git repository"):
        Repo.find(tmp_path)
    run_git(tmp_path, "init", "-q", "--bare", "b.git")
    with pytest.raises(GitError, match="work tree"):
        Repo.find(tmp_path / "b.git")
    with pytest.raises(GitError, match="No such file"):
        Repo.find(tmp_path / "absent")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="not on the PATH"):
        Repo.find(tmp_path)


def test_corrupt_index(repo: Path) -> None:
    (repo / "a.md").write_text("a")
    commit_all(repo)
    (repo / ".git/index").write_bytes(b"DIRC garbage")
    with pytest.raises(GitError):
        Repo.find(repo).staged()


def test_ignored_paths_come_with_the_rule(repo: Path) -> None:
    (repo / ".gitignore").write_text("memory/\n")
    asked = ["memory/a.md", "b.md", ":(top)x.md", "memory/[a].md"]
    assert Repo.find(repo).ignored(asked) == dict.fromkeys(["memory/a.md", "memory/[a].md"], ".gitignore:1: memory/")
    assert Repo.find(repo).ignored([]) == {}


def test_unmerged_paths_are_named(repo: Path) -> None:
    (repo / "a.md").write_text("a")
    commit_all(repo)
    for branch, text in (("one", "1"), ("two", "2")):
        run_git(repo, "checkout", "-q", "-b", branch, "main")
        (repo / "a.md").write_text(text)
        commit_all(repo)
    import subprocess

    assert subprocess.run(["git", "merge", "-q", "one"], cwd=repo, capture_output=True, check=False).returncode
    assert Repo.find(repo).staged().unmerged == ("a.md",)
