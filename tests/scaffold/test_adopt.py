from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from openclaw_memory.check.worktree import worktree
from openclaw_memory.config import FILE, load
from openclaw_memory.errors import UsageError, WorkspaceError
from openclaw_memory.scaffold.adopt import adopt
from openclaw_memory.workspace import Workspace
from tests.conftest import Run
from tests.scaffold import wild

BASELINE = ".openclaw-memory-baseline.json"


def files(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.is_file())
    named = {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
    return {path: data for path, data in named.items() if not path.startswith((".git/", ".openclaw-memory/"))}


@pytest.mark.parametrize("grown", [wild.PORTUGUESE, wild.NUMBERED, wild.TWO_INDEXES, wild.PARA, wild.NO_INDEX])
def test_adopting_writes_config_and_baseline_and_nothing_else_and_check_is_clean(
    tmp_path: Path, cli: Run, grown: dict[str, str]
) -> None:
    before = wild.grow(tmp_path, grown)
    done = cli("init", "--adopt")
    assert done.returncode == 0, done.stderr
    after = files(tmp_path)
    assert set(after) - set(before) == {FILE, BASELINE}
    assert {path: after[path] for path in before} == before
    checked = cli("check")
    assert checked.returncode == 0, checked.stdout + checked.stderr

    again = cli("init", "--adopt")
    assert again.returncode == 0
    assert "nothing to change" in again.stdout
    assert files(tmp_path) == after


def test_what_was_found_is_said_and_written(tmp_path: Path) -> None:
    wild.grow(tmp_path, wild.PORTUGUESE)
    adoption = adopt(tmp_path, use_git=False)
    config = load(tmp_path)
    assert dict(config.kinds) == {"people": "memory/pessoas", "projects": "memory/projetos"}
    assert config.language == "pt"
    ws = Workspace(tmp_path)
    assert ws.layout.entity_of("memory/pessoas/ana.md") == "people/ana"
    assert "memory/2026-03-01-plano-da-loja.md" not in ws.detail_files()
    said = "\n".join(adoption.assumed)
    assert "entries: 4 in tables, 1 in Active Context" in said
    assert "people in memory/pessoas" in said
    assert "time zone America/Sao_Paulo (USER.md)" in said
    known = json.loads((tmp_path / BASELINE).read_text())["findings"]
    assert {(row["code"], row["path"]) for row in known} == {
        ("OM104", "memory/projetos/órfão.md"),
        ("OM105", "MEMORY.md"),
    }


def test_numbered_folders_outside_memory(tmp_path: Path) -> None:
    wild.grow(tmp_path, wild.NUMBERED)
    adopt(tmp_path, use_git=False)
    ws = Workspace(tmp_path)
    assert ws.layout.entity_of("02-Areas/People/kim.md") == "people/kim"
    assert "context/later.md" in ws.detail_files()
    assert "docs/unrelated.md" not in ws.detail_files()
    assert ws.daily_notes() == ["memory/journal/2026-01-01.md", "memory/journal/2026-01-02.md"]


def test_para_and_german(tmp_path: Path) -> None:
    wild.grow(tmp_path, wild.PARA)
    adopt(tmp_path, use_git=False)
    assert (load(tmp_path).layout, load(tmp_path).language) == ("para", "de")


def test_the_second_index_is_named(tmp_path: Path) -> None:
    wild.grow(tmp_path, wild.TWO_INDEXES)
    assert (
        "memory/MEMORY.md may be a second index; the host loads MEMORY.md" in adopt(tmp_path, use_git=False).setup.notes
    )


def test_a_wish_for_a_layout_overrules(tmp_path: Path) -> None:
    wild.grow(tmp_path, wild.PORTUGUESE)
    adopt(tmp_path, "knowledge", use_git=False)
    assert load(tmp_path).layout == "knowledge"
    with pytest.raises(UsageError):
        adopt(tmp_path, "para")


def test_nothing_to_adopt(tmp_path: Path, cli: Run) -> None:
    with pytest.raises(WorkspaceError, match="nothing to adopt"):
        adopt(tmp_path)
    assert cli("init", "--adopt", "absent").returncode == 2


def test_a_dry_run_writes_nothing(tmp_path: Path, cli: Run) -> None:
    before = wild.grow(tmp_path, wild.PORTUGUESE)
    shown = cli("init", "--adopt", "--dry-run")
    assert "+language: pt" in shown.stdout
    assert "assumed: people in memory/pessoas" in shown.stdout
    assert files(tmp_path) == before
    assert not (tmp_path / ".git").exists()


def test_odd_names_and_an_unreadable_index(tmp_path: Path, cli: Run) -> None:
    wild.grow(tmp_path, {"memory/people/a\nb.md": "x", "memory/people/🏠.md": "x", "memory/projects/p.md": "x"})
    (tmp_path / "MEMORY.md").write_bytes(b"\xff\xfe# M\n- [p](memory/projects/p.md)\n")
    done = cli("init", "--adopt")
    assert done.returncode == 0, done.stderr
    assert cli("check").returncode == 0
    (tmp_path / FILE).unlink()
    (tmp_path / "MEMORY.md").unlink()
    (tmp_path / "MEMORY.md").mkdir()
    done = cli("init", "--adopt")
    assert done.returncode in (0, 2)
    assert "a bug" not in done.stderr


def test_the_adopted_workspace_refuses_what_the_rule_forbids(tmp_path: Path, cli: Run) -> None:
    wild.grow(tmp_path, wild.PORTUGUESE)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    subprocess.run(["git", "commit", "-qm", "as it was"], cwd=tmp_path, check=True)
    assert cli("init", "--adopt").returncode == 0
    (tmp_path / "memory/pessoas/ana.md").write_text("# Ana\n\nmudou\n")
    refused = subprocess.run(["git", "commit", "-qam", "x"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "OM101" in refused.stdout + refused.stderr


@settings(max_examples=150, deadline=None)
@given(wild.trees)
def test_whatever_has_grown_is_adopted_clean_and_kept(grown: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory(dir=wild.FAST) as name:
        root = Path(name)
        before = wild.grow(root, grown)
        try:
            adopt(root, use_git=False)
        except WorkspaceError as error:
            assert "nothing to adopt" in error.message
            return
        after = files(root)
        assert {path: after[path] for path in before} == before
        assert set(after) - set(before) == {FILE, BASELINE}
        assert worktree(Workspace(root)).findings == ()
        assert adopt(root, use_git=False).setup.outcome.changes == ()
