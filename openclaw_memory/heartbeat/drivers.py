"""What calls the beat: for each host or system the exact command or file, ready to be installed.

A driver only ever calls `heartbeat run`, which decides what is due; `installing.py` installs it. Pure but for PATH.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from openclaw_memory import launcher
from openclaw_memory.config import seconds
from openclaw_memory.errors import UsageError
from openclaw_memory.heartbeat.plain import slug
from openclaw_memory.record import Record
from openclaw_memory.workspace import Workspace

CRON_NAME = "openclaw-memory-beat"
_CRON_LIMIT = 998  # characters that Vixie's cron and its heirs take of a command
_SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin")
_PASSED = (
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "OPENCLAW_CONFIG_PATH", "OPENCLAW_PROFILE",
    "OPENCLAW_STATE_DIR", "CLAUDE_CONFIG_DIR", "TZ",
)  # fmt: skip


class Export(Record):
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
    if any(char < " " for char in str(ws.root)):
        raise UsageError(f"{str(ws.root)!r} holds a control character, which no timer takes", "rename the folder")
    return DRIVERS[driver](ws)


def program() -> list[str]:
    """The words that start this program from anywhere: its script, else its interpreter."""
    script = launcher.python().with_name("openclaw-memory")
    return [str(script)] if script.is_file() else launcher.line()


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
        openclaw(), "cron", "add", "--name", job_name(ws), "--every", f"{_every(ws) // 60 or 1}m",
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
    commands = tuple((openclaw(), "config", "set", key, value, "--strict-json") for key, value in pairs)
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
    about = f"[Unit]\nDescription=Beat of {_percent(ws.root.name)}\n\n"
    settings = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in _environment().items())
    words = " ".join(_quoted(word).replace("$", "$$") for word in _beat(ws, *_hand(ws)))
    service = (
        f"{about}[Service]\nType=oneshot\nWorkingDirectory={_percent(str(ws.root))}\n"
        f"{settings}ExecStart={words}\nSuccessExitStatus=1\n"
    )
    timer = (
        f"{about}[Timer]\nOnBootSec=2min\nOnUnitActiveSec={_every(ws)}s\nAccuracySec=5s\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )
    files = ((folder / f"{name}.service", service), (folder / f"{name}.timer", timer))
    commands = (
        ("systemctl", "--user", "daemon-reload"),
        ("systemctl", "--user", "enable", "--now", f"{name}.timer"),
    )
    return Export("systemd", _shown(files, commands), files, commands)


def _launchd(ws: Workspace) -> Export:
    """A launchd agent (macOS)."""
    import plistlib

    label = f"org.openclaw-memory.{job_name(ws)}"
    path = Path.home() / "Library" / "LaunchAgents" / f"{label}.plist"
    agent = {
        "Label": label,
        "ProgramArguments": _beat(ws, *_hand(ws)),
        "WorkingDirectory": str(ws.root),
        "EnvironmentVariables": _environment(),
        "StartInterval": _every(ws),
        "RunAtLoad": True,
    }
    plist = plistlib.dumps(agent, sort_keys=False).decode()
    commands = (("launchctl", "bootstrap", f"gui/{os.getuid()}", str(path)),)
    return Export("launchd", _shown(((path, plist),), commands), ((path, plist),), commands)


def _crontab(ws: Workspace) -> Export:
    """A line of a crontab. A cron takes 998 characters of a command: a long PATH is cut to what a beat needs."""
    times, settings = _cron_times(_every(ws)), _environment()
    command = _cron_command(ws, settings)
    if len(command) > _CRON_LIMIT:
        command = _cron_command(ws, {**settings, "PATH": _short_path()})
    if len(command) > _CRON_LIMIT:
        raise UsageError(f"a crontab takes no command of {len(command)} characters", "use systemd or launchd")
    return Export("crontab", f"{times} {command}")


def _cron_command(ws: Workspace, settings: dict[str, str]) -> str:
    words = ["env", *(f"{key}={value}" for key, value in settings.items()), *_beat(ws, *_hand(ws))]
    return f"{shlex.join(words)} >/dev/null 2>&1 # {job_name(ws)}".replace("%", "\\%")


DRIVERS: dict[str, Callable[[Workspace], Export]] = {
    "openclaw-cron": _openclaw_cron,
    "openclaw-heartbeat": _openclaw_heartbeat,
    "claude": _claude,
    "systemd": _systemd,
    "launchd": _launchd,
    "crontab": _crontab,
}


def _hand(ws: Workspace) -> tuple[str, ...]:
    """A timer of the system hands due prompts to the host of the profile; without one they stay due."""
    profile = ws.config.profile
    return ("--hand-to", "claude" if profile == "claude" else "openclaw") if profile != "none" else ("--no-prompts",)


def _environment() -> dict[str, str]:
    """What a timer of the system does not know by itself: where programs, trust and the host's state are, the zone."""
    path = dict.fromkeys(folder for folder in os.environ.get("PATH", "").split(os.pathsep) if Path(folder).is_dir())
    return {"PATH": os.pathsep.join(path), **{name: os.environ[name] for name in _PASSED if os.environ.get(name)}}


def _short_path() -> str:
    """The folders of git and the hosts, and the system's."""
    found = [shutil.which(name) for name in ("git", "openclaw", "claude")]
    return os.pathsep.join(dict.fromkeys([*(str(Path(path).parent) for path in found if path), *_SYSTEM]))


def openclaw() -> str:
    """The host's command, with its path where it is on PATH."""
    return shutil.which("openclaw") or "openclaw"


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _percent(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(word: str) -> str:
    """A word of a unit: specifiers are escaped, and it is quoted where it has a space or quote."""
    plain = _percent(word).replace("\\", "\\\\").replace('"', '\\"')
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
