from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from openclaw_memory.config import Config, parse
from openclaw_memory.errors import ConfigError, UsageError, WorkspaceError, WriteError
from openclaw_memory.workspace import Workspace, find_workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    root = tmp_path / "ws"
    (root / "memory" / "people").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    return Workspace(root)


def test_the_nearest_parent_is_taken(ws: Workspace, tmp_path: Path) -> None:
    assert find_workspace(cwd=ws.root / "memory" / "people").root == ws.root
    (ws.root / "memory" / "MEMORY.md").write_text("a second one")
    assert find_workspace(cwd=ws.root / "memory" / "people").root == ws.root
    inner = ws.root / "inner"
    inner.mkdir()
    (inner / "openclaw-memory.yaml").write_text("version: 1\n")
    assert find_workspace(cwd=inner).root == inner


def test_the_variable_comes_last_and_explicit_first(ws: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "memory").mkdir(parents=True)
    env = {"OPENCLAW_WORKSPACE_DIR": str(other)}
    assert find_workspace(cwd=tmp_path, env=env).root == other
    assert find_workspace(cwd=ws.root, env=env).root == ws.root
    assert find_workspace(other, cwd=ws.root, env=env).root == other


def test_no_workspace_says_how_to_get_one(tmp_path: Path) -> None:
    for call in (
        lambda: find_workspace(cwd=tmp_path, env={}),
        lambda: find_workspace(tmp_path, env={}),
        lambda: find_workspace(tmp_path / "absent", env={}),
        lambda: find_workspace(cwd=tmp_path, env={"OPENCLAW_WORKSPACE_DIR": str(tmp_path)}),
    ):
        with pytest.raises(WorkspaceError) as caught:
            call()
        assert "openclaw-memory init" in caught.value.hint


@pytest.mark.parametrize("rel", ["", "/etc/passwd", "../x", "memory/../../x", "~/x", "a\0b"])
def test_paths_that_escape_are_refused(ws: Workspace, rel: str) -> None:
    with pytest.raises(WorkspaceError):
        ws.path(rel)


def test_symlinks_inside_are_followed_and_outside_refused(ws: Workspace, tmp_path: Path) -> None:
    (ws.root / "in.md").symlink_to("MEMORY.md")
    (ws.root / "out.md").symlink_to(tmp_path / "secret.md")
    (ws.root / "memory" / "folder").symlink_to(tmp_path)
    assert ws.path("in.md").read_text() == "# Memory\n"
    for rel in ("out.md", "memory/folder/x.md"):
        with pytest.raises(WorkspaceError, match="leads out"):
            ws.path(rel)


def test_symlinks_are_followed_and_refused_alike_while_folders_are_remembered(ws: Workspace, tmp_path: Path) -> None:
    (ws.root / "in.md").symlink_to("MEMORY.md")
    (ws.root / "memory" / "inner").symlink_to("people")
    (ws.root / "out.md").symlink_to(tmp_path / "secret.md")
    (ws.root / "memory" / "folder").symlink_to(tmp_path)
    with ws.resolved():
        for _ in range(2):
            assert ws.path("in.md").read_text() == "# Memory\n"
            assert ws.path("memory//people/./new/x.md") == ws.root / "memory/people/new/x.md"
            assert ws.path("memory/inner/x.md") == ws.root / "memory/inner/x.md"
            for rel in ("out.md", "memory/folder", "memory/folder/x.md", "memory/folder/deep/x.md"):
                with pytest.raises(WorkspaceError, match="leads out"):
                    ws.path(rel)
    (ws.root / "memory" / "people").rename(ws.root / "memory" / "gone")
    (ws.root / "memory" / "people").symlink_to(tmp_path)
    with pytest.raises(WorkspaceError, match="leads out"):
        ws.path("memory/people/x.md")


def test_a_root_behind_a_symlink_is_one(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ws.root)
    linked = Workspace(tmp_path / "link")
    assert linked.path("memory/people/a.md").parent.is_dir()
    with linked.resolved():
        assert linked.path("memory/people/a.md").parent.is_dir()
    assert linked.rel(ws.root / "memory" / "people" / "a.md") == "memory/people/a.md"


def test_rel_takes_what_a_person_types(ws: Workspace) -> None:
    (ws.root / "memory/people/ana.md").write_text("x")
    inside = ws.root / "memory"
    assert ws.rel("people/ana.md", cwd=inside) == "memory/people/ana.md"
    assert ws.rel("memory/people/ana.md", cwd=inside) == "memory/people/ana.md"
    assert ws.rel("./memory//people/new.md", cwd=inside) == "memory/people/new.md"
    assert ws.rel(ws.root / "memory/people/ana.md") == "memory/people/ana.md"
    for outside in ("../x.md", "/etc/passwd", "."):
        with pytest.raises(WorkspaceError):
            ws.rel(outside, cwd=ws.root)


