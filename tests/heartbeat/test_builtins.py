"""The tasks that ship, the user's own, and which of them run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.cli.commands import COMMANDS
from openclaw_memory.config import Config, trust
from openclaw_memory.config.model import HeartbeatConfig
from openclaw_memory.heartbeat import agenda, builtins
from openclaw_memory.heartbeat.grammar import parse
from openclaw_memory.heartbeat.phrases import read
from openclaw_memory.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    return Workspace(tmp_path, Config())


@pytest.mark.parametrize("builtin", builtins.shipped(), ids=lambda builtin: builtin.name)
def test_each_shipped_task_is_whole_and_its_line_reads_back(builtin: builtins.Builtin, ws: Workspace) -> None:
    assert builtin.runs[0] in COMMANDS and builtin.about and 0 < builtin.budget <= 300
    assert read(builtin.every).schedule == builtin.schedule and not read(builtin.every).contradictions
    (ws.root / "HEARTBEAT.md").write_text(f"{builtin.line}\n")
    (task,) = [task for task in agenda.load(ws).tasks if task.kind == "builtin"]
    assert (task.name, task.schedule, task.key) == (builtin.name, builtin.schedule, f"builtin/{builtin.name}")


def test_what_the_file_lists_is_what_runs(ws: Workspace) -> None:
    assert {task.name for task in agenda.load(ws).tasks} == {b.name for b in builtins.shipped() if b.on}
    (ws.root / "HEARTBEAT.md").write_text("- `openclaw-memory decay` (hourly)\n- mail\n")
    loaded = agenda.load(ws)
    assert [(task.name, str(task.schedule)) for task in loaded.tasks] == [("decay", "every 1 h"), ("mail", "each beat")]
    assert "check" in loaded.unlisted


def test_the_config_has_the_last_word(ws: Workspace) -> None:
    (ws.root / "HEARTBEAT.md").write_text("- `openclaw-memory decay` (hourly)\n")
    other = Workspace(ws.root, Config(heartbeat=HeartbeatConfig(builtins={"decay": False, "rotate": True})))
    assert {task.name: task.schedule.off for task in agenda.load(other).tasks} == {"decay": True, "rotate": False}


def test_a_line_that_only_speaks_of_a_command_is_a_prompt(ws: Workspace) -> None:
    (ws.root / "HEARTBEAT.md").write_text("- Run `openclaw-memory check` and tell me what it says (daily)\n")
    assert [task.kind for task in agenda.load(ws).tasks if task.path] == ["prompt"]


def test_a_built_in_that_does_not_exist_is_told(ws: Workspace) -> None:
    (ws.root / "HEARTBEAT.md").write_text("tasks:\n  - name: x\n    builtin: levitate\n")
    ((path, problem),) = agenda.load(ws).problems
    assert path == "HEARTBEAT.md" and "levitate" in problem.message and "decay" in problem.fix


def test_tasks_of_ones_own_are_verbs_prompts_or_trusted_commands(ws: Workspace) -> None:
    folder = ws.root / "heartbeat"
    folder.mkdir()
    (folder / "a.md").write_text("---\nname: mine\nevery: hourly\nruns: check\n---\n")
    (folder / "b.md").write_text("---\nevery: daily\n---\nLook at the garden.\n")
    (folder / "c.md").write_text("---\nevery: sometimes\nrun: true\n---\n")
    trust.allow(folder / "c.md", (folder / "c.md").read_bytes())
    loaded = agenda.load(ws)
    own = {task.name: (task.kind, str(task.schedule)) for task in loaded.tasks if task.path}
    assert own == {"mine": ("builtin", "every 1 h"), "b": ("prompt", "daily"), "c": ("command", "each beat")}
    assert [(path, problem.code) for path, problem in loaded.problems] == [("heartbeat/c.md", "OM401")]


def test_the_scaffolded_file_lists_every_built_in(cli: Callable[..., Any], tmp_path: Path) -> None:
    cli("init", "fresh")
    plan = parse((tmp_path / "fresh" / "HEARTBEAT.md").read_text())
    listed = [task.text.split("`")[1] for task in plan.tasks if task.text.startswith("`")]
    assert listed == [builtin.line.split("`")[1] for builtin in builtins.shipped()]
