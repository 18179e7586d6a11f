"""What calls the beat: for each host or system the exact command or file, installed where that is asked for.

A driver only ever calls `heartbeat run`, which decides what is due. Pure but for `install` and a look at PATH.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from openclaw_memory import fsio
from openclaw_memory.config import seconds
from openclaw_memory.errors import FormatError, OpenClawMemoryError, UsageError
from openclaw_memory.heartbeat.model import slug
from openclaw_memory.workspace import Workspace

CRON_NAME = "openclaw-memory-beat"
_HOSTS_LIMIT = 120  # seconds; a host's command line takes up to ten to start


class Export(NamedTuple):
    """A driver made ready. `files` are to be written (absolute path: text), `commands` to be run, in this order.

    `text` is what is printed: commands and files as one would paste them. `merge`: the file is JSON that others share.
    """

    driver: str
    text: str
    files: tuple[tuple[Path, str], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    merge: bool = False

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            "driver": self.driver,
            "files": [{"path": str(path), "text": text} for path, text in self.files],
            "commands": [list(command) for command in self.commands],
            "text": self.text,
        }


def export(ws: Workspace, driver: str) -> Export:
    """The driver named, for this workspace. Raises UsageError for one that does not exist or cannot keep the beat."""
    if driver not in DRIVERS:
        raise UsageError(f"there is no driver {driver!r}", f"one of: {', '.join(sorted(DRIVERS))}")
    return DRIVERS[driver](ws)


def install(ws: Workspace, made: Export, *, dry_run: bool = False) -> tuple[str, ...]:
    """Write the files and run the commands; one line for each thing done. What is there already is not done again.

    Raises OpenClawMemoryError where a command fails.
    """
    if made.driver == "crontab":
        return _install_crontab(ws, made.text, dry_run)
    done = [_write(path, text, made.merge, dry_run) for path, text in made.files]
    for command in made.commands:
        if made.driver == "openclaw-cron" and not dry_run:
            _forget_openclaw_job(command[0], job_name(ws))
        done.append(f"{'would run' if dry_run else 'ran'} {shlex.join(command)}")
        if not dry_run:
            _call(command)
    return tuple(done)


def remove_openclaw_job(ws: Workspace) -> tuple[str, ...]:
    """Take the cron job of this workspace away again; one line where there was one. Raises as `install` does."""
    gone = _forget_openclaw_job(_openclaw(), job_name(ws))
    return (f"removed the cron job {job_name(ws)}",) if gone else ()


def program() -> list[str]:
    """The words that start this program from anywhere: its script, else its interpreter with the module."""
    script = Path(sys.executable).with_name("openclaw-memory")
    if script.is_file():
        return [str(script)]
    home = Path(__file__).resolve().parents[2]
    module = [sys.executable, "-m", "openclaw_memory"]
    return module if home.name == "site-packages" else ["env", f"PYTHONPATH={home}", *module]


def job_name(ws: Workspace) -> str:
    """The name of this workspace's job, the same each time: two workspaces of one name do not collide."""
    digest = hashlib.sha256(os.fsencode(str(ws.root))).hexdigest()[:6]
    return f"{CRON_NAME}-{slug(ws.root.name)}-{digest}"


def _beat(ws: Workspace, *more: str) -> list[str]:
    return [*program(), "heartbeat", "run", "--workspace", str(ws.root), *more]


def _every(ws: Workspace) -> int:
    return max(1, round(seconds(ws.config.heartbeat.beat)))


# The drivers.


def _openclaw_cron(ws: Workspace) -> Export:
    """OpenClaw 2026.8 and later: a cron job that runs a command. No model is called unless a prompt is due."""
    command = (
        _openclaw(), "cron", "add", "--name", job_name(ws), "--every", f"{_every(ws) // 60 or 1}m",
        "--command-argv", json.dumps(_beat(ws, "--hand-to", "openclaw")), "--command-cwd", str(ws.root),
        "--timeout-seconds", "600", "--no-deliver", "--json",
    )  # fmt: skip
    return Export("openclaw-cron", shlex.join(command), commands=(command,))


