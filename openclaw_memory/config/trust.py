"""Which config files the user has allowed to set commands, endpoints and models.

Recorded outside the workspace (`$XDG_STATE_HOME/openclaw-memory/trust.json`) by absolute path and SHA-256 of the
content, so that a cloned repository cannot allow itself and a changed file must be allowed again.
"""

from __future__ import annotations

import os

from openclaw_memory.errors import ConfigError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def record_path() -> Path:
    """Where trust is kept: the XDG state folder, else `~/.local/state`."""
    from pathlib import Path

    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "openclaw-memory" / "trust.json"


def is_trusted(path: str | Path, data: bytes) -> bool:
    """Whether the file at `path` was allowed with exactly these bytes."""
    kept = _records().get(_key(path))
    return kept is not None and kept == _digest(data)  # most are not: hashlib, which loads OpenSSL, costs 6 ms


def allow(path: str | Path, data: bytes) -> None:
    """Remember that the file at `path` may do what it says, as long as its bytes stay these."""
    _save({**_records(), _key(path): _digest(data)})


def forget(path: str | Path) -> bool:
    """Take the permission back; False where there was none."""
    records = _records()
    if records.pop(_key(path), None) is None:
        return False
    _save(records)
    return True


def require(path: str | Path, data: bytes, what: str) -> None:
    """Raise ConfigError unless the file at `path` is trusted; `what` names the thing it wants to do."""
    if not is_trusted(path, data):
        name = os.path.basename(path)
        raise ConfigError(f"{name}: {what} is not allowed yet", f"read it, then: openclaw-memory trust {path}")


def _key(path: str | Path) -> str:
    return os.path.realpath(path)


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _records() -> dict[str, str]:
    import json

    path = record_path()
    try:
        loaded = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}", "delete it and run `openclaw-memory trust` again") from error
    return {str(key): str(value) for key, value in loaded.items()} if isinstance(loaded, dict) else {}


def _save(records: dict[str, str]) -> None:
    import json

    from openclaw_memory import fsio

    path = record_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigError(f"cannot make {path.parent}: {error.strerror}", "set XDG_STATE_HOME to a folder") from error
    fsio.write(path, json.dumps(records, indent=1, sort_keys=True).encode() + b"\n")