def test_detail_files_are_found_and_symlinks_and_pruned_folders_are_not(ws: Workspace) -> None:
    for rel in (
        "memory/people/ana.md",
        "memory/.dreams/x.md",
        "memory/2026-01-01.md",
        "memory/a\nb.md",
        "memory/x.md/y.md",
    ):
        (ws.root / rel).parent.mkdir(parents=True, exist_ok=True)
        (ws.root / rel).write_text("x")
    (ws.root / "memory" / "link.md").symlink_to("people/ana.md")
    (ws.root / "memory" / "loop").symlink_to(".")
    (ws.root / "memory" / b"\xff.md".decode("utf-8", "surrogateescape")).write_text("x")
    assert ws.detail_files() == ["memory/a\nb.md", "memory/people/ana.md", "memory/x.md/y.md", "memory/\udcff.md"]
    assert ws.daily_notes() == ["memory/2026-01-01.md"]


def test_an_included_file_in_a_pruned_folder_is_found(ws: Workspace) -> None:
    (ws.root / "memory/templates").mkdir()
    (ws.root / "memory/templates/kept.md").write_text("x")
    assert Workspace(ws.root).detail_files() == []
    assert Workspace(ws.root, Config(include=("memory/templates/kept.md",))).detail_files() == [
        "memory/templates/kept.md"
    ]


def test_ten_thousand_files_are_listed_quickly(ws: Workspace) -> None:
    for i in range(10_000):
        (ws.root / f"memory/people/{i}.md").touch()
    start = time.process_time()
    assert len(ws.detail_files()) == 10_000
    assert time.process_time() - start < 0.5


def test_the_zone_is_of_config_then_user_file_then_system(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Sao_Paulo")
    assert Workspace(ws.root).zone[1:] == ("America/Sao_Paulo", "system")
    (ws.root / "USER.md").write_text("# User\n\n- **Fuso horário:** Europe/Lisbon (inverno)\n")
    assert Workspace(ws.root).zone[1:] == ("Europe/Lisbon", "USER.md")
    assert Workspace(ws.root, Config(timezone="Asia/Tokyo")).zone[1:] == ("Asia/Tokyo", "config")
    with pytest.raises(ConfigError, match="Mars/Base"):
        _ = Workspace(ws.root, Config(timezone="Mars/Base")).zone


@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("- Timezone: UTC+2", 2),
        ("Zeitzone: Europe/Berlin", 1),
        ("时区：Asia/Shanghai", 8),
        ("| Time zone | x |\nTZ: GMT-03:30", -3.5),
        ("timezone: `Asia/Tokyo`", 9),
        ("Timezone: Nowhere/Land", 0),
        ("Timezone: ", 0),
    ],
)
def test_user_files_say_the_zone_in_many_ways(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch, line: str, hours: float
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    (ws.root / "USER.md").write_text(line)
    assert Workspace(ws.root).now("2026-01-15T12:00").utcoffset() == timedelta(hours=hours)


def test_now(ws: Workspace) -> None:
    there = Workspace(ws.root, Config(timezone="Asia/Tokyo"))
    assert there.now("2026-03-02T00:00Z").isoformat() == "2026-03-02T09:00:00+09:00"
    assert there.now("2026-03-02").isoformat() == "2026-03-02T00:00:00+09:00"
    assert abs(there.now() - datetime.now(UTC)) < timedelta(seconds=5)
    with pytest.raises(UsageError):
        there.now("yesterday")


def test_state_is_made_on_need_and_ignored(ws: Workspace) -> None:
    assert not ws.state_path.exists()
    assert (ws.state_dir / ".gitignore").read_text() == "*\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_workspace_says_so(ws: Workspace) -> None:
    ws.root.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="cannot make"):
            _ = ws.state_dir
    finally:
        ws.root.chmod(0o700)


def test_a_file_where_the_state_should_be_is_named(ws: Workspace) -> None:
    ws.state_path.write_text("x")
    with pytest.raises(WriteError, match="cannot make"):
        _ = ws.state_dir


def test_a_broken_config_stops_at_once(ws: Workspace) -> None:
    (ws.root / "openclaw-memory.yaml").write_text("layout: tree\n")
    with pytest.raises(ConfigError, match=r"openclaw-memory.yaml:1"):
        find_workspace(ws.root)
    assert parse(b"layout: para", "x").layout == "para"
