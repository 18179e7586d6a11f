"""OM2: what must hold in facts files, and what a commit may not do to them; OM602, orders in facts.

Reads trees, never the disk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from functools import cache, cached_property

from openclaw_memory import safety
from openclaw_memory.errors import FormatError, GitError, OpenClawMemoryError, WorkspaceError
from openclaw_memory.facts import dates
from openclaw_memory.facts.model import CATEGORIES, Fact
from openclaw_memory.findings import Finding, finding
from openclaw_memory.knowledge import chain
from openclaw_memory.knowledge.factsfile import MARKERS, FactsFile, is_facts_file, load
from openclaw_memory.knowledge.normal import claim, normal, numberless
from openclaw_memory.knowledge.related import Names, slug_of
from openclaw_memory.subject import Subject

_PLACE = re.compile(r":(\d+):\d+: (.*)")


def judge(subject: Subject) -> Iterator[Finding]:
    """Every finding on the facts files to judge, and on the facts that the commit dropped or rewrote."""
    trees, now = _Trees(subject), _Now()
    for path in subject.judged(trees.concerns):
        try:
            file = load(subject.tree.read(path), path)
        except (WorkspaceError, GitError):
            continue  # cannot be read at all: OM504 tells
        except FormatError as error:
            place = _PLACE.search(error.message)
            line, message = (int(place[1]), place[2]) if place else (1, error.message)
            fix = error.hint or "put that place right"
            if message == MARKERS:
                entity = subject.layout.entity_of(path) or ""
                fix = subject.command("fact", "repair", entity, stage=[path])
            yield finding("OM209", path, line, message, fix)
            continue
        yield from _File(trees, file).findings()
        if subject.tree.changes is not None:
            now.add(file)
        del file  # a large one is gone before its old version is read
    if subject.tree.changes is not None:
        yield from _lost(trees, now)


class _Trees:
    """What several files are judged against: the entities of the tree and, where asked for, all its ids."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.categories = frozenset((*CATEGORIES, *subject.config.facts.categories))

    def concerns(self, path: str) -> bool:
        return is_facts_file(path) and self.subject.layout.entity_of(path) is not None

    @cached_property
    def resolve(self) -> Callable[[str], str | None]:
        """The entity that a name in `relatedEntities` means."""
        entities = (self.subject.layout.entity_of(path) for path in self.subject.tree.paths if _is_memory(path))
        return cache(Names.of(entity for entity in entities if entity).resolve)

    @cached_property
    def ids(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.subject.tree.paths:
            if self.concerns(path):
                try:
                    found.update(fact.id for fact in load(self.subject.tree.read(path), path).facts)
                except OpenClawMemoryError:
                    continue  # has its own finding
        return frozenset(found)


def _is_memory(path: str) -> bool:
    return path.endswith(".md") or is_facts_file(path)


class _File:
    """The findings on one facts file."""

    def __init__(self, trees: _Trees, file: FactsFile) -> None:
        self.trees = trees
        self.file = file
        self.entity = trees.subject.layout.entity_of(file.path) or ""
        self.today = trees.subject.today + timedelta(days=1)  # a machine east of here is not in the future

    def findings(self) -> Iterator[Finding]:
        for position, fact in enumerate(self.file.facts):
            yield from self._schema(position, fact)
            yield from self._dates(position, fact)
            if fact.active:
                yield from self._orders(position, fact)
            for name in fact.related:
                if self.trees.resolve(name) is None:
                    message = f"{fact.id}: there is no entity {name}"
                    yield self._at("OM206", position, message, self._entity_fix(name))
        yield from self._ids()
        yield from self._chains()
        yield from self._alike()

    def _at(self, code: str, position: int, message: str, fix: str = "") -> Finding:
        return finding(code, self.file.path, self.file.line(position), message, fix)

    def _command(self, *words: str) -> str:
        return self.trees.subject.command("fact", *words, stage=[self.file.path])

    def _entity_fix(self, name: str) -> str:
        """How a related entity comes to be; where no kind is told, a person has to say who is meant."""
        subject = self.trees.subject
        kind, _, slug = name.partition("/")
        if kind not in subject.layout.kinds or kind == "archives" or slug_of(slug) != slug:
            return "correct the name, or make that entity"
        new = subject.layout.files_of(name)[1]
        return subject.command("entity", "new", name, stage=[subject.config.index.path, new])

    def _schema(self, position: int, fact: Fact) -> Iterator[Finding]:
        for key, problem in fact.problems:
            fix = self._command("repair", self.entity) if key in ("accessCount", "id") else f"correct {key} there"
            yield self._at("OM201", position, f"{fact.id or 'a fact without id'}: {key} {problem}", fix)
        if fact.category and fact.category not in self.trees.categories:
            fix = f"one of {', '.join(self.trees.categories)}, or add it to `facts.categories` in the config"
            yield self._at("OM201", position, f"{fact.id}: {fact.category!r} is no category", fix)

    def _dates(self, position: int, fact: Fact) -> Iterator[Finding]:
        for key, value in (("timestamp", fact.timestamp), ("lastAccessed", fact.last_accessed)):
            kind = dates.read(value, UTC, self.today).kind
            if kind in ("unreadable", "future"):
                told = "is no date that can be read" if kind == "unreadable" else "lies in the future"
                yield self._at("OM210", position, f"{fact.id}: {key} {value!r} {told}", "write it as YYYY-MM-DD")

    def _orders(self, position: int, fact: Fact) -> Iterator[Finding]:
        """Text that a model may obey, judged by the source of the fact."""
        for hit in safety.instructions(fact.text, foreign=safety.untrusted(str(fact.source or ""))):
            message = f"{fact.id}: {hit.kind}; a model that loads this fact may obey it"
            fix = f"say what is known instead: {self._supersede(fact.id)}"
            yield self._at("OM602", position, message, fix)

    def _ids(self) -> Iterator[Finding]:
        for position, fact in enumerate(self.file.facts):
            if fact.id and (first := self.file.by_id[fact.id]) != position:
                message = f"the id {fact.id} stands in line {self.file.line(first)} too"
                yield self._at("OM202", position, message, self._command("repair", self.entity))

    def _chains(self) -> Iterator[Finding]:
        found = chain.breaks(self.file.facts)
        if any(broken.trouble == "dangling" for broken in found):
            found = chain.breaks(self.file.facts, self.trees.ids)
        for broken in found:
            fact = self.file.facts[broken.position]
            fix = "point supersededBy at the fact that replaced it"
            if broken.trouble == "active-with-pointer":
                fix = self._command("repair", self.entity)
            told = f" ({broken.target})" if broken.target else ""
            yield self._at("OM205", broken.position, f"{fact.id} {chain.MEANINGS[broken.trouble]}{told}", fix)

    def _alike(self) -> Iterator[Finding]:
        """Active facts that say the same, deny each other, or differ in one number only.

        What they say is remembered by hash: of 100,000 facts the texts would be held four times.
        """
        facts = self.file.facts
        said: dict[int, int] = {}
        claims: dict[int, tuple[bool, int]] = {}
        frames: dict[int, list[int]] = {}
        for position, fact in enumerate(facts):
            if not fact.active or fact.redacted or not fact.text:
                continue
            same = facts[said.setdefault(hash(normal(fact.text)), position)]
            if same is not fact:
                fix = f"leave it, or: {self._supersede(same.id)}"
                yield self._at("OM207", position, f"{fact.id} says what {same.id} says", fix)
                continue
            about, denied = claim(fact.text)
            first = claims.setdefault(hash(about), (denied, position))
            if first[0] != denied:
                yield self._contradiction(position, first[1])
            frame, _ = numberless(fact.text)
            if frame:
                frames.setdefault(hash(frame), []).append(position)
        for found in frames.values():
            if len(found) == 2 and len({numberless(facts[at].text)[1] for at in found}) == 2:  # more are a series
                yield self._contradiction(found[1], found[0])

    def _contradiction(self, position: int, other: int) -> Finding:
        one, first = self.file.facts[position].id, self.file.facts[other].id
        fix = f"leave them, or if it changed: {self._supersede(first)}"
        return self._at("OM208", position, f"{one} and {first} may contradict each other", fix)

    def _supersede(self, fact_id: str) -> str:
        return self._command("supersede", f"{self.entity}:{fact_id}", "TEXT")


Pair = tuple[str, str]
"""The id and the text of a fact: all of it that no commit may change."""


@dataclass
class _Now:
    """The facts of all files that the commit writes, by file, and the ids of tombstones."""

    pairs: dict[str, set[Pair]] = field(default_factory=dict)
    stones: set[str] = field(default_factory=set)

    def add(self, file: FactsFile) -> None:
        """Remember the facts of `file`, but not the file."""
        self.pairs[file.path] = {(fact.id, fact.text) for fact in file.facts}
        self.stones.update(fact.id for fact in file.facts if fact.redacted and fact.id)

    @cached_property
    def all(self) -> frozenset[Pair]:
        """The facts of all files."""
        return frozenset().union(*self.pairs.values())

    def verdicts(self, old: FactsFile) -> list[tuple[str, Fact]]:
        """The code and the fact for each of `old` that is gone (OM203) or whose text is another (OM204). It is kept
        where it stands as it did in any file, as a tombstone, or renumbered: its text as many times as before, in its
        file or where that moved."""
        here = self.pairs.get(old.path)
        gone = [fact for fact in old.but(here or ()) if (fact.id, fact.text) not in self.all]
        if not gone:
            return []
        where = self.all if here is None else here
        texts, ids = {fact.text for fact in gone}, {fact.id for fact in gone}
        before = Counter(text for _, text in {(fact.id, fact.text) for fact in old.facts if fact.text in texts})
        now = Counter(text for _, text in where if text in texts)
        known = {fact_id for fact_id, _ in where if fact_id in ids}
        return [
            ("OM204" if fact.id in known and fact.id and not fact.redacted else "OM203", fact)
            for fact in gone
            if fact.redacted or not (fact.id in self.stones or now[fact.text] >= before[fact.text])
        ]


def _lost(trees: _Trees, now: _Now) -> Iterator[Finding]:
    """Facts of the parent's tree that the commit dropped or whose text it rewrote."""
    subject = trees.subject
    for path, status in (subject.tree.changes or {}).items():
        if status == "A" or not trees.concerns(path) or (status != "D" and path not in now.pairs):
            continue  # unreadable: nothing to compare, and OM209 tells
        old = _parsed(subject.tree.before, path)
        verdicts = now.verdicts(old) if old else []
        del old
        here = _parsed(subject.tree.read, path) if verdicts and path in now.pairs else None
        entity = subject.layout.entity_of(path)
        for code, fact in verdicts:
            line = here.line(here.by_id[fact.id]) if here and fact.id in here.by_id else 0
            name = f"{entity}:{fact.id}" if fact.id else f"{fact.text[:60]!r} of {entity}"
            yield _told(subject, code, path, line, name)


def _parsed(read: Callable[[str], bytes | None], path: str) -> FactsFile | None:
    try:
        data = read(path)
        return None if data is None else load(data, path)
    except OpenClawMemoryError:
        return None


def _told(subject: Subject, code: str, path: str, line: int, name: str) -> Finding:
    """What was done to a fact; the fix brings the file back, and keeps beside it what the commit made of it."""
    what = {"OM203": f"{name} was dropped", "OM204": f"the text of {name} was rewritten"}[code]
    return finding(code, path, line, what, subject.put_back(path))
