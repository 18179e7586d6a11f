"""The entities of a workspace on disk and their facts, read once and kept. Reads only; writing is `facts`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from openclaw_memory import fsio
from openclaw_memory.errors import UsageError
from openclaw_memory.facts.model import Fact
from openclaw_memory.knowledge.factsfile import NAMES, FactsFile, is_facts_file, load
from openclaw_memory.knowledge.related import Names
from openclaw_memory.record import Record
from openclaw_memory.workspace import Workspace

MAX_BYTES = 256 << 20


class Entity(Record):
    """`name` is canonical (`people/jane`, archived `archives/people/jane`); `main` its Markdown, `facts` its facts
    file, both relative to the root and "" where there is none; `others` are further facts files."""

    name: str
    main: str = ""
    facts: str = ""
    others: tuple[str, ...] = ()
    single: bool = False
    """Whether `main` is `<slug>.md` beside other entities, not a file in a folder of its own."""

    @property
    def slug(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]

    @property
    def kind(self) -> str:
        """`people`, `projects` ...; of an archived entity the kind it had."""
        return self.name.split("/")[-2]

    @property
    def place(self) -> str:
        """The file to name to a person: its Markdown, else its facts."""
        return self.main or self.facts

    @property
    def archived(self) -> bool:
        """Whether it lies in the archive."""
        return self.name.startswith("archives/")


class Found(Record):
    """One fact and where it stands."""

    entity: Entity
    file: FactsFile
    position: int

    @property
    def fact(self) -> Fact:
        """The fact itself."""
        return self.file.facts[self.position]

    @property
    def reference(self) -> str:
        """What names it in the whole workspace: `people/jane:jane-001`."""
        return f"{self.entity.name}:{self.fact.id}"


class Store:
    """Everything of one workspace, for one command: make a new one to see later changes."""

    def __init__(self, ws: Workspace) -> None:
        self.ws = ws
        self._files: dict[str, FactsFile] = {}

    @cached_property
    def _walked(self) -> list[str]:
        """Every Markdown and facts file below the roots of the layout, sorted."""
        return sorted(rel for top in self.ws.layout.roots for rel in self.ws.walk(top, NAMES))

    @cached_property
    def detail_files(self) -> list[str]:
        """Every detail file, sorted, by the one walk that finds the facts."""
        return [rel for rel in self._walked if self.ws.layout.is_detail(rel)]

    @cached_property
    def entities(self) -> dict[str, Entity]:
        """Every entity by name, sorted."""
        found: dict[str, Entity] = {}
        for rel in self._walked:
            name = self.ws.layout.entity_of(rel)
            if name is not None:
                found[name] = self._with(found.get(name) or Entity(name), rel)
        return dict(sorted(found.items()))

    def _with(self, entity: Entity, rel: str) -> Entity:
        if is_facts_file(rel):
            if not entity.facts:
                return entity._replace(facts=rel)
            first, *rest = sorted((entity.facts, rel, *entity.others), key=_rank)
            return entity._replace(facts=first, others=tuple(rest))
        if not self.ws.layout.is_detail(rel):
            return entity
        if entity.main and not rel.endswith("/summary.md"):
            return entity
        inside = self.ws.layout.entity_of(f"{rel.rpartition('/')[0]}/_.md") == entity.name
        return entity._replace(main=rel, single=not inside)

    @cached_property
    def names(self) -> Names:
        """For resolving what `relatedEntities` say."""
        return Names.of(self.entities)

    def entity(self, written: str) -> Entity:
        """The entity that a user means. Raises UsageError where there is none, or several fit."""
        name = self.names.resolve(written)
        if name is None:
            import difflib

            near = difflib.get_close_matches(written, self.entities, 3)
            hint = f"did you mean {', '.join(near)}?" if near else "see `openclaw-memory entity list`"
            raise UsageError(f"there is no entity {written!r}, or several are called so", hint)
        return self.entities[name]

    def file(self, rel: str) -> FactsFile:
        """The facts file at `rel`. Raises FormatError naming line and column."""
        if rel not in self._files:
            self._files[rel] = load(fsio.read(self.ws.path(rel), limit=MAX_BYTES, binary=True), rel)
        return self._files[rel]

    def files_of(self, entity: Entity) -> Iterator[FactsFile]:
        """Its facts files, the one that is written to first."""
        for rel in (entity.facts, *entity.others):
            if rel:
                yield self.file(rel)

    def facts_of(self, entity: Entity) -> Iterator[Found]:
        """Its facts, in the order of the files."""
        for file in self.files_of(entity):
            for position in range(len(file.facts)):
                yield Found(entity, file, position)

    def all(self) -> Iterator[Found]:
        """Every fact of the workspace."""
        for entity in self.entities.values():
            yield from self.facts_of(entity)

    def find(self, reference: str) -> Found:
        """The fact `jane-001`, or `people/jane:jane-001` where several have that id.

        Raises UsageError where none has it, or several have.
        """
        owner, _, fact_id = reference.rpartition(":")
        if owner:
            matches = [found for found in self.facts_of(self.entity(owner)) if found.fact.id == fact_id]
        else:
            matches = [found for found in self._likely(fact_id) if found.fact.id == fact_id]
        if len(matches) == 1:
            return matches[0]
        if not matches:
            raise UsageError(f"there is no fact {reference}", "see `openclaw-memory fact list`")
        if owner:
            raise UsageError(f"{len(matches)} facts have the id {reference}", "run `openclaw-memory fact repair`")
        names = ", ".join(match.reference for match in matches[:5])
        raise UsageError(f"{len(matches)} facts have the id {fact_id}", f"name the entity too: {names}")

    def _likely(self, fact_id: str) -> Iterator[Found]:
        """The facts of the files whose bytes hold the id at all: most files need not be parsed."""
        wanted = fact_id.encode("utf-8", "surrogateescape")
        for entity in self.entities.values():
            for rel in (entity.facts, *entity.others):
                if rel and wanted in fsio.read(self.ws.path(rel), limit=MAX_BYTES, binary=True):
                    file = self.file(rel)
                    yield from (Found(entity, file, position) for position in range(len(file.facts)))


def _rank(rel: str) -> int:
    return NAMES.index(rel.rpartition("/")[2])
