"""What makes a host or system call the beat: exact, quoted right, installed once."""

from __future__ import annotations

import json
import plistlib
import shlex
import subprocess
from pathlib import Path

import pytest

from openclaw_memory.config import Config
from openclaw_memory.config.model import HeartbeatConfig
from openclaw_memory.errors import FormatError, UsageError
from openclaw_memory.heartbeat import drivers, installing
from openclaw_memory.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """A workspace whose path needs quoting everywhere."""
    root = tmp_path / 'Kim\'s 100% "work" $HOME'
    root.mkdir()
    return Workspace(root, Config())


def beat_of(words: list[str], ws: Workspace) -> None:
    """The words end in a beat of this workspace."""
    at = words.index("heartbeat")
    assert words[at : at + 4] == ["heartbeat", "run", "--workspace", str(ws.root)]


def test_what_is_exported_runs_in_a_workspace_that_hides_modules(ws: Workspace) -> None:
    (ws.root / "MEMORY.md").write_text("# Memory\n")
    for name in ("argparse", "json", "openclaw_memory"):
        (ws.root / f"{name}.py").write_text("raise SystemExit(9)\n")
    words = [*drivers.program(), "heartbeat", "run", "--dry-run", "--workspace", str(ws.root)]
    assert not any("\n" in word for word in words)
    done = subprocess.run(words, cwd=ws.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_openclaw_cron_is_one_command_without_a_model_call(ws: Workspace) -> None:
    (command,) = drivers.export(ws, "openclaw-cron").commands
    options = dict(zip(command[3::2], command[4::2], strict=False))
    assert options["--every"] == "30m" and options["--command-cwd"] == str(ws.root) and "--no-deliver" in command
    beat_of(json.loads(options["--command-argv"]), ws)
    assert shlex.split(drivers.export(ws, "openclaw-cron").text) == list(command)


def test_older_openclaw_gets_its_heartbeat_set(ws: Workspace) -> None:
    commands = drivers.export(ws, "openclaw-heartbeat").commands
    values = {command[3]: json.loads(command[4]) for command in commands}
    assert values["agents.defaults.heartbeat.every"] == "30m"
    assert str(ws.root) in shlex.split(values["agents.defaults.heartbeat.prompt"].split("`")[1])


def test_a_crontab_line_survives_the_shell_and_percent_signs(ws: Workspace) -> None:
    line = drivers.export(ws, "crontab").text
    times, command = line[: len("*/30 * * * *")], line[len("*/30 * * * *") :]
    assert times == "*/30 * * * *" and "100\\%" in command
    beat_of(shlex.split(command.replace("\\%", "%").partition(" >/dev/null")[0]), ws)


@pytest.mark.parametrize(
    ("beat", "times"),
    [("5m", "*/5 * * * *"), ("1h", "0 * * * *"), ("6h", "0 */6 * * *"), ("1d", "0 0 * * *"), ("1m", "*/1 * * * *")],
)
def test_a_crontab_keeps_the_beat(ws: Workspace, beat: str, times: str) -> None:
    other = Workspace(ws.root, Config(heartbeat=HeartbeatConfig(beat=beat)))
    assert drivers.export(other, "crontab").text.startswith(times)


def test_a_beat_that_a_crontab_cannot_express_is_refused(ws: Workspace) -> None:
    with pytest.raises(UsageError, match="every 2700 s"):
        drivers.export(Workspace(ws.root, Config(heartbeat=HeartbeatConfig(beat="45m"))), "crontab")


def test_a_launchd_agent_is_a_property_list(ws: Workspace) -> None:
    ((_, text),) = drivers.export(ws, "launchd").files
    plist = plistlib.loads(text.encode())
    assert plist["StartInterval"] == 1800 and plist["WorkingDirectory"] == str(ws.root)
    beat_of(plist["ProgramArguments"], ws)


def test_systemd_takes_the_units(ws: Workspace, tmp_path: Path) -> None:
    files = drivers.export(ws, "systemd").files
    for path, text in files:
        (tmp_path / path.name).write_text(text)
    service = next(text for path, text in files if path.suffix == ".service")
    assert "100%%" in service and "$$HOME" in service
    try:
        said = subprocess.run(
            ["systemd-analyze", "verify", *(str(tmp_path / path.name) for path, _ in files)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        pytest.skip("systemd-analyze is not here")
    assert not any(path.name in said.stderr for path, _ in files), said.stderr


def test_claude_settings_are_merged_once(ws: Workspace) -> None:
    settings = ws.root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(
        '{"model": "x", "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}}'
    )
    made = drivers.export(ws, "claude")
    first = installing.install(ws, made)
    once = settings.read_text()
    assert installing.install(ws, made) == (f"{settings} is there already",) and settings.read_text() == once
    loaded = json.loads(once)
    assert first == (f"wrote {settings}",) and loaded["model"] == "x"
    assert [group["hooks"][0]["command"] == "mine" for group in loaded["hooks"]["SessionStart"]] == [True, False]


def test_claude_settings_that_cannot_be_read_are_left_alone(ws: Workspace) -> None:
    settings = ws.root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{broken")
    with pytest.raises(FormatError, match="cannot be read"):
        installing.install(ws, drivers.export(ws, "claude"))
    assert settings.read_text() == "{broken"


def test_a_dry_installation_writes_nothing(ws: Workspace) -> None:
    done = installing.install(ws, drivers.export(ws, "systemd"), dry_run=True)
    assert all(line.startswith("would ") for line in done)
    assert not any(path.exists() for path, _ in drivers.export(ws, "systemd").files)


def test_a_crontab_line_is_installed_once(ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crontab = tmp_path / "bin" / "crontab"
    crontab.parent.mkdir()
    table = tmp_path / "table"
    table.write_text("0 1 * * * mine\n")
    crontab.write_text(
        f'#!/bin/sh\nif [ "$1" = -l ]; then cat {table}; else cat > {table}.new; mv {table}.new {table}; fi\n'
    )
    crontab.chmod(0o755)
    monkeypatch.setenv("PATH", f"{crontab.parent}:/usr/bin:/bin")
    made = drivers.export(ws, "crontab")
    assert installing.install(ws, made)[0].startswith("added to the crontab")
    assert installing.install(ws, made) == ("the crontab has the line already",)
    assert table.read_text() == f"0 1 * * * mine\n{made.text}\n"


def test_two_workspaces_of_one_name_do_not_share_a_job(tmp_path: Path) -> None:
    names = set()
    for place in ("a", "b"):
        (tmp_path / place / "ws").mkdir(parents=True)
        names.add(drivers.job_name(Workspace(tmp_path / place / "ws", Config())))
    assert len(names) == 2