def _openclaw_heartbeat(ws: Workspace) -> Export:
    """OpenClaw up to 2026.7: its own heartbeat asks the model each beat, which then runs ours."""
    ask = "do what it prints, nothing else. If it prints HEARTBEAT_OK, answer HEARTBEAT_OK."
    prompt = f"Run `{shlex.join(_beat(ws))}` and {ask}"
    wanted = {"every": f"{_every(ws) // 60 or 1}m", "target": "none", "prompt": prompt}
    pairs = [(f"agents.defaults.heartbeat.{key}", json.dumps(value)) for key, value in wanted.items()]
    commands = tuple((_openclaw(), "config", "set", key, value, "--strict-json") for key, value in pairs)
    return Export("openclaw-heartbeat", "\n".join(map(shlex.join, commands)), commands=commands)


def _claude(ws: Workspace) -> Export:
    """Claude Code: a beat at each session start, whose due prompts become context. Between sessions use a timer."""
    command = shlex.join(_beat(ws)) + " || true"
    entry = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command, "timeout": 60}]}]}}
    text = json.dumps(entry, indent=2, ensure_ascii=False) + "\n"
    return Export("claude", text.rstrip(), files=((ws.root / ".claude" / "settings.json", text),), merge=True)


def _systemd(ws: Workspace) -> Export:
    """A systemd user timer; the first beat comes two minutes after the machine starts."""
    name, folder = job_name(ws), _config_home() / "systemd" / "user"
    words = " ".join(_systemd_word(word) for word in _beat(ws, *_hand(ws)))
    service = (
        f"[Unit]\nDescription=Beat of {ws.root.name}\n\n[Service]\nType=oneshot\n"
        f"WorkingDirectory={_percent(str(ws.root))}\n"
        f"Environment={_systemd_word('PATH=' + os.environ.get('PATH', ''))}\nExecStart={words}\nSuccessExitStatus=1\n"
    )
    timer = (
        f"[Unit]\nDescription=Beat of {ws.root.name}\n\n[Timer]\nOnBootSec=2min\nOnUnitActiveSec={_every(ws)}s\n"
        "AccuracySec=5s\n\n[Install]\nWantedBy=timers.target\n"
    )
    files = ((folder / f"{name}.service", service), (folder / f"{name}.timer", timer))
    commands = (
        ("systemctl", "--user", "daemon-reload"),
        ("systemctl", "--user", "enable", "--now", f"{name}.timer"),
    )
    return Export("systemd", _shown(files, commands), files, commands)


def _launchd(ws: Workspace) -> Export:
    """A launchd agent (macOS)."""
    label = f"org.openclaw-memory.{job_name(ws)}"
    path = Path.home() / "Library" / "LaunchAgents" / f"{label}.plist"
    words = "".join(f"\n    <string>{html.escape(word)}</string>" for word in _beat(ws, *_hand(ws)))
    plist = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{html.escape(label)}</string>
  <key>ProgramArguments</key>
  <array>{words}
  </array>
  <key>WorkingDirectory</key>
  <string>{html.escape(str(ws.root))}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>{html.escape(os.environ.get("PATH", ""))}</string>
  </dict>
  <key>StartInterval</key>
  <integer>{_every(ws)}</integer>
  <key>RunAtLoad</key>
  <true/>
