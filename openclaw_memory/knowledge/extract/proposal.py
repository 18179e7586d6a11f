"""What extraction found, as values: the one form that all three readers make and `apply` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from openclaw_memory.errors import FormatError
from openclaw_memory.record import Record

SCHEMA = Path(__file__).with_name("plan.schema.json")


class Place(Record):
    """The line of a note that says it."""

    note: str
    line: int

    @property
    def source(self) -> str:
        """As a fact's `source`."""
        return f"{self.note}#L{self.line}"


NOWHERE = Place("", 0)


class FoundFact(Record):
    """A fact to add; `supersedes` is the id of the fact it takes the place of, `source` a foreign origin."""

    entity: str
    text: str
    place: Place
    category: str = ""
    supersedes: str = ""
    related: tuple[str, ...] = ()
    source: str = ""


class FoundEntity(Record):
    """An entity to create."""

    entity: str
    place: Place
    name: str = ""
    about: str = ""
    triggers: tuple[str, ...] = ()
    reason: str = ""


class FoundStatus(Record):
    """The current status of an entity."""

    entity: str
    text: str
    place: Place


class Statement(Record):
    """A decision, lesson, preference or question; an answer may say no place."""

    text: str
    place: Place


class Candidate(Record):
    """A line that may hold knowledge, and why it was not taken: it stays in the note."""

    text: str
    place: Place
    why: str


LISTS = ("decisions", "lessons", "questions", "preferences", "answered")
"""The lists of statements."""
PARTS = ("entities", "facts", "statuses", *LISTS)
"""The lists of all that is to be written, in the order in which one may need another."""


@dataclass
class Proposal:
    """Everything found, in the order of the notes."""

    facts: list[FoundFact] = field(default_factory=list)
    entities: list[FoundEntity] = field(default_factory=list)
    statuses: list[FoundStatus] = field(default_factory=list)
    decisions: list[Statement] = field(default_factory=list)
    lessons: list[Statement] = field(default_factory=list)
    preferences: list[Statement] = field(default_factory=list)
    questions: list[Statement] = field(default_factory=list)
    answered: list[Statement] = field(default_factory=list)
    referenced: list[str] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)

    def extend(self, other: Proposal) -> None:
        """Add everything that `other` found."""
        for key in (*PARTS, "candidates", "referenced"):
            getattr(self, key).extend(getattr(other, key))

    def to_json(self) -> dict[str, object]:
        """As the plan file that `extract --apply` takes (candidates beside it, which it does not)."""
        return {
            "version": 1,
            "facts": [
                _row(f.place, entity=f.entity, fact=f.text, category=f.category, supersedes=f.supersedes,
                     related=list(f.related), source=f.source)
                for f in self.facts
            ],
            "entities": [
                _row(e.place, entity=e.entity, name=e.name, about=e.about, triggers=list(e.triggers), reason=e.reason)
                for e in self.entities
            ],
            "statuses": [_row(s.place, entity=s.entity, status=s.text) for s in self.statuses],
            **{
                key: [_row(s.place, text=s.text) for s in getattr(self, key)]
                for key in ("decisions", "lessons", "preferences", "questions")
            },
            "answered": [_row(s.place, text=s.text) if s.place.note else s.text for s in self.answered],
            "referenced": self.referenced,
        }  # fmt: skip


def _row(place: Place, **values: object) -> dict[str, object]:
    said = {key: value for key, value in values.items() if value not in ("", [])}
    return {**said, "note": place.note, "line": place.line}


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a plan, as shipped."""
    loaded: dict[str, Any] = json.loads(SCHEMA.read_bytes())
    return loaded


def parse(text: str, notes: Sequence[str], where: str = "the plan") -> Proposal:
    """The proposal that the plan file `text` is; `notes` are those it may speak of (the only one is the default).

    Raises FormatError with every place where it is no JSON, breaks the schema, or names a note that was not given.
    """
    try:
        value = json.loads(text)
        if "\\u" in text:  # half a character cannot be written
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (json.JSONDecodeError, RecursionError) as error:
        place = f"{where}:{error.lineno}:{error.colno}: {error.msg}" if isinstance(error, ValueError) else str(error)
        raise FormatError(place, "a plan is one JSON object; see it with `openclaw-memory extract --prompt`") from None
    problems = schema_problems(value) or _note_problems(value, notes)
    if problems:
        raise refusal(problems, where)
    return _built(value, notes[0] if len(notes) == 1 else "")


def refusal(problems: Sequence[str], where: str = "the plan") -> FormatError:
    """The one error that tells all reasons."""
    listed = "\n".join(f"  - {problem}" for problem in problems)
    return FormatError(
        f"{where} is refused, and nothing was changed:\n{listed}", "correct these places and apply it again"
    )


def schema_problems(value: object) -> list[str]:
    """Each place where `value` breaks the schema, as `facts[2].line: ...`."""
    import jsonschema

    errors = jsonschema.Draft202012Validator(schema()).iter_errors(value)
    return [
        f"{_dotted(error.absolute_path)}: {error.message[:200]}" for error in sorted(errors, key=lambda e: e.json_path)
    ]


def _dotted(path: Sequence[str | int]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.lstrip(".") or "the top"


def _note_problems(value: Mapping[str, Any], notes: Sequence[str]) -> list[str]:
    told = []
    for key in PARTS:
        for at, row in enumerate(value.get(key, ())):
            if isinstance(row, str):
                continue  # an answer that says no place
            note = row.get("note", "")
            if note and note not in notes:
                told.append(
                    f"{key}[{at}].note: {note!r} is none of the notes that were read ({', '.join(notes) or 'none'})"
                )
            elif not note and len(notes) != 1:
                told.append(f"{key}[{at}]: say which note line {row['line']} is of")
    return told


def _built(value: Mapping[str, Any], only: str) -> Proposal:
    def place(row: Mapping[str, Any]) -> Place:
        return Place(row.get("note") or only, row["line"])

    def statements(key: str) -> list[Statement]:
        return [Statement(row["text"], place(row)) for row in value.get(key, ())]

    return Proposal(
        facts=[
            FoundFact(
                r["entity"], r["fact"], place(r), r.get("category", ""), r.get("supersedes", ""),
                tuple(r.get("related", ())), r.get("source", ""),
            )
            for r in value.get("facts", ())
        ],
        entities=[
            FoundEntity(
                r["entity"], place(r), r.get("name", ""), r.get("about", ""), tuple(r.get("triggers", ())),
                r.get("reason", ""),
            )
            for r in value.get("entities", ())
        ],
        statuses=[FoundStatus(r["entity"], r["status"], place(r)) for r in value.get("statuses", ())],
        decisions=statements("decisions"),
        lessons=statements("lessons"),
        preferences=statements("preferences"),
        questions=statements("questions"),
        answered=[
            Statement(row, NOWHERE) if isinstance(row, str) else Statement(row["text"], place(row))
            for row in value.get("answered", ())
        ],
        referenced=list(value.get("referenced", ())),
    )  # fmt: skip
