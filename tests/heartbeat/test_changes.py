"""What a command of the user's changes is in the beat's commit: all of it, with the index, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.config import Config, trust
from openclaw_memory.heartbeat import changes
from openclaw_memory.heartbeat.execute import Result
from openclaw_memory.workspace import Workspace

MONDAY = "2026-03-02T09:00"
TASK = "---\nname: mine\nevery: each beat\nrun: sh work.sh\n---\n"


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout


@pytest.fixture(params=["", "agents/ana"], ids=["the top", "below the top"])
def ws(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workspace with an indexed detail file, all committed, in a repository that has our hook."""
    top = tmp_path / "repo"
    root = top / request.param
    (root / "memory" / "projects").mkdir(parents=True)
    (root / "heartbeat").mkdir()
    (root / "memory" / "projects" / "bike.md").write_text("# Bike\n")
    (root / "MEMORY.md").write_text(
        "# Memory\n\n## Projects\n- [Bike](memory/projects/bike.md) <!-- trigger: bike -->\n"
    )
    (root / "openclaw-memory.yaml").write_text(
        "version: 1\ntimezone: UTC\nheartbeat:\n  builtins: {check: false, update: false}\n"
    )
    (root / "notes.txt").write_text("mine\n")
    (root / ".gitignore").write_text("*.tmp\n")
    (root / "heartbeat" / "mine.md").write_text(TASK)
    (root / "work.sh").write_text(":\n")
    (top / "outside.txt").write_text("outside\n")
    trust.allow(root / "heartbeat" / "mine.md", TASK.encode())
    git(tmp_path, "init", "-q", "repo")
    git(top, "add", ".")
    git(top, "commit", "-qm", "start")
    return root


@pytest.fixture
def beat(cli: Callable[..., Any], ws: Path) -> Callable[[str], dict[str, Any]]:
    """Run a beat whose command is this script."""
    cli("index", "sync", cwd=ws)
    cli("hooks", "install", "git", cwd=ws)
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "sync")

    def run(script: str) -> dict[str, Any]:
        (ws / "work.sh").write_text(f"{script}\n")
        if git(ws, "status", "--porcelain", "work.sh"):
            git(ws, "commit", "-qm", "script", "work.sh")
        done = cli("heartbeat", "run", "--json", "--now", MONDAY, cwd=ws)
        assert done.returncode in (0, 1), done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    return run


def committed(ws: Path) -> list[str]:
    """The paths of the last commit, from the workspace."""
    return sorted(git(ws, "show", "--format=", "--name-only", "--relative", "HEAD").split())


def test_what_it_changed_made_and_removed_is_one_commit_with_the_index(ws: Path, beat: Callable[..., Any]) -> None:
    before = (ws / "MEMORY.md").read_text()
    report = beat("echo more >> memory/projects/bike.md; echo new > new.txt; rm notes.txt; echo x > a.tmp")
    assert report["commit"] and report["notices"] == []
    assert committed(ws) == ["MEMORY.md", "memory/projects/bike.md", "new.txt", "notes.txt"]
    assert git(ws, "log", "-1", "--format=%s").strip() == "Heartbeat: mine"
    assert (ws / "MEMORY.md").read_text() != before  # the entry's rev
    assert git(ws, "status", "--porcelain") == ""


def test_work_of_the_user_that_was_there_before_stays_as_it_is(ws: Path, beat: Callable[..., Any]) -> None:
    (ws / "notes.txt").write_text("half done\n")
    (ws / "draft.txt").write_text("draft\n")
    (ws / "staged.txt").write_text("staged\n")
    git(ws, "add", "staged.txt")
    report = beat("echo more >> memory/projects/bike.md")
    assert report["commit"] and committed(ws) == ["MEMORY.md", "memory/projects/bike.md"]
    assert git(ws, "status", "--porcelain").split() == [
        *("M", f"{prefix(ws)}notes.txt", "A", f"{prefix(ws)}staged.txt", "??", f"{prefix(ws)}draft.txt")
    ]


def prefix(ws: Path) -> str:
    return git(ws, "rev-parse", "--show-prefix").strip()


