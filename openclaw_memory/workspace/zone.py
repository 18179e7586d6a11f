"""The time zone of a workspace: of its config, else of USER.md, else of the system, and which of them it was."""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path

from openclaw_memory.errors import ConfigError, UsageError
from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record

_WORDS = (
    "time ?zone", "tz", "fuso(?: hor[aá]rio)?", "(?:zona|huso) horari[ao]", "zeitzone", "fuseau(?: horaire)?",
    "时区", "時區", "タイムゾーン", "часовой пояс", "tidszon",
)  # fmt: skip
_LINE = pattern(
    rf"^\W*(?:{'|'.join(_WORDS)})\W*?[:：]\W*?([A-Za-z]+(?:/[A-Za-z_+\-0-9]+)+|(?:UTC|GMT)(?:[+\-−]\d+(?::\d\d)?)?)",
    re.IGNORECASE | re.MULTILINE,
)
_OFFSET = pattern(r"(?:UTC|GMT)(?:([+\-−])(\d{1,2})(?::(\d\d))?)?\Z", re.IGNORECASE)


class Zone(Record):
    """`name` for people, `source` one of `config`, `USER.md`, `system`."""

    tz: tzinfo
    name: str
    source: str


def find(configured: str, root: Path) -> Zone:
    """The zone to use. Raises ConfigError for a configured name that no zone has."""
    if configured:
        tz = _named(configured)
        if tz is None:
            raise ConfigError(
                f"openclaw-memory.yaml: timezone: {configured!r} is no time zone",
                "use an IANA name such as Europe/Lisbon",
            )
        return Zone(tz, configured, "config")
    name = _of_user_file(root / "USER.md")
    tz = _named(name) if name else None
    return Zone(tz, name, "USER.md") if tz else _system()


def is_set(configured: str, root: Path) -> bool:
    """Whether the workspace may have another zone than the system."""
    return bool(configured or _of_user_file(root / "USER.md"))


def moment(text: str, zone: Zone) -> datetime:
    """An ISO date or time as an aware datetime in `zone`; without an offset it is the zone's own time.

    Raises UsageError for text that is none.
    """
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is no date or time", "write it like 2026-03-02 or 2026-03-02T09:30+01:00"
        ) from error
    return parsed.astimezone(zone.tz) if parsed.tzinfo else parsed.replace(tzinfo=zone.tz)


def _named(name: str) -> tzinfo | None:
    offset = _OFFSET.match(name.strip())
    if offset:
        sign = 1 if offset[1] == "+" else -1
        delta = timedelta(hours=int(offset[2] or 0), minutes=int(offset[3] or 0))
        return timezone(sign * delta) if delta and delta < timedelta(hours=24) else UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name.strip())
    except (ValueError, OSError, KeyError):  # malformed, a folder of the data base, unknown
        return None


def _of_user_file(path: Path) -> str:
    try:
        text = path.read_bytes()[: 1 << 16].decode("utf-8", "replace")
    except OSError:
        return ""
    found = _LINE.search(text)
    return found[1] if found else ""


def _system() -> Zone:
    name = os.environ.get("TZ", "").lstrip(":")
    if not name:
        target = os.path.realpath("/etc/localtime")
        name = target.partition("zoneinfo/")[2]
    tz = _named(name) if name else None
    return (
        Zone(tz, name, "system") if tz else Zone(timezone(timedelta(seconds=-time.timezone)), time.tzname[0], "system")
    )
