from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from openclaw_memory.config import Config
from openclaw_memory.errors import FormatError, UsageError, WorkspaceError, WriteError
from openclaw_memory.scaffold import manifest, template
from openclaw_memory.scaffold.initialise import initialise
from openclaw_memory.scaffold.upgrade import upgrade
from openclaw_memory.workspace import Workspace, undo
from tests.conftest import Run
from tests.scaffold import wild


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


def snapshot(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every byte and time of every file, git's own included."""
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


@pytest.mark.parametrize("layout", ["hierarchical", "para", "knowledge"])
def test_one_command_makes_a_workspace_and_a_second_changes_no_byte(tmp_path: Path, cli: Run, layout: str) -> None:
    root = tmp_path / "ws"
    first = cli("init", str(root), "--layout", layout)
    assert first.returncode == 0, first.stderr
    assert "note:" not in first.stdout
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "log", "--format=%s") == "Set up the memory workspace\n"
    assert set(git(root, "ls-files").split()) == {*template.render(Config(layout=layout)), manifest.FILE}
    assert (root / ".git/hooks/pre-commit").exists()
    before = snapshot(root)
    again = cli("init", str(root))
    assert (again.returncode, again.stdout) == (0, "nothing to change\n")
    assert {path: data for path, data in snapshot(root).items() if not path.endswith("lock")} == {
        path: data for path, data in before.items() if not path.endswith("lock")
    }


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    mine = {"MEMORY.md": b"# Mine\r\n", "SOUL.md": b"\xff", ".gitignore": b"", "memory/people/ana.md": b"# Ana"}
    for path, content in mine.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    setup = initialise(tmp_path)
    assert {path: (tmp_path / path).read_bytes() for path in mine} == mine
    assert setup.kept == (".gitignore", "MEMORY.md", "SOUL.md")
    assert not (tmp_path / "memory/open-questions.md").exists(), "it would not be in the index"
    assert (tmp_path / "AGENTS.md").exists()
    assert any("check --write-baseline" in note for note in setup.notes)
    assert not any("check --write-baseline" in note for note in initialise(tmp_path).notes)


def test_a_dry_run_writes_nothing(tmp_path: Path, cli: Run) -> None:
    done = cli("init", "ws", "--dry-run", cwd=tmp_path)
    assert "+++ MEMORY.md" in done.stdout
    assert list(tmp_path.iterdir()) == []
    assert json.loads(cli("init", "ws", "--dry-run", "--json").stdout)["layout"] == "hierarchical"


def test_it_works_in_a_folder_of_a_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("x")
    setup = initialise(tmp_path / "agent")
    assert setup.git == "found"
    assert setup.outcome.commit
    assert not (tmp_path / "agent/.git").exists()
    assert "code.py" in git(tmp_path, "status", "--porcelain")


def test_what_git_refuses_is_there_and_the_next_run_commits_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today\nexit 1\n")
    hook.chmod(0o755)
    setup = initialise(tmp_path)
    assert setup.outcome.commit is None
    assert "not today" in " ".join(setup.notes)
    assert (tmp_path / "MEMORY.md").exists()
    (hook.parent / "pre-commit.before-openclaw-memory").write_text("#!/bin/sh\n")
    assert initialise(tmp_path).outcome.commit
    assert git(tmp_path, "status", "--porcelain") == ""


def test_without_git_the_files_are_there(tmp_path: Path, cli: Run) -> None:
    done = cli("init", str(tmp_path / "a"), PATH="/nowhere")
    assert done.returncode == 0, done.stderr
    assert "git" in done.stdout.rpartition("note:")[2]
    assert (tmp_path / "a" / "MEMORY.md").exists()
    initialise(tmp_path / "b", use_git=False)
    assert not (tmp_path / "b/.git").exists()


def test_init_in_a_clone_installs_the_hooks_that_git_does_not_clone(tmp_path: Path, cli: Run) -> None:
    initialise(tmp_path / "one")
    git(tmp_path, "clone", "-q", "one", "two")
    assert cli("init", "two").stdout == "installed the git hooks\n"
    assert cli("init", "two").stdout == "nothing to change\n"
    assert git(tmp_path / "two", "status", "--porcelain") == ""


def test_init_after_adopting_adds_what_is_missing_in_the_folders_that_are_there(tmp_path: Path, cli: Run) -> None:
    before = wild.grow(tmp_path, wild.PORTUGUESE)
    assert cli("init", "--adopt").returncode == 0
    assert cli("init").returncode == 0
    assert {path: (tmp_path / path).read_bytes() for path in before} == before
    assert not (tmp_path / "memory/people").exists()
    assert not (tmp_path / "memory/pessoas/.gitkeep").exists()
    assert (tmp_path / "memory/companies/.gitkeep").exists()
    assert cli("init").stdout == "nothing to change\n"
    assert cli("check").returncode == 0


