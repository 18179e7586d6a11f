from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.config import PROFILES, Config
from openclaw_memory.scaffold.doctor import boot, diagnose
from openclaw_memory.scaffold.initialise import initialise
from openclaw_memory.workspace import Workspace
from tests.conftest import Run
from tests.scaffold import wild


def made(root: Path, files: dict[str, str], profile: str = "openclaw") -> Workspace:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")
    return Workspace(root, Config(profile=profile))


def messages(ws: Workspace) -> str:
    return "\n".join(f"{problem.severity}: {problem.message}" for problem in diagnose(ws).problems)


def long_index(entries: int, width: int) -> str:
    rows = (f"- [p{i:03}](memory/people/p{i:03}.md): {'x' * width} <!-- trigger: p{i:03} -->\n" for i in range(entries))
    return "# Memory\n\n" + "".join(rows)


def test_files_come_in_the_order_of_the_host(tmp_path: Path) -> None:
    ws = made(tmp_path, {"MEMORY.md": "# M 🏠\n", "AGENTS.md": "rules\n", "TOOLS.md": "x"})
    files = {file.path: file for file in boot(ws)}
    assert list(files) == ["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md"]
    assert files["SOUL.md"].state == "absent"
    assert (files["MEMORY.md"].chars, files["MEMORY.md"].bytes, files["MEMORY.md"].loaded) == (7, 9, 7)
    older = boot(made(tmp_path, {}, "openclaw-2026.7"))
    assert [file.path for file in older if file.state == "loaded"] == ["AGENTS.md", "TOOLS.md", "MEMORY.md"]


@pytest.mark.parametrize(("profile", "cap"), [("openclaw", 20_000), ("openclaw-2026.4", 12_000)])
def test_the_middle_of_a_long_index_is_lost_and_its_entries_named(tmp_path: Path, profile: str, cap: int) -> None:
    ws = made(
        tmp_path, {"MEMORY.md": long_index(300, 40)} | {f"memory/people/p{i:03}.md": "x" for i in range(300)}, profile
    )
    file = boot(ws)[-1]
    assert (file.state, file.loaded) == ("cut", cap)
    lines = long_index(300, 40).splitlines(keepends=True)
    head, tail = "".join(lines[: file.first - 1]), "".join(lines[file.last :])
    assert len(head) <= cap * 0.75 < len(head) + len(lines[file.first - 1])
    assert len(tail) <= cap * 0.25 < len(tail) + len(lines[file.last - 1])
    assert len(file.lost) == file.last - file.first + 1
    assert file.lost[0] == f"memory/people/p{file.first - 3:03}.md"
    assert f"{len(file.lost)} entries lost: {file.lost[0]}" in messages(ws)


def test_earlier_files_starve_the_index(tmp_path: Path) -> None:
    ws = made(tmp_path, dict.fromkeys(("AGENTS.md", "SOUL.md", "IDENTITY.md"), "x" * 30000) | {"MEMORY.md": "# M\n"})
    assert [file.state for file in boot(ws)] == ["cut", "cut", "cut", "absent", "absent", "starved"]
    (tmp_path / "IDENTITY.md").write_text("x" * 19_000)
    (tmp_path / "MEMORY.md").write_text("# M\n" * 500)
    file = boot(ws)[-1]
    assert (file.state, file.loaded) == ("cut", 1_000)
    assert "earlier files use the rest of 60,000" in file.why


def test_the_user_file_has_a_cap_of_its_own(tmp_path: Path) -> None:
    assert boot(made(tmp_path, {"USER.md": "é" * 5_000}))[3].loaded == 4_000


def test_claude_cuts_by_lines_and_bytes(tmp_path: Path) -> None:
    ws = made(tmp_path, {"MEMORY.md": "- x\n" * 250, "CLAUDE.md": "x\n" * 900}, "claude")
    files = {file.path: file for file in boot(ws)}
    assert files["CLAUDE.md"].state == "loaded"
    assert (files["MEMORY.md"].first, files["MEMORY.md"].last) == (201, 250)


def test_a_fresh_workspace_is_in_order(tmp_path: Path, cli: Run) -> None:
    initialise(tmp_path)
    done = cli("doctor")
    assert done.returncode == 0, done.stdout
    assert "error" not in done.stdout
    assert "warn " not in done.stdout
    told = json.loads(cli("doctor", "--json").stdout)
    assert told["version"] == 1
    assert {"host", "files", "hooks", "problems", "tokens"} <= set(told)
    assert told["tokens"]["host"] == sum(file["tokens"] for file in told["files"])


