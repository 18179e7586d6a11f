"""`hooks install claude`: our hooks in a `settings.json` of Claude Code, beside what a person keeps there.

The settings are edited as text: unknown keys, order and white space stay. What is not plain JSON is refused.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import fsio, launcher, markdown
from openclaw_memory.errors import FormatError
from openclaw_memory.hooks import jsontext
from openclaw_memory.hooks.jsontext import Node
from openclaw_memory.hooks.session import MOST_PARTS
from openclaw_memory.hooks.states import HookState
from openclaw_memory.hooks.steps import Remove, Report, Step, Write, carry_out

EVENTS = {
    # the host caps what one hook may say (see `parts`), so a session start is said by several
    "SessionStart": ("session-start", *(f"session-start --part {number}" for number in range(2, MOST_PARTS + 1))),
    "UserPromptSubmit": ("user-prompt",),
    "PreCompact": ("pre-compact",),
}
_TIMEOUT = 15  # seconds; ours takes a tenth of one
_OURS = re.compile(
    r"openclaw[-_]memory\b.*\bhook ((?:session-start|user-prompt|pre-compact)(?: --part \d+)?)(?=\s|$)", re.DOTALL
)


def settings_path(root: Path, *, user: bool) -> Path:
    """The settings of the project at `root`, or of the user (`$CLAUDE_CONFIG_DIR`, else `~/.claude`)."""
    if not user:
        return root / ".claude" / "settings.json"
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "settings.json"


def install_claude(root: Path, *, user: bool = False, dry_run: bool = False) -> Report:
    """Add our hooks to the settings, or bring them up to date. Raises FormatError for settings that are not JSON.

    Project settings may be shared, so they name `openclaw-memory` on PATH where there is one; else, and in the
    user's settings, the interpreter is baked in.
    """
    path, other = settings_path(root, user=user), settings_path(root, user=not user)
    twice = other != path and len(_installed(other)) == len(EVENTS)
    if twice and not user:
        return Report("claude", notes=(f"{other} runs them in every project already",))
    portable = not user and launcher.on_path()
    before = _read(path)
    after = before or "{}\n"
    for event, names in EVENTS.items():
        after = _with_hooks(after, str(path), event, {name: command(name, portable=portable) for name in names})
    notes = []
    if twice:
        notes.append(f"{other} has them, too, so there they say all twice: openclaw-memory hooks uninstall claude")
    if not (user or portable):
        notes.append(
            f"{path} names a Python of this machine; to share it, put openclaw-memory on PATH and install again"
        )
    return carry_out("claude", _written(path, before, after), notes, dry_run=dry_run)


def uninstall_claude(root: Path, *, user: bool = False, dry_run: bool = False) -> Report:
    """Take our hooks out of the settings, and what they leave empty; a file that holds nothing else goes."""
    path = settings_path(root, user=user)
    before = _read(path)
    if before is None:
        return Report("claude")
    after = before
    while (shorter := _without_one(after, str(path))) is not None:
        after = shorter
    steps = [Remove(path)] if after != before and after.strip() == "{}" else _written(path, before, after)
    return carry_out("claude", steps, dry_run=dry_run)


def command(name: str, *, portable: bool) -> str:
    """What Claude Code runs for our hook `name`; never exit code 2, which it would read as "block this prompt"."""
    start = f"openclaw-memory hook {name}" if portable else launcher.shell("hook", *name.split())
    return f"{start} || true"


def claude_status(root: Path) -> list[HookState]:
    """Each event of ours, in the project's or the user's settings."""
    found: dict[str, Path] = {}
    off: Path | None = None
    for path in (settings_path(root, user=True), settings_path(root, user=False)):
        try:
            found |= dict.fromkeys(_installed(path), path)
            off = path if _switched_off(path) else off
        except FormatError as error:
            return [HookState("claude", "settings", "broken", error.message, error.hint)]
    return [_state(event, found.get(event), off) for event in EVENTS]


def _state(event: str, path: Path | None, off: Path | None) -> HookState:
    if path is None:
        return HookState("claude", event, "missing", "", "openclaw-memory hooks install claude")
    if off is not None:
        return HookState("claude", event, "bypassed", f"disableAllHooks is set in {off}", "set it to false there")
    return HookState("claude", event, "installed", str(path))


def _switched_off(path: Path) -> bool:
    text = _read(path) or "{}"
    node = jsontext.parse(text, str(path)).get("disableAllHooks")
    return node is not None and text[node.start : node.end] == "true"


def _installed(path: Path) -> list[str]:
    """The events for which the settings at `path` run a hook of ours."""
    text = _read(path) or "{}"
    root = jsontext.parse(text, str(path))
    return [event for event in EVENTS if any(_ours(text, root, event))]


def _read(path: Path) -> str | None:
    return markdown.decode(fsio.read(path)) if os.path.lexists(path) else None


def _written(path: Path, before: str | None, after: str) -> list[Step]:
    return [] if after == before else [Write(path, markdown.encode(after))]


def _with_hooks(text: str, where: str, event: str, wanted: dict[str, str]) -> str:
    """`text` with the commands `wanted` ({name: command}) for `event`: changed in place, or added as one entry."""
    missing = dict(wanted)
    for name, wants in wanted.items():
        root = _object(jsontext.parse(text, where), where, "the file")
        for hook in (chain[-1][0].items[chain[-1][1]] for chain in _ours(text, root, event)):
            there = hook.get("command")
            if there is not None and _name(text, there) == name:
                missing.pop(name, None)
                text = text if _string(text, there) == wants else jsontext.replace(text, there, wants)
                break
    return _with_entry(text, where, event, list(missing.values())) if missing else text


def _with_entry(text: str, where: str, event: str, commands: list[str]) -> str:
    root = _object(jsontext.parse(text, where), where, "the file")
    entry = {"hooks": [{"type": "command", "command": line, "timeout": _TIMEOUT} for line in commands]}
    if (hooks := root.get("hooks")) is None:
        return jsontext.append(text, root, {event: [entry]}, "hooks")
    entries = _object(hooks, where, "`hooks`").get(event)
    if entries is None:
        return jsontext.append(text, hooks, [entry], event)
    if entries.kind != "array":
        raise FormatError(f"{where}: `hooks.{event}` is not a list", "mend the file, then run this again")
    return jsontext.append(text, entries, entry)


def _without_one(text: str, where: str) -> str | None:
    """`text` without one hook of ours and the containers it leaves empty; None when there is none left."""
    root = jsontext.parse(text, where)
    for event in EVENTS:
        for chain in _ours(text, root, event):
            container, position = next((place for place in reversed(chain) if len(place[0].items) > 1), chain[0])
            return jsontext.remove(text, container, position)
    return None


Place = tuple[Node, int]  # a container and the position of one of its parts


def _ours(text: str, root: Node, event: str) -> Iterator[list[Place]]:
    """Each hook of ours for `event`, as the places from the file down to it: hooks, event, entry, hook."""
    hooks, entries = root.get("hooks"), None
    if hooks is not None and hooks.kind == "object":
        entries = hooks.get(event)
    if hooks is None or entries is None or entries.kind != "array":
        return
    above = [(root, _position(root, "hooks")), (hooks, _position(hooks, event))]
    for at, entry in enumerate(entries.items):
        inner = entry.get("hooks")
        for position, hook in enumerate(inner.items if inner is not None else ()):
            if inner is not None and _name(text, hook.get("command")):
                yield [*above, (entries, at), (inner, position)]


def _position(node: Node, key: str) -> int:
    return len(node.keys) - 1 - node.keys[::-1].index(key)


def _name(text: str, command: Node | None) -> str:
    """Which hook of ours the command calls, "" for one of somebody else's."""
    found = _OURS.search(_string(text, command))
    return found[1] if found else ""


def _string(text: str, node: Node | None) -> str:
    value = json.loads(text[node.start : node.end]) if node is not None else None
    return value if isinstance(value, str) else ""


def _object(node: Node, where: str, what: str) -> Node:
    if node.kind != "object":
        raise FormatError(f"{where}: {what} is not a JSON object", "mend the file, then run this again")
    return node
