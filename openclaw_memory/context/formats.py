"""A context in the forms that hosts take. Pure: gives values and texts, prints nothing."""

from __future__ import annotations

from pathlib import Path

from openclaw_memory.context import text
from openclaw_memory.context.model import Context, Kind
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.workspace import STATE

_NAMES: dict[Kind, str] = {"index": "MEMORY_INDEX.md", "active": "ACTIVE_CONTEXT.md", "drill-down": "DRILL_DOWNS.md"}


def receipt(context: Context) -> dict[str, object]:
    """What was loaded, why and what it cost, what was left out, and the text itself."""
    return {
        "files": [file.to_json() for file in context.loaded],
        "left_out": [file.to_json() for file in context.left_out],
        "known": list(context.known),
        "total": context.size.to_json(),
        "budget_tokens": context.budget,
        "notes": list(context.notes),
        "text": text.render(context),
    }


def claude(event: str, added: str) -> dict[str, object]:
    """What Claude Code takes from a hook of `event` (SessionStart, UserPromptSubmit); {} adds nothing."""
    if not added:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": added}}


def openclaw(context: Context, root: Path) -> list[dict[str, object]]:
    """Bootstrap records as OpenClaw's `agent:bootstrap` hook takes them: one for each kind of file."""
    return [
        {"name": name, "path": str(root / STATE / name), "content": content, "missing": False}
        for kind, name in _NAMES.items()
        if (content := part(context, kind))
    ]


def part(context: Context, kind: Kind) -> str:
    """The text of the files of one kind, those left out included."""
    loaded = tuple(file for file in context.loaded if file.kind == kind)
    left_out = tuple(file for file in context.left_out if file.kind == kind)
    return text.render(context._replace(loaded=loaded, left_out=left_out))


def marker(error: OpenClawMemoryError) -> str:
    """The one line that stands for a context that could not be built: the session starts all the same."""
    return f"openclaw-memory: no context: {text.printable(error.message)} ({text.printable(error.hint)})"
