from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory import fsio
from openclaw_memory.errors import FormatError, GitError, WorkspaceError, WriteError
from openclaw_memory.workspace import Change, Workspace, operations, transact, undo

INDEX = b"# Memory\n\n" + b"".join(b"- [p%d](memory/people/p%d.md)\n" % (i, i) for i in range(30))


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    root = tmp_path / "ws"
    (root / "memory" / "people").mkdir(parents=True)
    (root / "MEMORY.md").write_bytes(INDEX)
    (root / "memory" / "people" / "ana.md").write_bytes(b"# Ana\r\n")
    return Workspace(root)


def files(ws: Workspace) -> dict[str, bytes]:
    found = (path for path in ws.root.rglob("*") if path.is_file() and ".openclaw-memory" not in path.parts)
    return {path.relative_to(ws.root).as_posix(): path.read_bytes() for path in found if ".git" not in path.parts}


def edit(ws: Workspace) -> list[Change]:
    """An edit, a new file in a new folder, a deletion that empties a folder, an append."""
    return [
        Change("MEMORY.md", INDEX, INDEX.replace(b"p3", b"q3")),
        Change("memory/books/dune.md", None, b"# Dune\n"),
        Change("memory/people/ana.md", b"# Ana\r\n", None),
    ]


def test_all_changes_are_made_and_undone_to_the_byte(ws: Workspace) -> None:
    before = files(ws)
    outcome = transact(ws, "test", lambda: edit(ws))
    after = files(ws)
    assert set(after) == {"MEMORY.md", "memory/books/dune.md"}
    assert outcome.operation == 1
    assert not (ws.root / "memory/people").exists(), "a folder that was emptied goes"

    taken = undo(ws)
    assert files(ws) == before
    assert not (ws.root / "memory/books").exists()
    undo(ws, taken.operation)
    assert files(ws) == after
    undo(ws)
    assert files(ws) == before
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        undo(ws)


def test_a_dry_run_writes_nothing_and_shows_the_diff(ws: Workspace) -> None:
    before = files(ws)
    outcome = transact(ws, "test", lambda: edit(ws), dry_run=True)
    assert files(ws) == before
    assert not ws.state_path.exists()
    assert "-- [p3](memory/people/p3.md)\n+- [q3](memory/people/q3.md)\n" in outcome.diff
    assert "--- /dev/null\n+++ memory/books/dune.md\n" in outcome.diff
    assert "-# Ana\r\n" in outcome.diff
    assert json.loads(json.dumps(outcome.to_json()))["dryRun"] is True


def test_the_diff_of_a_file_without_a_last_newline_says_so(ws: Workspace) -> None:
    outcome = transact(ws, "test", lambda: [Change("a.md", None, b"x\xe2\x80\xa8y")], dry_run=True)
    assert outcome.diff.endswith("+x\u2028y\n\\ No newline at end of file\n")


def test_nothing_to_do_leaves_no_trace(ws: Workspace) -> None:
    outcome = transact(ws, "test", lambda: [Change("MEMORY.md", INDEX, INDEX)])
    assert outcome == ((), None, None, False)
    assert operations.history(ws) == []


def test_an_append_keeps_no_copy_and_is_undone(ws: Workspace) -> None:
    transact(ws, "test", lambda: [Change("MEMORY.md", INDEX, INDEX + b"- more\n")])
    assert not (ws.state_path / "snapshots" / "000001").exists()
    undo(ws)
    assert files(ws)["MEMORY.md"] == INDEX


def test_undo_refuses_what_changed_since(ws: Workspace) -> None:
    transact(ws, "test", lambda: edit(ws))
    (ws.root / "memory/books/dune.md").write_text("mine")
    before = files(ws)
    with pytest.raises(FormatError, match=r"memory/books/dune.md has changed since operation 1"):
        undo(ws)
    assert files(ws) == before
    with pytest.raises(WorkspaceError, match="no operation 9"):
        undo(ws, 9)


