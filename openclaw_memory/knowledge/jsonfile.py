"""Reads one of our own JSON files that people and merges may have broken."""

from __future__ import annotations

import json

from openclaw_memory.errors import FormatError


def load(text: str, path: str) -> object:
    """The value of `text`, {} where it is empty. Raises FormatError that names the place and two ways out."""
    try:
        return json.loads(text or "{}")
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}: {error.msg}"
    except RecursionError:
        where = f"{path}: nested too deeply"
    raise FormatError(where, f"put that place right, or take the last good version: git checkout HEAD -- {path}")
