"""The index as values: mentions, entries, references. Read once, never changed; edits are in `edit`."""

from __future__ import annotations

from functools import cached_property

from openclaw_memory.index import details
from openclaw_memory.index.resolve import Status
from openclaw_memory.index.triggers import unique
from openclaw_memory.markdown import Document, Section
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Form: TypeAlias = "Literal['item', 'row', 'line']"


class Mention(Record):
    """One place of the index that makes a file an entry: an item, a table row, or a line of its own."""

    path: str
    form: Form
    line: int
    """The line the path stands on; the item or row spans `first` to `last`."""
    first: int
    last: int
    start: int
    """Where the whole link, code span or path stands in its line, to `end`; its target from `target_start`."""
    end: int
    target_start: int
    target_end: int
    base: str = ""
    """The folder that the written path is relative to."""
    section: int = -1
    """The number of its section in the document, -1 above the first heading."""
    active: bool = False
    status: Status = "ok"
    roles: tuple[str, ...] = ()
    """Rows: what each column holds."""
    also: tuple[int, ...] = ()
    """Lines nested below an item that belong to it (`- Triggers: ...`)."""
    group: tuple[int, int] = (0, 0)
    """Where the list of paths stands that share the line, (0, 0) when it is the only one."""


class Reference(Record):
    """A path named by the index at `line`: where it leads, or what is wrong with it.

    `path` is the file meant, of a dead one where it would be ("" when several, or outside); `entry` says whether it
    makes an entry or only points.
    """

    line: int
    target: str
    status: Status
    path: str = ""
    candidates: tuple[str, ...] = ()
    entry: bool = False


class IndexSection(Record):
    """A section and what stands in it (not in its sub-sections); `prose` counts lines that name no file."""

    section: Section
    kind: str
    """active, preferences, people, projects, ... or "" ."""
    language: str
    entries: int
    references: int
    prose: int


class Hidden(Record):
    """An entry that an unclosed fence or comment, opened at line `by`, hides from every reader."""

    line: int
    path: str
    by: int


class Placeholder(Record):
    """A row or item left over from a template: `| [Name] | [Link to detail] |`."""

    line: int
    text: str


class Entry:
    """One file (or folder) of the index: all of its mentions. Words are read from the lines when asked for."""

    def __init__(self, document: Document, path: str) -> None:
        self._document = document
        self.path = path
        self.mentions: list[Mention] = []

    def __repr__(self) -> str:
        return f"Entry({self.path!r}, lines={self.lines}, triggers={self.triggers})"

    @cached_property
    def parts(self) -> tuple[details.Parts, ...]:
        """What each mention says."""
        return tuple(details.read(self._document, mention) for mention in self.mentions)

    @cached_property
    def main(self) -> Mention:
        """The mention that carries the entry's words: the first outside Active Context, one with triggers before."""
        found = [mention for mention in self.mentions if not mention.active]
        said = [m for m, parts in zip(self.mentions, self.parts, strict=True) if not m.active and parts.triggers]
        return (said or found or self.mentions)[0]

    @property
    def exists(self) -> bool:
        """Whether the file is there, by the name the index gives it or by one that differs in case."""
        if self.mentions[0].status == "ok":
            return True
        return any(mention.status in ("ok", "wrong-case") for mention in self.mentions)

    @property
    def is_folder(self) -> bool:
        """Whether the entry covers all files below a folder."""
        return self.path.endswith("/")

    @property
    def name(self) -> str:
        """What the index calls the file."""
        ranked = [self.mentions.index(self.main), *range(len(self.mentions))]
        names = [self.parts[at].name for at in ranked if self.parts[at].name]
        return names[0] if names else details.stem(self.path)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names in brackets behind the name."""
        return unique(alias for parts in self.parts for alias in parts.aliases)

    @cached_property
    def written_triggers(self) -> tuple[str, ...]:
        """The triggers that its lines state, of all mentions."""
        found = [details.read_triggers(self._document, mention) for mention in self.mentions]
        return found[0] if len(found) == 1 else unique(trigger for triggers in found for trigger in triggers)

    @property
    def triggers(self) -> tuple[str, ...]:
        """The written triggers; where there are none, the aliases."""
        return self.written_triggers or self.aliases

    @property
    def about(self) -> str:
        """What the index says of the file, "" when nothing."""
        return next((parts.about for parts in self.parts if parts.about), "")

    @property
    def importance(self) -> int | None:
        """1 to 10, None when not stated."""
        return next((parts.importance for parts in self.parts if parts.importance is not None), None)

    @property
    def rev(self) -> str | None:
        """The rev its lines carry, None without one."""
        for mention in self.mentions:
            found = details.rev(self._document, mention)
            if found is not None:
                return found
        return None

    @property
    def active(self) -> bool:
        """Whether Active Context lists it."""
        return any(mention.active for mention in self.mentions)

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of all lines that belong to the entry."""
        found: set[int] = set()
        for mention in self.mentions:
            found.update(range(mention.first, mention.last + 1), mention.also)
        return tuple(sorted(found))

    @property
    def section(self) -> str:
        """The title of the section its main mention stands in, "" above the first heading."""
        at = self.main.section
        return self._document.sections[at].title if at >= 0 else ""

    def to_json(self) -> dict[str, object]:
        """The entry as plain JSON types."""
        return {
            "path": self.path,
            "name": self.name,
            "aliases": list(self.aliases),
            "triggers": list(self.triggers),
            "about": self.about,
            "importance": self.importance,
            "rev": self.rev,
            "section": self.section,
            "active": self.active,
            "exists": self.exists,
            "lines": list(self.lines),
        }


