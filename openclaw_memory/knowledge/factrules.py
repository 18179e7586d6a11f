"""OM2: what must hold in facts files, and what a commit may not do to them. Reads trees, never the disk."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, timedelta
from functools import cached_property

from openclaw_memory.errors import FormatError, GitError, OpenClawMemoryError, WorkspaceError
from openclaw_memory.findings import Finding, finding
from openclaw_memory.knowledge import chain, dates
from openclaw_memory.knowledge.factsfile import FactsFile, is_facts_file, load
from openclaw_memory.knowledge.model import CATEGORIES, Fact
from openclaw_memory.knowledge.normal import claim, normal, numberless
from openclaw_memory.knowledge.related import Names
from openclaw_memory.subject import Subject

_PLACE = re.compile(r":(\d+):\d+: (.*)")


def judge(subject: Subject) -> Iterator[Finding]:
    """Every finding on the facts files to judge, and on the facts that the commit dropped or rewrote."""
    trees = _Trees(subject)
    for path in subject.judged(trees.concerns):
        try:
            file = load(subject.tree.read(path), path)
        except (WorkspaceError, GitError):
            continue  # cannot be read at all: OM504 tells
        except FormatError as error:
            place = _PLACE.search(error.message)
            yield finding(
                "OM209", path, int(place[1]) if place else 1, place[2] if place else error.message, error.hint
            )
            continue
        yield from _File(trees, file).findings()
    if subject.tree.changes is not None:
        yield from _lost(trees)


class _Trees:
    """What several files are judged against: the entities of the tree and, where asked for, all its ids."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.categories = (*CATEGORIES, *subject.config.facts.categories)

    def concerns(self, path: str) -> bool:
        return is_facts_file(path) and self.subject.layout.entity_of(path) is not None

    @cached_property
    def names(self) -> Names:
        entities = (self.subject.layout.entity_of(path) for path in self.subject.tree.paths if _is_memory(path))
        return Names.of(entity for entity in entities if entity)

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
            for name in fact.related:
                if self.trees.names.resolve(name) is None:
                    message = f"{fact.id}: there is no entity {name}"
                    fix = f"openclaw-memory entity new {name}" if name.count("/") == 1 else "correct the name"
                    yield self._at("OM206", position, message, fix)
        yield from self._ids()
        yield from self._chains()
        yield from self._alike()

    def _at(self, code: str, position: int, message: str, fix: str = "") -> Finding:
        return finding(code, self.file.path, self.file.line(position), message, fix)

    def _schema(self, position: int, fact: Fact) -> Iterator[Finding]:
        for key, problem in fact.problems:
            fix = f"openclaw-memory fact repair {self.entity}" if key in ("accessCount", "id") else "correct it by hand"
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

    def _ids(self) -> Iterator[Finding]:
        seen: dict[str, int] = {}
        for position, fact in enumerate(self.file.facts):
            if fact.id and fact.id in seen:
                first = self.file.line(seen[fact.id])
                fix = f"openclaw-memory fact repair {self.entity}"
                yield self._at("OM202", position, f"the id {fact.id} stands in line {first} too", fix)
            seen.setdefault(fact.id, position)

    def _chains(self) -> Iterator[Finding]:
        found = chain.breaks(self.file.facts)
        if any(broken.trouble == "dangling" for broken in found):
            found = chain.breaks(self.file.facts, self.trees.ids)
        for broken in found:
            fact = self.file.facts[broken.position]
            half = broken.trouble == "active-with-pointer"
            fix = (
                f"openclaw-memory fact repair {self.entity}"
                if half
                else "point supersededBy at the fact that replaced it"
            )
            told = f" ({broken.target})" if broken.target else ""
            yield self._at("OM205", broken.position, f"{fact.id} {chain.MEANINGS[broken.trouble]}{told}", fix)

    def _alike(self) -> Iterator[Finding]:
        """Active facts that say the same, deny each other, or differ in one number only."""
        said: dict[str, Fact] = {}
        claims: dict[str, tuple[bool, Fact]] = {}
        frames: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for position, fact in enumerate(self.file.facts):
            if not fact.active or fact.redacted or not fact.text:
                continue
            same = said.setdefault(normal(fact.text), fact)
            if same is not fact:
                fix = f"leave it, or: openclaw-memory fact supersede {self.entity}:{same.id} TEXT"
                yield self._at("OM207", position, f"{fact.id} says what {same.id} says", fix)
                continue
            about, denied = claim(fact.text)
            first = claims.setdefault(about, (denied, fact))
            if first[0] != denied:
                yield self._contradiction(position, fact, first[1])
            frame, number = numberless(fact.text)
            if frame:
                frames[frame].append((position, number))
        for found in frames.values():
            if len(found) == 2 and found[0][1] != found[1][1]:  # more of them are a series
                yield self._contradiction(found[1][0], self.file.facts[found[1][0]], self.file.facts[found[0][0]])

    def _contradiction(self, position: int, fact: Fact, other: Fact) -> Finding:
        fix = f"if it changed: openclaw-memory fact supersede {self.entity}:{other.id} TEXT"
        return self._at("OM208", position, f"{fact.id} and {other.id} may contradict each other", fix)