@pytest.mark.parametrize("new", [b"", b" \n", INDEX[:200], None])
def test_an_index_that_shrinks_is_refused(ws: Workspace, new: bytes | None) -> None:
    with pytest.raises(WriteError, match="would shrink from 30 lines"):
        transact(ws, "test", lambda: [Change("MEMORY.md", INDEX, new)])
    assert files(ws)["MEMORY.md"] == INDEX
    transact(ws, "test", lambda: [Change("MEMORY.md", INDEX, new)], allow_shrink=True)
    undo(ws)
    assert files(ws)["MEMORY.md"] == INDEX


@pytest.mark.parametrize("rel", ["../x.md", "/tmp/x.md", "memory/out/x.md"])
def test_writes_that_escape_are_refused(ws: Workspace, tmp_path: Path, rel: str) -> None:
    (ws.root / "memory/out").symlink_to(tmp_path)
    with pytest.raises(WorkspaceError):
        transact(ws, "test", lambda: [Change(rel, None, b"x")])
    assert not (tmp_path / "x.md").exists()


def test_a_file_that_somebody_changed_meanwhile_is_kept(ws: Workspace) -> None:
    with pytest.raises(FormatError, match="meanwhile"):
        transact(ws, "test", lambda: [Change("MEMORY.md", b"old", b"new")])
    with pytest.raises(FormatError, match="meanwhile"):
        transact(ws, "test", lambda: [Change("MEMORY.md", None, b"new")])
    with pytest.raises(WriteError, match="is a folder"):
        transact(ws, "test", lambda: [Change("memory", None, b"new")])


def test_a_symlinked_index_inside_is_written_through(ws: Workspace) -> None:
    (ws.root / "MEMORY.md").rename(ws.root / "real.md")
    (ws.root / "MEMORY.md").symlink_to("real.md")
    transact(ws, "test", lambda: [Change("MEMORY.md", INDEX, INDEX + b"x")])
    assert (ws.root / "MEMORY.md").is_symlink()
    assert (ws.root / "real.md").read_bytes() == INDEX + b"x"


def test_two_changes_of_one_file_are_one(ws: Workspace) -> None:
    changes = [Change("MEMORY.md", INDEX, INDEX + b"a"), Change("MEMORY.md", INDEX + b"a", INDEX + b"ab")]
    assert transact(ws, "test", lambda: changes).changes == (Change("MEMORY.md", INDEX, INDEX + b"ab"),)


class Killed(BaseException):
    """Stands for a kill: nothing in the code may catch it."""


