from __future__ import annotations

import json
import random
import re
import string
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
    assert "detail files also in 02-Areas, context" in adopt(tmp_path, use_git=False).assumed
    ws = Workspace(tmp_path)
    assert "02-Areas/health.md" in ws.detail_files()
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


def test_a_secret_and_half_a_merge_are_never_old_news(tmp_path: Path, cli: Run) -> None:
    key = "sk-" + "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=26))
    wild.grow(tmp_path, {"MEMORY.md": "# M\n\n- memory/a.md\n- memory/b.md\n", "memory/orphan.md": "# Orphan\n"})
    (tmp_path / "memory/a.md").write_text(f"the key is {key}\n")
    (tmp_path / "memory/b.md").write_text("<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> z\n")
    done = cli("init", "--adopt")
    assert "note: memory/a.md:1: OM601" in done.stdout and "note: memory/b.md:1: OM501" in done.stdout
    assert key not in done.stdout
    known = {row["code"] for row in json.loads((tmp_path / BASELINE).read_text())["findings"]}
    assert "OM104" in known and known.isdisjoint({"OM501", "OM601"})
    said = cli("check")
    assert said.returncode == 1 and "OM601" in said.stdout and "OM501" in said.stdout and "OM104" not in said.stdout
    rows = [{"code": code, "path": path, "message": message, "count": 9} for code, path, message in _told(said.stdout)]
    (tmp_path / BASELINE).write_text(json.dumps({"version": 1, "findings": rows}))
    assert cli("check", "--select", "OM501,OM601").stdout.count(": OM") == 2  # nor where a baseline claims to know them


def _told(said: str) -> list[tuple[str, str, str]]:
    found = re.findall(r"^(\S+?):\d+: (OM\d+) (?:warning: |info: )?(.*)$", said, re.MULTILINE)
    return [(code, path, message) for path, code, message in found]


def test_the_base_of_links_is_written_where_it_is_one(tmp_path: Path) -> None:
    index = "# M\n\n- [A](a.md) <!-- trigger: a -->\n- [D](projects/d.md) <!-- trigger: d -->\n"
    wild.grow(tmp_path, {"MEMORY.md": index, "memory/a.md": "a\n", "memory/projects/d.md": "d\n"})
    adoption = adopt(tmp_path, use_git=False)
    assert "links relative to memory" in adoption.assumed
    assert load(tmp_path).index.link_base == "memory"
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects/d.md").write_text("another\n")
    assert "OM107" not in {found.code for found in worktree(Workspace(tmp_path)).findings}
