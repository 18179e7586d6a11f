"""A `heartbeat-state.json` that an agent keeps: read as hints that are not trusted, written only below a key of ours.

Models cannot tell the time: most timestamps in such files are wrong. A value is used only where it lies between the
workspace's birth and now; any other makes its task due, with a finding that names it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from openclaw_memory.errors import FormatError
from openclaw_memory.findings import Finding, finding
from openclaw_memory.heartbeat.plain import slug
from openclaw_memory.heartbeat.rhythms import line_of
from openclaw_memory.record import Record

OURS = "openclaw-memory"
_SAMPLE = 1703275200  # the value in the template that agents copy
_EARLIEST = 946684800  # 2000-01-01: no heartbeat is older
_LAST = re.compile(r"last|check|run|seen|tasks?$", re.IGNORECASE)
_LENGTHS = re.compile(r"interval|window|every|budget|count|timeout", re.IGNORECASE)
_ROUND_UP = timedelta(minutes=5)
_JUDGE = "leave it, correct it or delete it: openclaw-memory keeps a clock of its own"
_SPACE = re.compile(r"[ \t\r\n]*")


class Hint(Record):
    """A time that the file gives: `key` as it stands there, `line` where."""

    key: str
    value: object
    line: int
    when: datetime


class Hints(Record):
    """What a state file says: times that may be used, by slug of their key, and findings for those that may not."""

    trusted: dict[str, datetime]
    findings: tuple[Finding, ...]


def read_hints(text: str, path: str, now: datetime, born: datetime | None) -> Hints:
    """The hints of a state file's text. `born` is the moment before which nothing can have run (None: unknown).

    A text that is no JSON object gives no hints, and a finding.
    """
    try:
        loaded = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        return Hints(
            {}, (finding("OM407", path, 1, f"not valid JSON ({error}): no task takes its last run from it", _JUDGE),)
        )
    if not isinstance(loaded, dict):
        return Hints({}, (finding("OM407", path, 1, "not a JSON object: no task takes its last run from it", _JUDGE),))
    trusted: dict[str, datetime] = {}
    wrong: list[Finding] = []
    for key, value in _times(loaded):
        when = _moment(value, now)
        if when is None:
            continue
        reason = _implausible(when, value, now, born)
        if reason:
            wrong.append(
                finding(
                    "OM407", path, line_of(text, key), f"{key}: {value!r} is not trusted: {reason}; it is due", _JUDGE
                )
            )
        else:
            trusted[slug(key)] = when
    return Hints(trusted, tuple(wrong))


def _times(loaded: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Keys and values below objects such as `lastChecks`, and at the top where the key speaks of a last time."""
    for key, value in loaded.items():
        if key == OURS:
            continue
        if isinstance(value, dict) and _LAST.search(key) and not _LENGTHS.search(key):
            for name, inner in value.items():
                yield (
                    name,
                    next((v for k, v in inner.items() if _LAST.search(k)), None) if isinstance(inner, dict) else inner,
                )
        elif not isinstance(value, (dict, list)) and key.startswith("last"):
            yield key, value


def _moment(value: object, now: datetime) -> datetime | None:
    """A number of seconds or milliseconds, or an ISO text (without an offset: local), as a moment; else None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        seconds = value / 1000 if abs(value) > 1e11 else float(value)
        if not 0 <= seconds < 1e11:
            return None
        return datetime.fromtimestamp(seconds, now.tzinfo) if seconds < 32503680000 else None
    try:
        parsed = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=now.tzinfo)


def _implausible(when: datetime, value: object, now: datetime, born: datetime | None) -> str:
    """Why a time cannot be true, or ""."""
    if value == _SAMPLE:
        return "it is the sample of a template"
    if when.timestamp() < _EARLIEST:
        return "no heartbeat is that old"
    if when > now + _ROUND_UP:
        return f"it lies in the future ({when.astimezone(now.tzinfo):%Y-%m-%d %H:%M})"
    if born and when < born:
        later = when.replace(year=when.year + 1) if (when.month, when.day) != (2, 29) else when + timedelta(days=366)
        if born <= later <= now:
            return f"it looks like 1 year off ({when.astimezone(now.tzinfo):%Y-%m-%d})"
        return f"it is from before the workspace began ({when.astimezone(now.tzinfo):%Y-%m-%d})"
    return ""


def match(hints: Hints, key: str, name: str) -> datetime | None:
    """The trusted time for a task: of the same name, else of the only hint that is a word of the name."""
    trusted = hints.trusted
    if slug(name) in trusted:
        return trusted[slug(name)]
    words = [word for word in slug(name).split("-") if word in trusted]
    return trusted[words[0]] if len(words) == 1 else trusted.get(key)


def write_ours(text: str, ours: dict[str, object]) -> str:
    """The text with our key set to `ours`; every other byte stays. Raises FormatError for what is no JSON object."""
    value = json.dumps(ours, ensure_ascii=False, indent=2).replace("\n", "\n  ")
    try:
        start = _SPACE.match(text, len(text) - len(text.lstrip("\ufeff"))).end()  # type: ignore[union-attr]
        members = list(_members(text, start))
    except (ValueError, IndexError, RecursionError) as error:
        raise FormatError("the state file is no JSON object", "correct or delete it") from error
    for key, first, last in members:
        if key == OURS:
            return text[:first] + value + text[last:]
    end = members[-1][2] if members else start + 1
    comma, eol = "," if members else "", "\r\n" if "\r\n" in text else "\n"
    tail = "" if members else eol
    return f'{text[:end]}{comma}{eol}  "{OURS}": {value}{tail}{text[end:]}'


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Key and the place of the value of each member of the object at `start`."""
    if text[start] != "{":
        raise ValueError("no object")
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        first = at
        _, at = decoder.raw_decode(text, at)
        yield key, first, at
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
