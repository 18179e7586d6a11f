"""`hooks install openclaw`: the hook pack in OpenClaw's state folder, by its own installer where that is on PATH.

The pack is data (`hooks/openclaw`); what is written here is the copy, with the interpreter that the handler starts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import data, fsio, launcher
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.hooks.states import HookState
from openclaw_memory.hooks.steps import Remove, Report, Run, Step, Write, carry_out

PACK = "openclaw-memory-hooks"
HOOK = "openclaw-memory-context"
_STAGED = Path("openclaw-memory") / PACK  # below the state folder: what the host's installer copies from
_BEFORE = Path("openclaw-memory") / "before.json"  # what `hooks.internal.enabled` was
_SWITCH = "hooks.internal.enabled"
_SECTION = f"hooks.internal.entries.{HOOK}"
_RECORD = f"hooks.internal.installs.{PACK}"  # written by hosts up to 2026.7, whose own uninstall knows plugins only
_ENABLED = re.compile(rf"{HOOK}[\"']?\s*:\s*\{{[^}}]*\benabled[\"']?\s*:\s*true")


def state_dir() -> Path:
    """OpenClaw's state folder: `$OPENCLAW_STATE_DIR`, else `~/.openclaw`."""
    return Path(os.environ.get("OPENCLAW_STATE_DIR") or Path.home() / ".openclaw").expanduser()


def install_openclaw(*, dry_run: bool = False) -> Report:
    """Install the pack, or bring it up to date; nothing to do where the installed one is the same.

    With the command `openclaw` on PATH its installer enables the hook as well; without, the hook is put where the
    host looks and a note names the setting. Raises WorkspaceError where there is no OpenClaw at all.
    """
    state, cli = state_dir(), shutil.which("openclaw")
    if cli is None and not state.is_dir():
        raise WorkspaceError(
            f"no OpenClaw here: the command openclaw is not on PATH and {state} does not exist",
            "install OpenClaw, or name its state folder in OPENCLAW_STATE_DIR",
        )
    if (there := _installed(state)) is not None and not list(_writes(_files("hook"), there)):
        return Report("openclaw", notes=() if _enabled(state) else (_enable_note(),))
    if cli is None:
        steps = list(_writes(_files("hook"), state / "hooks" / HOOK))
        return carry_out("openclaw", steps, [_enable_note()], dry_run=dry_run)
    staged = state / _STAGED
    steps = [
        *_remember(state),
        *_writes(_files("pack"), staged),
        Run("openclaw", cli, ("plugins", "install", str(staged), "--force")),
    ]
    return carry_out(
        "openclaw", steps, ["restart a gateway that is running, so that it loads the code"], dry_run=dry_run
    )


def uninstall_openclaw(*, dry_run: bool = False) -> Report:
    """Disable the hook where the command `openclaw` is there, and remove the pack."""
    state, cli = state_dir(), shutil.which("openclaw")
    steps: list[Step] = [] if cli is None else [Run("openclaw", cli, ("config", *words)) for words in _undone(state)]
    for folder in (state / "hooks" / PACK, state / "hooks" / HOOK, state / _STAGED):
        files = sorted(path for path in folder.rglob("*") if not path.is_dir()) if folder.is_dir() else []
        steps += [Remove(path, within=state) for path in files]
    if (state / _BEFORE).is_file():
        steps.append(Remove(state / _BEFORE, within=state))
    return carry_out("openclaw", steps, dry_run=dry_run)


def openclaw_status() -> list[HookState]:
    """Whether the pack is installed, of this version, and enabled."""
    state = state_dir()
    there = _installed(state)
    fix = "openclaw-memory hooks install openclaw"
    if there is None:
        return [HookState("openclaw", HOOK, "missing", "" if state.is_dir() else f"no OpenClaw at {state}", fix)]
    if list(_writes(_files("hook"), there)):
        return [HookState("openclaw", HOOK, "broken", f"{there} is of another version or another Python", fix)]
    if not _enabled(state):
        return [HookState("openclaw", HOOK, "bypassed", f"{there} is not enabled", f"openclaw hooks enable {HOOK}")]
    return [HookState("openclaw", HOOK, "installed", str(there))]


def _files(of: str) -> dict[str, bytes]:
    """The files of the whole "pack", or of the "hook" in it, with the command that starts us."""
    top = data.folder("hooks") / "openclaw"
    root = top if of == "pack" else top / HOOK
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    words = launcher.argv()
    runtime = json.dumps({"command": words[0], "args": words[1:]}, indent=2) + "\n"
    return found | {f"{HOOK}/runtime.json" if of == "pack" else "runtime.json": runtime.encode()}


def _writes(files: dict[str, bytes], folder: Path) -> Iterator[Step]:
    for name, content in sorted(files.items()):
        path = folder / name
        if not path.is_file() or fsio.read(path) != content:
            yield Write(path, content)


def _installed(state: Path) -> Path | None:
    """The folder of the installed hook: below the pack, where the host's installer put it, or by itself."""
    folders = (state / "hooks" / PACK / HOOK, state / "hooks" / HOOK)
    return next((folder for folder in folders if (folder / "handler.js").is_file()), None)


def _remember(state: Path) -> Iterator[Step]:
    """Keep what the host's installer overwrites: with the switch left on and no entry, the host would load any hook."""
    if not (state / _BEFORE).exists() and (parsed := _parsed(state)) is not None:
        yield Write(state / _BEFORE, json.dumps({"enabled": _internal(parsed).get("enabled")}).encode() + b"\n")


def _undone(state: Path) -> Iterator[tuple[str, ...]]:
    """The words of `openclaw config` that take back what an install wrote into the configuration."""
    written = _config(state)
    for key, sign in ((_SECTION, f'"{HOOK}":'), (_RECORD, f'"{PACK}":')):
        if sign in written:
            yield "unset", key
    if (state / _BEFORE).is_file() and (parsed := _parsed(state)) is not None:
        before, now = json.loads(fsio.read(state / _BEFORE)).get("enabled"), _internal(parsed).get("enabled")
        if before != now:
            yield ("unset", _SWITCH) if before is None else ("set", _SWITCH, json.dumps(before), "--strict-json")


def _parsed(state: Path) -> dict[str, object] | None:
    """The host's configuration; None where it is JSON5, written by hand."""
    try:
        value = json.loads(_config(state) or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def _internal(parsed: dict[str, object]) -> dict[str, object]:
    hooks = parsed.get("hooks")
    internal = hooks.get("internal") if isinstance(hooks, dict) else None
    return internal if isinstance(internal, dict) else {}


def _enabled(state: Path) -> bool:
    """Whether the host's configuration enables the hook."""
    parsed = _parsed(state)
    if parsed is None:
        return bool(_ENABLED.search(_config(state)))
    internal = _internal(parsed)
    entries = internal.get("entries")
    entry = entries.get(HOOK) if isinstance(entries, dict) else None
    return internal.get("enabled") is not False and isinstance(entry, dict) and entry.get("enabled") is not False


def _config(state: Path) -> str:
    path = Path(os.environ.get("OPENCLAW_CONFIG_PATH") or state / "openclaw.json")
    return fsio.read(path).decode("utf-8", "replace") if path.is_file() else ""


def _enable_note() -> str:
    return f"enable it: openclaw hooks enable {HOOK} (it sets {_SECTION}.enabled and hooks.internal.enabled)"