def _lost(trees: _Trees) -> Iterator[Finding]:
    """Facts of the parent's tree that the commit dropped or whose text it rewrote, looking through moves: a fact may
    turn up in any facts file that the commit writes."""
    subject = trees.subject
    changes = {path: status for path, status in (subject.tree.changes or {}).items() if trees.concerns(path)}
    old = {path: _parsed(subject.tree.before, path) for path, status in changes.items() if status != "A"}
    new = {path: _parsed(subject.tree.read, path) for path, status in changes.items() if status != "D"}
    now = _Now(file for file in new.values() if file)
    for path, file in old.items():
        here = new.get(path)
        if file is None or (path in new and here is None):
            continue  # unreadable: nothing to compare, and OM209 tells
        entity = subject.layout.entity_of(path)
        texts = Counter(fact.text for fact in file.facts)
        for fact in file.facts:
            code = now.verdict(fact, here, texts[fact.text])
            if code:
                yield _told(code, path, f"{entity}:{fact.id}" if fact.id else f"a fact of {entity}", here, fact)


def _parsed(read: Callable[[str], bytes | None], path: str) -> FactsFile | None:
    try:
        data = read(path)
        return None if data is None else load(data, path)
    except OpenClawMemoryError:
        return None


class _Now:
    """The facts of all files that the commit writes."""

    def __init__(self, files: Iterable[FactsFile]) -> None:
        self.pairs: set[tuple[str, str]] = set()
        self.by_id: dict[str, list[Fact]] = defaultdict(list)
        self.texts: Counter[str] = Counter()
        self.texts_of: dict[str, Counter[str]] = {}
        for file in files:
            self.pairs.update((fact.id, fact.text) for fact in file.facts)
            self.texts_of[file.path] = Counter(fact.text for fact in file.facts)
            self.texts.update(self.texts_of[file.path])
            for fact in file.facts:
                self.by_id[fact.id].append(fact)

    def verdict(self, fact: Fact, here: FactsFile | None, times: int) -> str:
        """`OM203` for a fact that is gone, `OM204` for one whose text is another, "" for one that is kept: as it is,
        as a tombstone, or renumbered (its text stands as many `times` as before, in its file or where that moved)."""
        if (fact.id, fact.text) in self.pairs:
            return ""
        same = self.by_id.get(fact.id, []) if fact.id else []
        if not fact.redacted and any(other.redacted for other in same):
            return ""
        texts = self.texts if here is None else self.texts_of[here.path]
        if not fact.redacted and texts[fact.text] >= times:
            return ""
        in_place = here is not None and fact.id in here.by_id
        return "OM204" if fact.id and not fact.redacted and (in_place or (here is None and same)) else "OM203"


def _told(code: str, path: str, name: str, file: FactsFile | None, fact: Fact) -> Finding:
    line = file.line(file.by_id[fact.id]) if file and fact.id in file.by_id else 0
    back = f"git checkout HEAD -- '{path}', then"
    if code == "OM203":
        return finding(
            code, path, line, f"{name} was dropped", f"{back} openclaw-memory fact redact {name} --reason WHY"
        )
    return finding(
        code, path, line, f"the text of {name} was rewritten", f"{back} openclaw-memory fact supersede {name} TEXT"
    )
