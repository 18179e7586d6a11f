"""`memory/quarantine.json`: what text of low trust says, waiting for a verdict, and the verdicts that were given.

Facts of entities that exist wait in their own files (`provenance`). All else (entities, statuses, decisions, lessons,
preferences, questions, answers, facts of entities that do not exist yet) waits here, each as the row of a plan that it
is, so that accepting one is applying that plan. Ids come from what is said: two machines that read the same text give
it the same one. Bytes in, bytes out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from openclaw_memory.knowledge import conflict, jsonfile
from openclaw_memory.knowledge.extract.proposal import Proposal
from openclaw_memory.knowledge.normal import normal
from openclaw_memory.record import Record

PATH = "memory/quarantine.json"
PREFIX = "waiting-"
KINDS = {
    "entities": "entity", "facts": "fact", "statuses": "status", "decisions": "decision", "lessons": "lesson",
    "preferences": "preference", "questions": "question", "answered": "answer",
}  # fmt: skip
"""The lists of a plan, and what one row of each is called."""


class Waiting(Record):
    """What waits: the list of a plan that `row` is of, the row as it stands in one, and the day it was found."""

    kind: str
    row: Mapping[str, object]
    found: str

    @property
    def text(self) -> str:
        """What it says."""
        said = (self.row.get(key) for key in ("fact", "status", "text", "about", "name"))
        return next((str(each) for each in said if each), "")

    @property
    def called(self) -> str:
        """What one such row is called: `preference`."""
        return KINDS[self.kind]

    @property
    def entity(self) -> str:
        """The entity it is about, "" where it is about none."""
        return str(self.row.get("entity", ""))

    @property
    def origin(self) -> str:
        """Where it was said: `session.jsonl#L2`."""
        return f"{self.row.get('note', '?')}#L{self.row.get('line', 0)}"

    @property
    def id(self) -> str:
        """`waiting-` and eight digits of what it says."""
        return id_of(self.kind, self.entity, "" if self.kind == "entities" else self.text)

    def to_json(self) -> dict[str, object]:
        """As plain JSON types, for people who give the verdict."""
        shown = {"id": self.id, "kind": self.called, "entity": self.entity, "text": self.text}
        return {**shown, "origin": self.origin, "found": self.found}


def id_of(kind: str, entity: str, text: str) -> str:
    """The id under which a statement waits, or was settled."""
    said = "\0".join((kind, entity, normal(text))).encode("utf-8", "surrogatepass")
    return PREFIX + hashlib.sha256(said).hexdigest()[:8]


@dataclass
class Quarantine:
    """What waits, by id, and what was settled: id to `accepted 2026-03-02` or `rejected 2026-03-02`."""

    waiting: dict[str, Waiting] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)

    def add(self, found: Waiting) -> bool:
        """Let `found` wait; False where it does already, or was settled once."""
        if found.id in self.waiting or found.id in self.settled:
            return False
        self.waiting[found.id] = found
        return True

    def settle(self, waiting_id: str, verdict: str, day: str) -> None:
        """It waits no more, and what says the same is not taken in again."""
        self.waiting.pop(waiting_id, None)
        self.settled[waiting_id] = f"{verdict} {day}"

    def joined(self, other: Quarantine) -> Quarantine:
        """What waits on either side and was settled on none, with the verdicts of both."""
        settled = {**other.settled, **self.settled}
        both = {**other.waiting, **self.waiting}
        return Quarantine({key: one for key, one in both.items() if key not in settled}, settled)

    def dump(self) -> bytes:
        """The file's bytes: sorted, one row a line, so that two machines' edits merge."""
        rows = [
            {"id": key, "kind": one.kind, "found": one.found, "row": dict(one.row)}
            for key, one in sorted(self.waiting.items())
        ]
        verdicts = [{"id": key, "verdict": said} for key, said in sorted(self.settled.items())]
        parts = [f'"waiting": {_block(rows)}', f'"settled": {_block(verdicts)}']
        text = '{\n  "version": 1,\n' + ",\n".join(f"  {part}" for part in parts) + "\n}\n"
        return text.encode("utf-8", "surrogateescape")


def _block(rows: Sequence[Mapping[str, object]]) -> str:
    lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    return f"[\n{lines}\n  ]" if rows else "[]"


def parse(data: bytes | None) -> Quarantine:
    """The content of the file; of one that git left half merged that of both sides. Raises FormatError."""
    both = conflict.sides(data or b"")
    if both is not None:
        return _joined([row for side in both for row in conflict.rows(side)])
    value = jsonfile.load((data or b"").decode("utf-8", "surrogateescape"), PATH)
    lists = [value.get(key) for key in ("waiting", "settled")] if isinstance(value, dict) else []
    return _joined([row for rows in lists if isinstance(rows, list) for row in rows])


def _joined(rows: Iterable[object]) -> Quarantine:
    found = Quarantine()
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            continue
        if isinstance(row.get("verdict"), str):
            found.settled[row["id"]] = row["verdict"]
        elif row.get("kind") in KINDS and isinstance(row.get("row"), dict):
            found.waiting[row["id"]] = Waiting(row["kind"], row["row"], str(row.get("found", "")))
    found.waiting = {key: one for key, one in found.waiting.items() if key not in found.settled}
    return found


def waiting(proposal: Proposal, day: str) -> Iterator[Waiting]:
    """Every row of `proposal` as one that waits since `day`."""
    plan = proposal.to_json()
    for kind in KINDS:
        rows = plan[kind]
        for row in rows if isinstance(rows, list) else ():
            yield Waiting(kind, row if isinstance(row, dict) else {"text": row}, day)


def plan_of(chosen: Iterable[Waiting]) -> dict[str, object]:
    """The plan that consists of `chosen`."""
    plan: dict[str, list[object]] = {kind: [] for kind in KINDS}
    for one in chosen:
        plan[one.kind].append(dict(one.row) if "line" in one.row else one.text)
    return {"version": 1, **plan}
