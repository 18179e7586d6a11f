import hashlib
from pathlib import Path

import pytest

from openclaw_memory.git import rev6
from openclaw_memory.git.revs import stored, worktree_revs

from .conftest import run_git


def test_rev_is_the_head_of_the_sha1_blob_id(repo: Path) -> None:
    (repo / "a.md").write_text("alpha\n")
    assert run_git(repo, "hash-object", "a.md").startswith(rev6(b"alpha\n"))
    assert rev6(b"") == hashlib.sha1(b"blob 0\0").hexdigest()[:6]


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_clean_changed_new_and_filtered_files(tmp_path: Path, form: str) -> None:
    repo = tmp_path / "r"
    run_git(tmp_path, "init", "-q", f"--object-format={form}", "r")
    (repo / ".gitattributes").write_text("*.md text\n")
    names = ["clean.md", "changed.md", "new.md", 'odd\n"name.md', '"quoted.md', "flagged.md"]
    for name in names:
        (repo / name).write_bytes(b"one\r\n")
    run_git(repo, "add", ".")
    run_git(repo, "rm", "-q", "--cached", "new.md")
    run_git(repo, "update-index", "--assume-unchanged", "flagged.md")
    for name in ("changed.md", 'odd\n"name.md', "flagged.md"):
        (repo / name).write_bytes(b"two\r\n")
    (repo / "link.md").symlink_to("clean.md")
    two = {"changed.md", 'odd\n"name.md', "flagged.md"}
    want = {name: rev6(b"two\n" if name in two else b"one\n") for name in names} | {"link.md": rev6(b"clean.md")}
    assert worktree_revs(repo, [*names, "link.md", "absent.md", ".git"]) == want


def test_below_the_top_and_outside_a_repository(repo: Path, tmp_path: Path) -> None:
    (repo / "ws").mkdir()
    (repo / "ws/a.md").write_text("a")
    assert worktree_revs(repo / "ws", ["a.md"]) == {"a.md": rev6(b"a")}
    (tmp_path / "b.md").write_bytes(b"b\r\n")
    assert worktree_revs(tmp_path, ["b.md", "absent.md"]) == {"b.md": rev6(b"b\r\n")}


def test_stored_is_what_git_would_keep(repo: Path) -> None:
    (repo / ".gitattributes").write_text("*.md text\n")
    assert stored(repo, "a.md", b"x\r\n") == b"x\n"
    assert stored(repo, "a.bin", b"x\r\n") == b"x\r\n"
    assert not list((repo / ".git/objects").rglob("??/*"))