def test_init_is_only_taken_back_by_its_number_and_can_be_done_again(tmp_path: Path, cli: Run) -> None:
    initialise(tmp_path, use_git=False)
    before = template.render(Config())
    with pytest.raises(WorkspaceError, match="nothing to undo but `init`"):
        undo(Workspace(tmp_path))
    undo(Workspace(tmp_path), 1)
    assert [path.name for path in tmp_path.iterdir()] == [".openclaw-memory"]
    done = cli("undo", "2", "--workspace", str(tmp_path), cwd=tmp_path.parent)
    assert done.returncode == 0, done.stderr
    assert {path: (tmp_path / path).read_bytes() for path in before} == before


def test_what_was_deleted_stays_deleted(tmp_path: Path) -> None:
    initialise(tmp_path)
    (tmp_path / "SOUL.md").unlink()
    setup = initialise(tmp_path)
    assert setup.gone == ("SOUL.md",)
    assert not (tmp_path / "SOUL.md").exists()


def test_another_layout_is_refused(tmp_path: Path) -> None:
    initialise(tmp_path, "para")
    assert initialise(tmp_path).layout == "para"
    with pytest.raises(UsageError, match="has the layout para, not knowledge"):
        initialise(tmp_path, "knowledge")


def test_places_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError, match="is a file"):
        initialise(tmp_path / "file")
    with pytest.raises(WriteError):
        initialise(tmp_path / "file" / "below")


def test_git_own_folders_are_no_place(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "work")
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    for place in (tmp_path / "work/.git/x", tmp_path / "bare.git", tmp_path / "bare.git/x"):
        with pytest.raises(WorkspaceError, match="git's own folder"):
            initialise(place)
        assert not (place / "MEMORY.md").exists()


def test_what_git_ignores_is_said(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("SOUL.md\n")
    setup = initialise(tmp_path)
    assert setup.outcome.commit
    assert "git ignores 1 of the files" in " ".join(setup.notes)
    assert git(tmp_path, "status", "--porcelain") == "?? .gitignore\n"


def test_a_memory_that_git_ignores_is_not_committed_and_the_hook_says_why(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("memory/\n")
    setup = initialise(tmp_path)
    assert setup.outcome.commit is None
    assert "git add -f -- memory/open-questions.md" in " ".join(setup.notes)
    assert (tmp_path / "MEMORY.md").exists()


@pytest.mark.parametrize("name", ["new\nline", "emoji 🏠", "-dash", "ünï", " space "])
def test_odd_folder_names(tmp_path: Path, cli: Run, name: str) -> None:
    done = cli("init", "--", name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert git(tmp_path / name, "status", "--porcelain") == ""


def test_upgrade_follows_keeps_and_leaves_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    initialise(tmp_path)
    (tmp_path / "AGENTS.md").write_text("my own rules\n")
    (tmp_path / "SOUL.md").unlink()
    (tmp_path / "USER.md").write_bytes((tmp_path / "USER.md").read_bytes().replace(b"\n", b"\r\n"))
    render = template.render

    def newer(*args: object) -> dict[str, bytes]:
        files = render(*args)  # type: ignore[arg-type]
        news = {path: files[path] + b"news\n" for path in ("AGENTS.md", "SOUL.md", "USER.md", "HEARTBEAT.md")}
        return files | news | {"memory/new.txt": b"new\n"}

    monkeypatch.setattr(template, "render", newer)
    ws = Workspace(tmp_path)
    before = snapshot(tmp_path)
    assert upgrade(ws, dry_run=True).beside == ("AGENTS.md",)
    assert snapshot(tmp_path) == before

    done = upgrade(ws)
    assert done.followed == ("HEARTBEAT.md", "USER.md", "memory/new.txt")
    assert done.beside == ("AGENTS.md",)
    assert done.deleted == ("SOUL.md",)
    assert (tmp_path / "AGENTS.md").read_text() == "my own rules\n"
    assert (tmp_path / "AGENTS.md.new").read_bytes() == newer(Config())["AGENTS.md"]
    assert (tmp_path / "USER.md").read_bytes().endswith(b"news\n")
    assert not (tmp_path / "SOUL.md").exists()
    (tmp_path / "AGENTS.md.new").unlink()
    assert upgrade(ws).outcome.changes == ()
    assert not (tmp_path / "AGENTS.md.new").exists()
    undo(ws)
    assert (tmp_path / "HEARTBEAT.md").read_bytes() == render(Config())["HEARTBEAT.md"]


def test_upgrade_needs_a_workspace_of_ours(tmp_path: Path, cli: Run) -> None:
    (tmp_path / "MEMORY.md").write_text("# x\n")
    done = cli("upgrade")
    assert done.returncode == 2
    assert "was not made by `init`" in done.stderr
    (tmp_path / manifest.FILE).write_text("{")
    with pytest.raises(FormatError, match="damaged"):
        upgrade(Workspace(tmp_path))


def test_the_help_names_every_way(cli: Run) -> None:
    shown = cli("init", "--help").stdout
    assert all(word in shown for word in ("--adopt", "--layout", "--dry-run", "--no-git", "second run changes nothing"))
    assert cli("init", "--adpt").returncode == 2
    assert os.sep
