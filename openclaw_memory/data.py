"""Where the data that ships with the package lies: `workspace_template`, `hooks`, `heartbeat`. Imports none of ours."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The data folder `name`: inside the installed package, or at the top of the checkout it is imported from."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