</dict>
</plist>
"""
    commands = (("launchctl", "bootstrap", f"gui/{os.getuid()}", str(path)),)
    return Export("launchd", _shown(((path, plist),), commands), ((path, plist),), commands)


def _crontab(ws: Workspace) -> Export:
    """A line of a crontab."""
    words = ["env", f"PATH={os.environ.get('PATH', '')}", *_beat(ws, *_hand(ws))]
    command = shlex.join(words).replace("%", "\\%")
    return Export("crontab", f"{_cron_times(_every(ws))} {command} >/dev/null 2>&1 # {job_name(ws)}")


DRIVERS: dict[str, Callable[[Workspace], Export]] = {
    "openclaw-cron": _openclaw_cron,
    "openclaw-heartbeat": _openclaw_heartbeat,
    "claude": _claude,
    "systemd": _systemd,
    "launchd": _launchd,
    "crontab": _crontab,
}


def _hand(ws: Workspace) -> tuple[str, ...]:
    """A timer of the system hands due prompts to the host of the profile; without one they wait in `heartbeat due`."""
    profile = ws.config.profile
    return ("--hand-to", "claude" if profile == "claude" else "openclaw") if profile != "none" else ()


def _openclaw() -> str:
    return shutil.which("openclaw") or "openclaw"


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _percent(text: str) -> str:
    return text.replace("%", "%%")


def _systemd_word(word: str) -> str:
    """A word of ExecStart: specifiers and variables are escaped, and quoted where it has a space or quote."""
    plain = _percent(word).replace("$", "$$").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"' if any(char in word for char in " \t\"'\\;") else plain


def _cron_times(every: int) -> str:
    """The five fields for a beat. Raises UsageError for one that a crontab cannot express."""
    minutes, hours = every // 60, every // 3600
    if minutes and every % 60 == 0 and 60 % minutes == 0:
        return "0 * * * *" if minutes == 60 else f"*/{minutes} * * * *"
    if hours and every % 3600 == 0 and 24 % hours == 0:
        return "0 0 * * *" if hours == 24 else f"0 */{hours} * * *"
    hint = "set heartbeat.beat to a part of an hour or of a day, or use systemd"
    raise UsageError(f"a crontab cannot beat every {every} s", hint)


def _shown(files: tuple[tuple[Path, str], ...], commands: tuple[tuple[str, ...], ...]) -> str:
    parts = [f"# {path}\n{text.rstrip()}" for path, text in files]
    return "\n\n".join([*parts, "\n".join(map(shlex.join, commands))])


# Installing.


def _write(path: Path, text: str, merge: bool, dry_run: bool) -> str:
    if merge and path.exists():
        text = _merged(path, text)
    same = path.exists() and path.read_text("utf-8") == text
    if not (dry_run or same):
        path.parent.mkdir(parents=True, exist_ok=True)
        fsio.write(path, text.encode())
    return f"{path} is there already" if same else f"{'would write' if dry_run else 'wrote'} {path}"


def _merged(path: Path, text: str) -> str:
    """The settings with our hook in them once. Raises FormatError for settings that cannot be read."""
    old = path.read_text("utf-8")
    try:
        settings = json.loads(old or "{}")
        events = settings.setdefault("hooks", {}).setdefault("SessionStart", [])
        ours = json.loads(text)["hooks"]["SessionStart"][0]
        if any(_runs_beat(group) for group in events):
            events[:] = [ours if _runs_beat(group) else group for group in events]
        else:
            events.append(ours)
    except (ValueError, AttributeError, TypeError) as error:
        raise FormatError(
            f"{path}: the settings cannot be read: {error}", f"correct them, or paste:\n{text}"
        ) from error
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def _runs_beat(group: object) -> bool:
    hooks = group.get("hooks", []) if isinstance(group, dict) else []
    return len(hooks) == 1 and "heartbeat run --workspace" in str(hooks[0].get("command", ""))


def _install_crontab(ws: Workspace, line: str, dry_run: bool) -> tuple[str, ...]:
    listed = _call(("crontab", "-l"), may_fail=True)
    mark = f"# {job_name(ws)}"
    kept = [old for old in listed.splitlines() if not old.endswith(mark)]
    if line in listed.splitlines():
        return ("the crontab has the line already",)
    if not dry_run:
        _call(("crontab", "-"), data="\n".join([*kept, line]) + "\n")
    return (f"{'would add' if dry_run else 'added'} to the crontab: {line}",)


def _forget_openclaw_job(cli: str, name: str) -> bool:
    """Remove the job that an earlier installation made, so that there is one; whether there was one."""
    found = [job for job in _openclaw_jobs(_call((cli, "cron", "list", "--all", "--json"))) if job.get("name") == name]
    for job in found:
        _call((cli, "cron", "rm", str(job["id"])))
    return bool(found)


def _openclaw_jobs(said: str) -> Iterator[dict[str, object]]:
    start = min((at for at in (said.find("{"), said.find("[")) if at >= 0), default=-1)
    if start >= 0:
        loaded, _ = json.JSONDecoder().raw_decode(said[start:])
        jobs = loaded.get("jobs", []) if isinstance(loaded, dict) else loaded
        yield from (job for job in jobs if isinstance(job, dict))


def _call(command: tuple[str, ...], data: str | None = None, may_fail: bool = False) -> str:
    try:
        done = subprocess.run(command, input=data, capture_output=True, text=True, timeout=_HOSTS_LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OpenClawMemoryError(f"cannot run {shlex.join(command)}: {error}", "run it by hand to see why") from error
    if done.returncode and not may_fail:
        said = (done.stderr or done.stdout).strip()[-500:]
        raise OpenClawMemoryError(f"{shlex.join(command)} failed: {said}", "run it by hand to see why")
    return done.stdout
