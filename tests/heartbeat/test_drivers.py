"""What makes a host or system call the beat: exact, quoted right, installed once."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memory.config import Config, trust
from openclaw_memory.config.model import HeartbeatConfig
from openclaw_memory.errors import FormatError, OpenClawMemoryError, UsageError
from openclaw_memory.heartbeat import drivers, installing
from openclaw_memory.heartbeat.state import read_log
from openclaw_memory.heartbeat.status import status as beat_status
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


def as_cron_runs(line: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a crontab's command as cron(8) does: an unescaped percent sign ends it, sh, and hardly any environment."""
    command = line.split(" ", 5)[5]
    command = command.split(next(iter(re.findall(r"(?<!\\)%", command)), "\n"))[0].replace("\\%", "%")
    words = [
        "env",
        "-i",
        f"HOME={home}",
        "LOGNAME=kim",
        "SHELL=/bin/sh",
        "PATH=/usr/bin:/bin",
        "/bin/sh",
        "-c",
        command,
    ]
    return subprocess.run(words, cwd=home, capture_output=True, text=True, check=False)


def test_a_crontab_line_beats_as_cron_runs_it(
    ws: Workspace, clean_environment: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (ws.root / "MEMORY.md").write_text("# Memory\n")
    (ws.root / "openclaw-memory.yaml").write_text("version: 1\nprofile: none\nheartbeat: {builtins: {check: false}}\n")
    (ws.root / "HEARTBEAT.md").write_text("- mail\n")
    (ws.root / "heartbeat").mkdir()
    task = ws.root / "heartbeat" / "mine.md"
    task.write_text("---\nrun: echo beat >> beats.txt; command -v here >> beats.txt\n---\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    trust.allow(task, task.read_bytes())
    here = tmp_path / "tools" / "here"
    here.parent.mkdir()
    here.write_text("#!/bin/sh\n")
    here.chmod(0o755)
    monkeypatch.setenv("PATH", f"{here.parent}:/no/such/folder:{os.environ['PATH']}")
    line = drivers.export(Workspace(ws.root), "crontab").text
    for count in (1, 2):
        done = as_cron_runs(line, clean_environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert (ws.root / "beats.txt").read_text() == f"beat\n{here}\n" * count
    beats = read_log(ws, UTC, 5)
    assert [beat.number for beat in beats] == [2, 1]
    status = beat_status(Workspace(ws.root), datetime(2036, 3, 2, 9, tzinfo=UTC))
    assert [task.due for task in status.tasks if task.task.name == "mail"] == [True]  # nobody has heard of it yet


def test_a_crontab_takes_the_line(ws: Workspace, tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text(drivers.export(ws, "crontab").text + "\n")
    for flag in ("-n", "-T"):  # Debian's, cronie's
        try:
            said = subprocess.run(["crontab", flag, str(table)], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            pytest.skip("crontab is not here")
        if said.returncode == 0:
            return
        assert not re.search("bad|error", said.stderr), said.stderr
    pytest.skip("this crontab cannot check a file")


def test_a_long_path_is_cut_to_what_a_beat_needs(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders = [tmp_path / f"tools{number}" for number in range(40)]
    for folder in folders:
        folder.mkdir()
    git = shutil.which("git")
    assert git
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), str(Path(git).parent)]))
    text = drivers.export(ws, "crontab").text
    assert len(text) < 1000 and str(folders[0]) not in text and str(Path(git).parent) in text
    deep = tmp_path / "a" / ("b" * 200) / ("c" * 200) / ("d" * 200) / ("e" * 200)
    with pytest.raises(UsageError, match="takes no command of"):
        drivers.export(Workspace(deep, Config()), "crontab")


def test_a_name_with_a_line_break_cannot_add_to_a_timer(tmp_path: Path) -> None:
    odd = Workspace(tmp_path / "x\nExecStart=evil", Config())
    for driver in ("crontab", "systemd", "launchd"):
        with pytest.raises(UsageError, match="control character"):
            drivers.export(odd, driver)


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
    assert plist["StartInterval"] == 1800 and plist["WorkingDirectory"] == str(ws.root) and plist["RunAtLoad"] is True
    assert plist["EnvironmentVariables"]["PATH"]
    beat_of(plist["ProgramArguments"], ws)


def test_systemd_takes_the_units(ws: Workspace, tmp_path: Path) -> None:
    files = drivers.export(ws, "systemd").files
    for path, text in files:
        (tmp_path / path.name).write_text(text)
    service = next(text for path, text in files if path.suffix == ".service")
    assert "100%%" in service and "$$HOME" in service
    assert "100% " not in service
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


def test_a_crontab_that_cannot_be_listed_is_not_replaced(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(tmp_path, monkeypatch, "crontab", f'echo "$*" >> {tmp_path}/calls; echo "not allowed" >&2; exit 1')
    with pytest.raises(OpenClawMemoryError, match="not allowed"):
        installing.install(ws, drivers.export(ws, "crontab"))
    assert (tmp_path / "calls").read_text() == "-l\n"


def test_the_first_line_of_a_crontab(ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no = "echo 'no crontab for kim' >&2; exit 1"
    tool(tmp_path, monkeypatch, "crontab", f'if [ "$1" = -l ]; then {no}; else cat > {tmp_path}/table; fi')
    made = drivers.export(ws, "crontab")
    installing.install(ws, made)
    assert (tmp_path / "table").read_text() == f"{made.text}\n"


def test_a_launchd_agent_takes_the_place_of_the_one_before(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'echo "$1" >> {tmp_path}/calls; if [ "$1" = bootout ]; then echo "No such process" >&2; exit 3; fi'
    tool(tmp_path, monkeypatch, "launchctl", script)
    for _ in range(2):
        installing.install(ws, drivers.export(ws, "launchd"))
    assert (tmp_path / "calls").read_text().split() == ["bootout", "bootstrap"] * 2


def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> None:
    """A program of the system that does what the script says."""
    path = tmp_path / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")


def test_two_workspaces_of_one_name_do_not_share_a_job(tmp_path: Path) -> None:
    names = set()
    for place in ("a", "b"):
        (tmp_path / place / "ws").mkdir(parents=True)
        names.add(drivers.job_name(Workspace(tmp_path / place / "ws", Config())))
    assert len(names) == 2
