"""Three-way merge of the files that hold facts: what git's merge driver does with them. Bytes in, bytes out.

Git merges two lists of facts line by line: into one id given twice, into the same fact twice, into broken JSON. Here
every fact of both sides is kept, a fact that both added is one, and of two facts with one id the younger gets another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date

from openclaw_memory.errors import FormatError
from openclaw_memory.facts import dates
from openclaw_memory.facts.model import REDACTED, Fact
from openclaw_memory.knowledge import chain, conflict, decayfile
from openclaw_memory.knowledge.extract import quarantine
from openclaw_memory.knowledge.factsfile import FactsFile, Values, is_facts_file, load
from openclaw_memory.knowledge.normal import normal
from openclaw_memory.record import Record

_POINTERS = ("supersededBy", "supersedes")


class Merged(Record):
    """The merged bytes, with conflict markers around each of `conflicts` (ids); `told` is what a person should know."""

    data: bytes
    conflicts: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def handles(path: str) -> bool:
    """Whether `path` (in the repository) is a file that this module merges."""
    return is_facts_file(path) or any(f"/{path}".endswith(f"/{one}") for one in (decayfile.PATH, quarantine.PATH))


def merge(base: bytes, ours: bytes, theirs: bytes, path: str) -> Merged:
    """Join `ours` and `theirs`, which both came from `base`. Raises FormatError for a side that cannot be parsed, or
    whose facts do not stand on lines of their own where a conflict has to be shown."""
    if is_facts_file(path):
        return _Facts(load(base, path), load(ours, path), load(theirs, path)).merged()
    if f"/{path}".endswith(f"/{quarantine.PATH}"):
        both = quarantine.parse(ours).joined(quarantine.parse(theirs))
        return Merged(both.dump())
    return Merged(decayfile.merged(*map(decayfile.parse, (base, ours, theirs))).dump())


class _Facts:
    """Three versions of one facts file."""

    def __init__(self, base: FactsFile, ours: FactsFile, theirs: FactsFile) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.told: list[str] = []
        for file in (ours, theirs):
            for position, fact in enumerate(file.facts):
                if not fact.record:
                    raise FormatError(f"{file.path}:{file.line(position)}: this entry is no object", "make it one")

    def merged(self) -> Merged:
        """Our facts in their order, then what only they have."""
        pairs = dict(self._pairs())
        renamed, theirs_renamed = self._renamed(pairs)
        ours = [_values(fact, renamed) for fact in self.ours.facts]
        theirs = [_values(fact, theirs_renamed) for fact in self.theirs.facts]
        chosen = [dict(values) for values in ours]
        other = [dict(values) for values in ours]
        for at, their in pairs.items():
            known = self.base.by_id.get(self.ours.facts[at].id)
            before = _values(self.base.facts[known], {}) if known is not None else None
            chosen[at], other[at] = _joined(before, ours[at], {**theirs[their], "id": ours[at].get("id")})
        paired = set(pairs.values())
        added = [values for position, values in enumerate(theirs) if position not in paired]
        first, second = (self._written(each, added) for each in (chosen, other))
        disputed = [at for at in pairs if chosen[at] != other[at]]
        ids = tuple(str(chosen[at].get("id", "")) for at in disputed)
        data = _marked(load(first, self.ours.path), load(second, self.ours.path), disputed) if disputed else first
        return Merged(data, ids, tuple(self.told))

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """(our position, their position) of what is one fact: by an id that the base has, or that both gave to the same
        words; by the words alone where both are new."""
        fresh = {
            normal(fact.text): at
            for at, fact in enumerate(self.ours.facts)
            if fact.id not in self.base.by_id and not fact.redacted
        }
        taken: set[int] = set()
        for their, fact in enumerate(self.theirs.facts):
            known = fact.id in self.base.by_id
            at = self.ours.by_id.get(fact.id) if known else fresh.get(normal(fact.text))
            if at is not None and at not in taken:
                taken.add(at)
                yield at, their

    def _renamed(self, pairs: Mapping[int, int]) -> tuple[dict[str, str], dict[str, str]]:
        """New ids for facts of ours and of theirs, by their old ones."""
        ours: dict[str, str] = {}
        theirs = {
            self.theirs.facts[their].id: self.ours.facts[at].id
            for at, their in pairs.items()
            if self.theirs.facts[their].id != self.ours.facts[at].id
        }
        paired = set(pairs.values())
        clashing = [
            fact for at, fact in enumerate(self.theirs.facts) if at not in paired and fact.id in self.ours.by_id
        ]
        everything = [*self.ours.facts, *self.theirs.facts]
        fresh = chain.next_ids(everything, chain.stem(clashing[0].id), len(clashing)) if clashing else []
        for fact, new in zip(clashing, fresh, strict=True):
            mine = self.ours.facts[self.ours.by_id[fact.id]]
            ours_is_younger = fact.id not in self.base.by_id and _age(mine) > _age(fact)
            (ours if ours_is_younger else theirs)[fact.id] = new
            self.told.append(f"{fact.id} was given twice; the younger is now {new}")
        return ours, theirs

    def _written(self, wanted: list[dict[str, object]], added: list[dict[str, object]]) -> bytes:
        changes: dict[int, Values] = {}
        for position, values in enumerate(wanted):
            was = _values(self.ours.facts[position], {})
            if news := {key: value for key, value in values.items() if key not in was or was[key] != value}:
                changes[position] = news
        return self.ours.rewrite(changes, added)


def _values(fact: Fact, renamed: Mapping[str, str]) -> dict[str, object]:
    """The record of a fact under canonical keys, with new ids where it or what it points at was `renamed`."""
    values = dict(conflict.values(fact))
    for key in ("id", *_POINTERS):
        value = values.get(key)
        if isinstance(value, str):
            owner, colon, bare = value.rpartition(":")
            values[key] = owner + colon + renamed.get(bare, bare)
    return values


def _joined(base: Values | None, ours: Values, theirs: Values) -> tuple[dict[str, object], dict[str, object]]:
    """Both versions of one fact in one; the second differs from the first where only a person can judge."""
    chosen, other = dict(ours), dict(ours)
    for key in dict.fromkeys((*ours, *theirs)):
        answers = _three_way(key, (base or {}).get(key), ours.get(key), theirs.get(key))
        if key in ours or answers[0] is not None:
            chosen[key] = answers[0]
            other[key] = answers[-1] if base is not None else answers[0]
    return chosen, other


def _three_way(key: str, base: object, ours: object, theirs: object) -> tuple[object, ...]:
    """The value of `key`; two where both sides changed it and neither is right by rule."""
    if theirs in (ours, base, None):
        return (ours,)
    if ours in (base, None):
        return (theirs,)
    if key == "accessCount" and isinstance(ours, int) and isinstance(theirs, int):
        return (ours + theirs - (base if isinstance(base, int) else 0),)  # each side counted its own accesses
    if key == "lastAccessed":
        return (max(ours, theirs, key=_day),)
    if key == "fact" and REDACTED in (ours, theirs):
        return (REDACTED,)
    if key == "status":
        return ("superseded",)
    if isinstance(ours, list) and isinstance(theirs, list):
        return ([*ours, *(each for each in theirs if each not in ours)],)
    return ours, theirs


def _day(value: object) -> date:
    return dates.read(value, UTC, date.max).day or date.min


def _age(fact: Fact) -> date:
    """A fact without a day that can be read counts as the youngest."""
    return dates.read(fact.timestamp, UTC, date.max).day or date.max


def _marked(ours: FactsFile, theirs: FactsFile, disputed: list[int]) -> bytes:
    """`ours` with the lines of each disputed fact as both sides have them, between git's markers."""
    text, at, pieces = ours.parsed.text, 0, []
    for position in sorted(disputed):
        start, end = _lines(ours, position)
        other = theirs.parsed.text[slice(*_lines(theirs, position))]
        pieces.append(f"{text[at:start]}<<<<<<< ours\n{text[start:end]}=======\n{other}>>>>>>> theirs\n")
        at = end
    return ("".join(pieces) + text[at:]).encode("utf-8", "surrogateescape")


def _lines(file: FactsFile, position: int) -> tuple[int, int]:
    """From where to where the lines of a fact go. Raises FormatError where they hold anything else."""
    text = file.parsed.text
    start, end = file.parsed.spans[position]
    above, below = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1
    if text[above:start].strip(" \t-") or not below or text[end:below].strip(" \t\r\n,"):
        raise FormatError(f"{file.path}:{file.line(position)}: not on lines of its own", "merge it by hand")
    return above, below