def test_hooks_that_are_missing_or_bypassed_are_named(tmp_path: Path) -> None:
    initialise(tmp_path)
    (tmp_path / ".git/hooks/pre-commit").unlink()
    ws = Workspace(tmp_path)
    assert "error: the git hook pre-commit is missing" in messages(ws)
    initialise(tmp_path)
    subprocess.run(["git", "config", "core.hooksPath", "elsewhere"], cwd=tmp_path, check=True)
    assert "error: the git hook pre-commit is bypassed" in messages(ws)


def test_commits_past_the_hook_are_found(tmp_path: Path) -> None:
    initialise(tmp_path)
    (tmp_path / "memory/people/ana.md").write_text("# Ana\n")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    subprocess.run(["git", "commit", "-qm", "x", "--no-verify"], cwd=tmp_path, check=True)
    found = messages(Workspace(tmp_path))
    assert "1 of the last 20 commits break a rule" in found
    assert "OM104 orphan" in found


def test_what_the_host_does_with_names(tmp_path: Path) -> None:
    files = {"MEMORY.md": "# M\n<!-- openclaw-memory-promotion:k -->\n", "TOOLS.md": "x", "HEARTBEAT.md": "x"}
    found = messages(made(tmp_path, files))
    assert "does not read HEARTBEAT.md" in found
    assert "TOOLS.md is not loaded" in found
    assert "rewrites the index at night" in found
    assert "stops loading MEMORY.md, without a word" in found
    assert "not a git repository" in found or "no git repository" in found or "error:" in found
    older = messages(made(tmp_path, {}, "openclaw-2026.7"))
    assert "HEARTBEAT.md" not in older
    (tmp_path / "openclaw-memory.yaml").write_text("index: {path: memory/INDEX.md}\nmemory: {backend: qmd}\n")
    renamed = messages(Workspace(tmp_path))
    assert "does not load memory/INDEX.md" in renamed
    assert "`memory.backend` has no effect" in renamed


def test_a_workspace_without_an_index_or_with_an_unreadable_one(tmp_path: Path, cli: Run) -> None:
    ws = made(tmp_path, {"memory/people/ana.md": "# Ana\n"})
    assert "OM119" in messages(ws)
    (tmp_path / "MEMORY.md").write_bytes(b"\0" * 9)
    assert boot(ws)[-1].state == "unreadable"
    done = cli("doctor")
    assert done.returncode == 1
    assert "a bug" not in done.stderr
    assert cli("doctor", "--nonsense").returncode == 2


@settings(max_examples=60, deadline=None)
@given(wild.trees, st.sampled_from(sorted(PROFILES)))
def test_any_tree_gets_a_diagnosis(grown: dict[str, str], profile: str) -> None:
    with tempfile.TemporaryDirectory(dir=wild.FAST) as name:
        wild.grow(Path(name), grown)
        found = diagnose(Workspace(Path(name), Config(profile=profile)))
        assert json.loads(json.dumps(found.to_json()))["host"] == profile
        assert [file.path for file in found.files] == list(PROFILES[profile].files)


def host_state(root: Path, origin: str, content: bytes) -> Path:
    """An OpenClaw state folder whose record of MEMORY.md in `root` says `origin` for `content`."""
    database = root.parent / "host" / "state" / "openclaw.sqlite"
    database.parent.mkdir(parents=True)
    sha = [hashlib.sha256(data).hexdigest() for data in (str(root.resolve()).encode(), b"MEMORY.md", content)]
    value = {
        "version": 1,
        "workspaceKey": sha[0],
        "relativePath": "MEMORY.md",
        "fileHash": sha[2],
        "originClass": origin,
    }
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "CREATE TABLE plugin_state_entries (plugin_id TEXT NOT NULL, namespace TEXT NOT NULL,"
            " entry_key TEXT NOT NULL, value_json TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER,"
            " PRIMARY KEY (plugin_id, namespace, entry_key)) STRICT"
        )
        row = ("core:memory-artifact-provenance", "workspace-files", f"{sha[0]}:{sha[1]}", json.dumps(value), 0)
        connection.execute("INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?, ?, NULL)", row)
    return root.parent / "host"


@pytest.mark.parametrize(
    ("origin", "content", "said"),
    [
        ("untrusted", b"# M\n", "error: OpenClaw does not load MEMORY.md any more"),
        ("agent", b"# older\n", "warning: another program has written MEMORY.md since OpenClaw did"),
        ("agent", b"# M\n", "info: OpenClaw stops loading MEMORY.md, without a word"),
    ],
)
def test_the_hosts_own_record_of_the_index_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: str, content: bytes, said: str
) -> None:
    ws = made(tmp_path / "ws", {"MEMORY.md": "# M\n"})
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(host_state(ws.root, origin, content)))
    assert said in messages(ws)
    (tmp_path / "host/state/openclaw.sqlite").write_bytes(b"no database" * 99)
    assert "info: OpenClaw stops loading" in messages(ws)
