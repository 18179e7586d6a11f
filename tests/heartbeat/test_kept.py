"""The agenda that is kept: the same as one that is read, and never used for anything else than it was made of."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_memory.config import Config, trust
from openclaw_memory.config.model import HeartbeatConfig
from openclaw_memory.heartbeat import agenda, assembly, kept
from openclaw_memory.workspace import Workspace

FILE = """\
# Heartbeat
If nothing is due, reply HEARTBEAT_OK.
- Quiet hours: 23:00-08:00
## Mail (every 2 hours, 8-20h)
- inbox
- **Tidy (every 2nd heartbeat)** — dead links
- look around periodically
## Upkeep
- `openclaw-memory decay` (monthly on the 15th)
tasks:
  - name: a
    interval: 1h
    prompt: "caf\udce9"
"""
RUN = "---\nname: mine\nevery: daily\nrun: echo hi\n---\n"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "heartbeat").mkdir()
    (tmp_path / "heartbeat" / "mine.md").write_text(RUN)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "heartbeat-state.json").write_text('{"checkIntervals": {"inbox": 420}}')
    (tmp_path / "HEARTBEAT.md").write_bytes(FILE.encode("utf-8", "surrogateescape"))
    return Workspace(tmp_path, Config())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The inputs of every agenda that was read and not recalled."""
    calls: list[Any] = []

    def spy(inputs: kept.Inputs) -> agenda.Agenda:
        calls.append(inputs)
        return real(inputs)

    real = assembly.assemble
    monkeypatch.setattr(assembly, "assemble", spy)
    return calls


def cache() -> Path:
    (place,) = (Path.home() / ".cache" / "openclaw-memory").glob("beats-*")
    return place


def test_what_is_recalled_is_what_was_read(ws: Workspace, read: list[Any]) -> None:
    first = agenda.load(ws, keep=True)
    again = agenda.load(ws)
    assert first == again and len(read) == 1 and first.tasks and first.problems and first.plan.quiet
    assert type(again.tasks[0].schedule) is type(first.tasks[0].schedule)


def test_reading_verbs_keep_nothing(ws: Workspace, read: list[Any]) -> None:
    agenda.load(ws)
    assert not (Path.home() / ".cache").exists() and len(read) == 1


def change_file(ws: Workspace) -> Workspace:
    (ws.root / "HEARTBEAT.md").write_text(FILE.replace("2 hours", "3 hours").replace("\udce9", "e"))
    return ws


def change_state(ws: Workspace) -> Workspace:
    (ws.root / "memory" / "heartbeat-state.json").unlink()
    return ws


def change_task(ws: Workspace) -> Workspace:
    (ws.root / "heartbeat" / "mine.md").write_text("---\nname: mine\n---\nLook.\n")
    return ws


def add_task(ws: Workspace) -> Workspace:
    (ws.root / "heartbeat" / "other.md").write_text("Look at the garden.\n")
    return ws


def give_trust(ws: Workspace) -> Workspace:
    trust.allow(ws.root / "heartbeat" / "mine.md", RUN.encode())
    return ws


def change_config(ws: Workspace) -> Workspace:
    return Workspace(ws.root, Config(heartbeat=HeartbeatConfig(builtins={"update": True})))


@pytest.mark.parametrize("change", [change_file, change_state, change_task, add_task, give_trust, change_config])
def test_any_change_of_what_it_was_made_of_is_seen(
    ws: Workspace, read: list[Any], change: Callable[[Workspace], Workspace]
) -> None:
    before = agenda.load(ws, keep=True)
    after = agenda.load(change(ws))
    assert len(read) == 2 and after != before


def test_another_version_of_the_parser_reads_anew(
    ws: Workspace, read: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    agenda.load(ws, keep=True)
    monkeypatch.setattr(kept, "_versions", lambda *folders: iter([("grammar.py", 1, 1)]))
    agenda.load(ws)
    assert len(read) == 2


def test_trust_that_was_taken_back_is_seen(ws: Workspace) -> None:
    give_trust(ws)
    assert "mine" in [task.name for task in agenda.load(ws, keep=True).tasks]
    trust.forget(ws.root / "heartbeat" / "mine.md")
    assert "mine" not in [task.name for task in agenda.load(ws).tasks]


@pytest.mark.parametrize("broken", [b"", b"x", b"1\n2", b"\0" * 100, b"0\n", b"4294967296\n\xff"])
def test_a_broken_one_is_as_good_as_none(ws: Workspace, read: list[Any], broken: bytes) -> None:
    whole = agenda.load(ws, keep=True)
    cache().write_bytes(broken)
    assert agenda.load(ws) == whole and len(read) == 2
    agenda.load(ws, keep=True)
    torn = cache().read_bytes()[:-20]
    cache().write_bytes(torn)
    assert agenda.load(ws) == whole and len(read) == 4


def test_old_ones_go_and_young_ones_stay(ws: Workspace, read: list[Any]) -> None:
    agenda.load(ws, keep=True)
    mine = kept._place(ws.root)
    others = {name: mine.with_name(name) for name in ("beats-00000001", "beats-00000002", "notes.txt")}
    for number, other in enumerate(others.values()):
        other.write_bytes(b"of a workspace")
        days = 86400 * (10 if number == 1 else 40)
        os.utime(other, (other.stat().st_mtime - days,) * 2)
    (ws.root / "HEARTBEAT.md").write_text("# Heartbeat\n- other\n")
    agenda.load(ws, keep=True)
    assert mine.exists()
    assert [name for name, other in others.items() if other.exists()] == ["beats-00000002", "notes.txt"]


def test_that_of_another_workspace_is_not_taken(ws: Workspace, read: list[Any], tmp_path: Path) -> None:
    agenda.load(ws, keep=True)
    other = Workspace(tmp_path / "other", Config())
    (tmp_path / "other").mkdir()
    cache().rename(kept._place(other.root))
    assert agenda.load(other).tasks != agenda.load(ws).tasks and len(read) == 3


def test_where_nothing_can_be_kept_it_is_read_each_time(
    ws: Workspace, read: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert agenda.load(ws, keep=True) == agenda.load(ws, keep=True) and len(read) == 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.text(alphabet="-#*>|` \n:abtasks0123(every)日每h\r\ufeff", max_size=200), st.binary(max_size=40))
def test_any_file_is_recalled_as_it_was_read(ws: Workspace, text: str, state: bytes) -> None:
    (ws.root / "HEARTBEAT.md").write_bytes(text.encode())
    (ws.root / "memory" / "heartbeat-state.json").write_bytes(state)
    assert agenda.load(ws, keep=True) == agenda.load(ws)


def test_a_beat_with_nothing_due_imports_no_grammar(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "HEARTBEAT.md").write_text("- rest (monthly on the 15th)\n- `openclaw-memory decay` (yearly)\n")
    words = [sys.executable, "-X", "importtime", "-m", "openclaw_memory", "heartbeat", "run", "--now"]

    def beat(now: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*words, now], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=True)

    beat("2026-03-02T09:00")
    done = beat("2026-03-02T09:30")
    assert done.stdout == "NO_REPLY\n"
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "openclaw_memory.heartbeat.runner" in loaded
    for name in (
        "heartbeat.grammar",
        "heartbeat.lexer",
        "heartbeat.builtins",
        "heartbeat.execute",
        "markdown",
        "check",
    ):
        assert f"openclaw_memory.{name}" not in loaded, name
    assert loaded.isdisjoint({"json", "hashlib", "yaml", "subprocess", "dataclasses"})