class Index:
    """A parsed index. `entries` stand in the order of their first lines, one for each path."""

    def __init__(self, document: Document, path: str = "MEMORY.md") -> None:
        self.document = document
        self.path = path
        self.language = ""  # of new headings, where those that are there tell none
        self.by_path: dict[str, Entry] = {}
        self.references: list[Reference] = []
        self.placeholders: list[Placeholder] = []
        self.hidden: list[Hidden] = []
        self.conflicts: tuple[int, ...] = ()
        self.section_kinds: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The text the index was read from."""
        return self.document.text

    @property
    def entries(self) -> list[Entry]:
        """The entries, in the order of their first lines."""
        return list(self.by_path.values())

    @property
    def active(self) -> list[str]:
        """The paths that Active Context lists, each once."""
        return [entry.path for entry in self.by_path.values() if entry.active]

    def entry(self, path: str) -> Entry | None:
        """The entry of `path` itself, not of a folder above it."""
        return self.by_path.get(path)

    def covering(self, path: str) -> Entry | None:
        """The entry of `path`, or the nearest folder entry above it."""
        if path in self.by_path:
            return self.by_path[path]
        cut = path.rfind("/")
        while cut > 0:
            found = self.by_path.get(path[: cut + 1])
            if found is not None:
                return found
            cut = path.rfind("/", 0, cut)
        return None

    @cached_property
    def hidden_paths(self) -> frozenset[str]:
        """The paths of the entries that an unclosed fence or comment hides."""
        return frozenset(hidden.path for hidden in self.hidden)

    @cached_property
    def ambiguous_paths(self) -> frozenset[str]:
        """The files that an ambiguous entry may mean; none of them is an entry."""
        found = (r.candidates for r in self.references if r.entry and r.status == "ambiguous")
        return frozenset(path for candidates in found for path in candidates)

    def lists(self, path: str) -> bool:
        """Whether the index knows the file: by an entry, a folder's entry, a hidden or an ambiguous one."""
        return self.covering(path) is not None or path in self.hidden_paths or path in self.ambiguous_paths

    def shared_triggers(self) -> dict[str, list[Entry]]:
        """The trigger keys that more than one entry has, with these entries."""
        from openclaw_memory.index.triggers import key

        owners: dict[str, list[Entry]] = {}
        for entry in self.by_path.values():
            for word in {key(trigger) for trigger in entry.triggers}:
                owners.setdefault(word, []).append(entry)
        return {word: entries for word, entries in sorted(owners.items()) if len(entries) > 1}

    @cached_property
    def sections(self) -> tuple[IndexSection, ...]:
        """The sections with what each holds."""
        from openclaw_memory.index.sections import describe

        return describe(self)
