"""One fact, whatever coat it was found in. Pure; knows the names of keys, not files.

`CANONICAL` are the keys we write; `ALIASES` the ones met in real trees. What is not understood is kept in `record`
and named in `problems`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.record import Record as Named

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Status: TypeAlias = "Literal['active', 'superseded']"
Record = Mapping[str, object]

CANONICAL = (
    "id", "fact", "category", "timestamp", "source", "status", "supersededBy", "relatedEntities", "lastAccessed",
    "accessCount",
)  # fmt: skip
OTHERS = ("provenance", "supersedes", "redacted")  # ours or read, never invented
CATEGORIES = ("relationship", "milestone", "status", "preference", "context")
REDACTED = "[redacted]"

_SPELLINGS = {
    "fact": "content text statement",
    "category": "type kind",
    "timestamp": "created created_at createdAt date ts observed",
    "source": "origin",
    "supersededBy": "superseded_by replacedBy replaced_by",
    "relatedEntities": "related_entities related entities",
    "lastAccessed": "last_accessed last_access lastAccess",
    "accessCount": "access_count accesses",
    "supersedes": "replaces",
}
ALIASES: dict[str, str] = {name: name for name in CANONICAL + OTHERS} | {
    spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings.split()
}


class Fact(Named):
    """A fact in the model's own terms. `timestamp`, `source`, `last_accessed` are as on disk (see `dates.read`);
    `record` is the whole object as on disk; `problems` are (canonical key, what is wrong) pairs."""

    id: str
    text: str
    category: str
    timestamp: object
    source: object
    status: Status
    superseded_by: str | None
    supersedes: str | None
    related: tuple[str, ...]
    last_accessed: object
    access_count: int
    record: Record
    problems: tuple[tuple[str, str], ...] = ()

    @property
    def active(self) -> bool:
        """Not superseded."""
        return self.status == "active"

    @property
    def redacted(self) -> bool:
        """A tombstone: the text was taken out on purpose, and `redacted` says when and why."""
        return self.text == REDACTED and bool(self.record.get("redacted"))

    @property
    def quarantined(self) -> bool:
        """From a source of low trust and not reviewed yet: it takes part in nothing but the review."""
        return self.provenance.get("review") == "pending"

    @property
    def provenance(self) -> Record:
        """Where a fact of low trust is from (`origin`), and what became of it (`review`); empty for all others."""
        told = self.record.get("provenance")
        return told if isinstance(told, dict) else {}


def key_names(record: Record) -> Mapping[str, str]:
    """Canonical key to the key as written in `record`; of two spellings the canonical one wins, else the first."""
    return _key_names(tuple(record))


@lru_cache(maxsize=256)  # the facts of a workspace have few sets of keys
def _key_names(keys: tuple[str, ...]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for key in keys:
        name = ALIASES.get(key)
        if name is not None and (name == key or name not in names):
            names[name] = key
    return names


def from_record(record: object) -> Fact:
    """The fact that `record` holds. Never raises: what is wrong with it is in `problems`."""
    if not isinstance(record, dict):
        text = record if isinstance(record, str) else ""
        return _bare(text, (("fact", f"not an object but {type(record).__name__}"),))
    values = {name: record[key] for name, key in key_names(record).items()}
    problems: list[tuple[str, str]] = []
    superseded_by = _text(values, "supersededBy", problems) or None
    return Fact(
        _text(values, "id", problems, needed=True),
        _text(values, "fact", problems, needed=True),
        _text(values, "category", problems),
        values.get("timestamp"),
        values.get("source"),
        _status(values, superseded_by, problems),
        superseded_by,
        _text(values, "supersedes", problems) or None,
        _related(values, problems),
        values.get("lastAccessed"),
        _count(values, problems),
        record,
        tuple(problems),
    )


def _bare(text: str, problems: tuple[tuple[str, str], ...]) -> Fact:
    return Fact("", text, "", None, None, "active", None, None, (), None, 0, {}, problems)


def _text(values: Record, name: str, problems: list[tuple[str, str]], needed: bool = False) -> str:
    value = values.get(name)
    if isinstance(value, str):
        if needed and not value.strip():
            problems.append((name, "is empty"))
        return value
    if value is None:
        if needed:
            problems.append((name, "is missing"))
        return ""
    problems.append((name, f"is {_kind(value)}, not text"))
    return "" if isinstance(value, list | dict) else str(value)


def _kind(value: object) -> str:
    names = {"list": "a list", "dict": "an object", "bool": "true or false", "int": "a number", "float": "a number"}
    return names.get(type(value).__name__, f"a {type(value).__name__}")


def _status(values: Record, superseded_by: str | None, problems: list[tuple[str, str]]) -> Status:
    value = values.get("status")
    if value == "active" or value == "superseded":
        return value
    if value is None or value == "":
        return "superseded" if superseded_by else "active"
    plain = value.strip().casefold() if isinstance(value, str) else ""
    read: Status = "superseded" if plain == "superseded" else "active"
    problems.append(("status", f"is {value!r}, not active or superseded; read as {read}"))
    return read


def _related(values: Record, problems: list[tuple[str, str]]) -> tuple[str, ...]:
    value = values.get("relatedEntities")
    if value is None:
        return ()
    if isinstance(value, str):
        problems.append(("relatedEntities", "is text, not a list of names"))
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    problems.append(("relatedEntities", "is not a list of names"))
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _count(values: Record, problems: list[tuple[str, str]]) -> int:
    value = values.get("accessCount")
    if value is None:
        return 0
    if isinstance(value, str) and value.strip().isdigit():
        problems.append(("accessCount", f"is the text {value!r}, not a number"))
        return int(value)
    if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and value.is_integer())):
        problems.append(("accessCount", f"is {value!r}, not a count; read as 0"))
        return 0
    if value < 0:
        problems.append(("accessCount", f"is {value}, below zero; read as 0"))
        return 0
    return int(value)


def linked(facts: list[Fact]) -> list[Fact]:
    """`facts` with back pointers (`supersedes`) turned into the forward ones of the model."""
    successors = {fact.supersedes: fact.id for fact in facts if fact.supersedes and fact.id}
    if not successors:
        return facts
    return [
        fact._replace(superseded_by=successors[fact.id], status="superseded")
        if fact.id in successors and not fact.superseded_by
        else fact
        for fact in facts
    ]