def kill_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the `step`-th change of a file on disk, or the moment after it, the last thing that happens."""
    left = [step]

    def doomed(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **keywords: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return real(*args, **keywords)

        return call

    for name in ("write", "remove"):
        monkeypatch.setattr(fsio, name, doomed(getattr(fsio, name)))


@pytest.mark.parametrize("step", range(12))
def test_killed_anywhere_the_next_run_has_all_or_nothing(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    before = files(ws)
    with monkeypatch.context() as patch:
        kill_at(step, patch)
        try:
            transact(ws, "test", lambda: edit(ws))
            survived = True
        except Killed:
            survived = False
    transact(ws, "next", lambda: [Change("other.md", None, b"x")])
    after = {name: data for name, data in files(ws).items() if name != "other.md"}
    assert after in (before, dict(files_after(before)))
    assert not survived or after != before
    assert not (ws.state_path / "pending.json").exists()
    assert all(operation.status in ("done", "rolled back") for operation in operations.history(ws))


def files_after(before: dict[str, bytes]) -> dict[str, bytes]:
    return {"MEMORY.md": before["MEMORY.md"].replace(b"p3", b"q3"), "memory/books/dune.md": b"# Dune\n"}


def test_what_was_edited_after_a_kill_is_kept(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        kill_at(5, patch)  # .gitignore, two copies, pending, index, then nothing
        with pytest.raises(Killed):
            transact(ws, "test", lambda: edit(ws))
    (ws.root / "MEMORY.md").write_bytes(INDEX + b"mine\n")
    transact(ws, "next", lambda: [Change("other.md", None, b"x")])
    assert files(ws)["MEMORY.md"] == INDEX + b"mine\n"
    assert files(ws)["memory/people/ana.md"] == b"# Ana\r\n"


def test_a_write_that_fails_half_way_is_taken_back(ws: Workspace) -> None:
    before = files(ws)
    changes = [*edit(ws), Change("MEMORY.md/x.md", None, b"x")]
    with pytest.raises(WriteError):
        transact(ws, "test", lambda: changes)
    assert files(ws) == before
    assert [operation.status for operation in operations.history(ws)] == ["rolled back"]
    with pytest.raises(WorkspaceError, match="nothing to undo"):
        undo(ws)


def test_old_snapshots_go(ws: Workspace) -> None:
    (ws.root / "openclaw-memory.yaml").write_text("snapshots: {keep: 3}\n")
    ws = Workspace(ws.root)
    for i in range(6):
        transact(ws, f"w{i}", lambda i=i: [Change("a.md", b"%d" % i if i else None, b"%d" % (i + 1))])  # type: ignore[misc]
    assert [operation.command for operation in operations.history(ws)] == ["w5", "w4", "w3"]
    assert {path.name for path in (ws.state_path / "snapshots").iterdir() if path.is_dir()} == {
        "000004",
        "000005",
        "000006",
    }


def test_the_old_bytes_of_many_files_are_kept_in_one(ws: Workspace) -> None:
    def rewritten() -> list[Change]:
        before = files(ws)
        return [Change(path, data, b"new " + data) for path, data in before.items()]

    for number in range(50):
        (ws.root / f"memory/{number}.md").write_bytes(b"%d\r\n\x00\xff" % number * number)
    before = files(ws)
    transact(ws, "test", rewritten)
    folder = ws.state_path / "snapshots" / "000001"
    assert [path.name for path in folder.iterdir()] == ["0"]
    undo(ws)
    assert files(ws) == before


def test_a_copy_that_was_cut_off_is_named_and_nothing_changes(ws: Workspace) -> None:
    transact(ws, "test", lambda: edit(ws))
    after = files(ws)
    (ws.state_path / "snapshots" / "000001" / "0").write_bytes(b"# Mem")
    with pytest.raises(FormatError, match=r"the kept copy of .* is damaged"):
        undo(ws)
    (ws.state_path / "snapshots" / "000001" / "0").unlink()
    with pytest.raises(FormatError, match=r"the kept copy of .* is damaged"):
        undo(ws)
    assert files(ws) == after


def test_a_damaged_record_is_named(ws: Workspace) -> None:
    transact(ws, "test", lambda: edit(ws))
    (ws.state_path / "snapshots" / "000001.json").write_text("{")
    with pytest.raises(FormatError, match=r"000001.json is damaged"):
        operations.history(ws)


def git(ws: Workspace, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=ws.root, check=True, capture_output=True, text=True).stdout


def test_one_commit_holds_exactly_the_changes(ws: Workspace) -> None:
    git(ws, "init", "-q")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "start")
    (ws.root / "unrelated.md").write_text("not mine")
    outcome = transact(ws, "test", lambda: edit(ws), commit=True, message="Move things")
    assert outcome.commit == git(ws, "rev-parse", "HEAD").strip()
    shown = git(ws, "show", "--name-status", "--no-renames", "--format=%s")
    assert shown.split("\n\n") == ["Move things", "M\tMEMORY.md\nA\tmemory/books/dune.md\nD\tmemory/people/ana.md\n"]
    assert operations.history(ws)[0].commit == outcome.commit
    assert "unrelated.md" in git(ws, "status", "--porcelain")


def test_a_commit_without_a_repository_is_refused_before_anything_is_written(ws: Workspace) -> None:
    before = files(ws)
    with pytest.raises(GitError):
        transact(ws, "test", lambda: edit(ws), commit=True)
    assert files(ws) == before


def test_a_commit_that_a_hook_refuses_leaves_the_changes_in_the_work_tree(ws: Workspace) -> None:
    git(ws, "init", "-q")
    hook = ws.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no such luck >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitError, match="no such luck"):
        transact(ws, "test", lambda: edit(ws), commit=True)
    assert files(ws) == files_after(files(ws) | {"MEMORY.md": INDEX})
    undo(ws)
    assert files(ws)["MEMORY.md"] == INDEX
