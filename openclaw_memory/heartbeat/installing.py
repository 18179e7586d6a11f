"""Installs a driver: writes its files and runs its commands, once however often it is asked for."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.errors import FormatError, OpenClawMemoryError
from openclaw_memory.heartbeat.drivers import Export, job_name, openclaw
from openclaw_memory.workspace import Workspace

_NO_CRONTAB = r"no crontab for|can't open|no such file"
"""What crontab says where there is none yet. On any other failure nothing is written: it would replace all lines."""
_HOSTS_LIMIT = 120  # seconds; a host's command line takes up to ten to start


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
        if made.driver == "launchd" and not dry_run:  # it takes no second one of the same name
            _call(("launchctl", "bootout", *command[2:]), unless=".")
        done.append(f"{'would run' if dry_run else 'ran'} {shlex.join(command)}")
        if not dry_run:
            _call(command)
    return tuple(done)


def remove_openclaw_job(ws: Workspace) -> tuple[str, ...]:
    """Take the cron job of this workspace away again; one line where there was one. Raises as `install` does."""
    gone = _forget_openclaw_job(openclaw(), job_name(ws))
    return (f"removed the cron job {job_name(ws)}",) if gone else ()


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
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise FormatError(
            f"{path}: the settings cannot be read: {error}", f"correct them, or paste:\n{text}"
        ) from error
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def _runs_beat(group: object) -> bool:
    hooks = group.get("hooks", []) if isinstance(group, dict) else []
    return len(hooks) == 1 and "heartbeat run --workspace" in str(hooks[0].get("command", ""))


def _install_crontab(ws: Workspace, line: str, dry_run: bool) -> tuple[str, ...]:
    listed = _call(("crontab", "-l"), unless=_NO_CRONTAB)
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


def _call(command: tuple[str, ...], data: str | None = None, unless: str = "") -> str:
    """What the command prints. Raises OpenClawMemoryError where it fails, unless its words match `unless`."""
    try:
        done = subprocess.run(command, input=data, capture_output=True, text=True, timeout=_HOSTS_LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OpenClawMemoryError(f"cannot run {shlex.join(command)}: {error}", "run it by hand to see why") from error
    if done.returncode and not (unless and re.search(unless, done.stderr, re.IGNORECASE)):
        said = (done.stderr or done.stdout).strip()[-500:]
        raise OpenClawMemoryError(f"{shlex.join(command)} failed: {said}", "run it by hand to see why")
    return done.stdout