def test_a_file_with_changes_of_the_users_is_left_and_told(ws: Path, beat: Callable[..., Any]) -> None:
    (ws / "notes.txt").write_text("half done\n")
    report = beat("echo more >> notes.txt; echo new > new.txt")
    assert committed(ws) == ["new.txt"]
    (notice,) = report["notices"]
    assert notice == "mine: not committed, for there were changes that are not its own before it ran: notes.txt"
    assert (ws / "notes.txt").read_text() == "half done\nmore\n"


def test_detail_files_wait_while_the_index_has_changes_of_the_users(ws: Path, beat: Callable[..., Any]) -> None:
    with (ws / "MEMORY.md").open("a") as index:
        index.write("\n## Preferences\n- half a sentence\n")
    report = beat("echo more >> memory/projects/bike.md; echo new > new.txt")
    assert committed(ws) == ["new.txt"] and "memory/projects/bike.md" in report["notices"][0]


def test_outside_the_workspace_nothing_is_taken(ws: Path, beat: Callable[..., Any]) -> None:
    top = Path(git(ws, "rev-parse", "--show-toplevel").strip())
    if top == ws:
        pytest.skip("nothing of the repository lies outside")
    report = beat(f"echo more >> {top}/outside.txt; echo new > new.txt")
    assert committed(ws) == ["new.txt"] and report["notices"] == []
    assert git(top, "status", "--porcelain").split() == ["M", "outside.txt"]


def test_what_a_failing_command_changed_is_kept_in_git_too(ws: Path, beat: Callable[..., Any]) -> None:
    report = beat("echo new > new.txt; exit 3")
    assert report["runs"][0]["status"] == "failed" and report["commit"] and committed(ws) == ["new.txt"]


def test_where_git_knows_nobody_the_commit_is_our_own(
    ws: Path, beat: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    beat(":")  # commits the script while git knows somebody
    git(ws, "config", "user.useConfigOnly", "true")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (ws / "heartbeat" / "mine.md").write_text(TASK.replace("sh work.sh", "echo new > new.txt"))
    trust.allow(ws / "heartbeat" / "mine.md", (ws / "heartbeat" / "mine.md").read_bytes())
    done = beat(":")
    assert done["commit"], done["notices"]
    assert git(ws, "log", "-1", "--format=%an").strip() == "openclaw-memory"


def test_a_command_that_changes_nothing_or_commits_by_itself_makes_no_commit(
    ws: Path, beat: Callable[..., Any]
) -> None:
    assert beat("cat notes.txt")["commit"] is None
    report = beat("echo new > new.txt; git add new.txt; git commit -qm own new.txt")
    assert report["commit"] is None and git(ws, "log", "-1", "--format=%s").strip() == "own"


def test_what_a_hook_refused_is_committed_by_the_beat_that_changes_it_again(ws: Path, beat: Callable[..., Any]) -> None:
    first = beat("printf '<<<<<<< a\\n=======\\n>>>>>>> b\\n' > memory/projects/bike.md")
    assert first["commit"] is None and "refused" in first["notices"][0]
    assert beat("echo '# Bike' > memory/projects/bike.md; echo new > new.txt")["commit"]
    assert git(ws, "status", "--porcelain") == ""


def test_without_a_repository_there_is_nothing_to_compare(tmp_path: Path) -> None:
    ws = Workspace(tmp_path, Config())
    assert changes.dirt(ws) is None
    assert changes.watched(ws, (), lambda: Result("ok", "said")) == Result("ok", "said")


def test_odd_names_and_inner_repositories(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    git(tmp_path, "init", "-q", "inner")
    (tmp_path / "inner" / "x").write_text("")
    names = ["ü \n\"'.md", "*.md", ":(top)x", "-x"]

    def work() -> Result:
        for name in names:
            (tmp_path / name).write_text("x")
        return Result("ok")

    assert sorted(changes.watched(Workspace(tmp_path, Config()), (), work).changed) == sorted(names)


def test_a_new_detail_file_is_committed_with_its_line_in_the_index(ws: Path, beat: Callable[..., Any]) -> None:
    report = beat("printf '%s\\n' '---' 'triggers: [garden]' '---' '# Garden' > memory/projects/garden.md")
    assert report["commit"], report["notices"]
    assert committed(ws) == ["MEMORY.md", "memory/projects/garden.md"]
    assert "memory/projects/garden.md" in (ws / "MEMORY.md").read_text()
