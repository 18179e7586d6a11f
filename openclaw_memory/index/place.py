"""Where a new entry goes: the section its folder's entries stand in, the section of its kind, or a new one.

Reads an `Index`, changes nothing.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable

from openclaw_memory.index.model import Index, Mention
from openclaw_memory.index.words import column_role, folder_kind, is_kind, kind_title, says_nothing
from openclaw_memory.markdown import Block, Section
from openclaw_memory.record import Record


class Place(Record):
    """Below line `after`; like `template` or, in a table without entries, like the header at line `header`.

    `blank` asks for an empty line before, `instead` names a line to take the place of (`(none yet)`).
    `heading` is set where a section has to be made first.
    """

    after: int
    template: Mention | None = None
    header: int = 0
    blank: bool = False
    instead: int = 0
    heading: str = ""


def folder_of(path: str) -> str:
    """The folder that groups a file with its like: of `memory/people/jane/summary.md` it is `memory/people`, and so
    it is of `memory/people/`, which all of its kind lie in."""
    if path.endswith("/") and is_kind(posixpath.basename(path[:-1])):
        return path[:-1]
    folder = posixpath.dirname(path.rstrip("/"))
    return posixpath.dirname(folder) if posixpath.basename(path) == "summary.md" else folder


def place_for(index: Index, path: str) -> Place:
    """The place of a new entry for `path`, outside Active Context."""
    mentions = [m for entry in index.entries for m in entry.mentions if not m.active]
    like = [m for m in mentions if folder_of(m.path) == folder_of(path)]
    if like:
        counts = Counter(m.section for m in like)
        section = max(counts, key=lambda at: (any(m.section == at and _tells(index, m) for m in like), counts[at], -at))
        return _below(index, [m for m in like if m.section == section])
    names = [name for name in folder_of(path).split("/") if not name.isdigit()]  # an archive's years are no kinds
    kind = folder_kind(names[-1]) if len(names) > 1 else "resources"  # what lies in `memory/` itself is of no kind
    if "archive" in map(folder_kind, names[1:]):  # whatever it was before
        kind = "archive"
    sections = index.document.sections
    for at, section_kind in enumerate(index.section_kinds):
        if kind in (section_kind[0], sections[at].title.strip().casefold()):
            here = [m for m in mentions if m.section == at]
            return _below(index, here) if here else _in_section(index, sections[at])
    general = {m.section for m in mentions if not _kind(index, m.section)}
    if len(general) == 1 and len({m.section for m in mentions}) == 1:
        return _below(index, mentions)
    return _new_section(index, mentions, kind)


def place_for_active(index: Index) -> Place:
    """The place of a new line in Active Context."""
    active = [m for entry in index.entries for m in entry.mentions if m.active]
    if active:
        return _below(index, active)
    sections = index.document.sections
    for at, (kind, _) in enumerate(index.section_kinds):
        if kind == "active":
            return _in_section(index, sections[at])
    first = next((section for section in sections if section.level > 1), None)
    after = first.line - 1 if first else len(index.document.lines)
    return Place(after, blank=True, heading=_heading(index, "active", first.level if first else 2))


def _tells(index: Index, mention: Mention) -> bool:
    """Whether the line of a mention has a place for triggers."""
    return "triggers" in mention.roles or "<!-- trigger" in index.document.lines[mention.line - 1].text


def _kind(index: Index, section: int) -> str:
    return index.section_kinds[section][0] if section >= 0 else ""


def _below(index: Index, mentions: Iterable[Mention]) -> Place:
    """Below the last of `mentions`, which is also what the new line looks like."""
    last = max(mentions, key=lambda m: m.first)
    if last.form != "item":
        return Place(last.last, last)
    item = _item_at(index, last.first)
    return Place(index.document.extent(item), last, blank=_is_loose(index, last))


def _item_at(index: Index, number: int) -> Block:
    return next(block for block in index.document.blocks if block.kind == "item" and block.first == number)


def _is_loose(index: Index, last: Mention) -> bool:
    """Whether empty lines stand between the items of the list that `last` ends."""
    siblings = sorted(
        m.first for e in index.entries for m in e.mentions if m.section == last.section and m.form == "item"
    )
    at = siblings.index(last.first)
    return at > 0 and siblings[at - 1] < last.first - 1 and _blank(index, last.first - 1)


def _blank(index: Index, number: int) -> bool:
    lines = index.document.lines
    return number < 1 or number > len(lines) or not lines[number - 1].text.strip(" \t\ufeff")


def _in_section(index: Index, section: Section) -> Place:
    """In a section that has no entries yet."""
    blocks = [
        block
        for block in index.document.blocks
        if section.body <= block.first <= section.own_last and block.kind != "blank" and not block.quote
    ]
    for block in blocks:
        if block.kind == "table" and {"path", "triggers"} & {column_role(cell) for cell in block.rows[0]}:
            return Place(block.last, header=block.first)
    for block in blocks:
        if block.first == block.last and block.kind in ("paragraph", "item") and says_nothing(block.text):
            return Place(block.first - 1, instead=block.first)
    last = blocks[-1] if blocks else None
    after = last.last if last else section.body - 1
    if last is not None and last.kind == "item" and not last.depth:
        return Place(after)
    return Place(after, blank=_spaced(index, after))


def _spaced(index: Index, after: int) -> bool:
    """Whether an empty line belongs between line `after` and what is put below it."""
    if after < len(index.document.lines):
        return _blank(index, after + 1)
    sections = index.document.sections
    return all(_blank(index, section.body) for section in sections[:-1])


def _new_section(index: Index, mentions: list[Mention], kind: str) -> Place:
    """A new section below the last one that holds entries, in the form of the last entry."""
    template = max(mentions, key=lambda m: m.first, default=None)
    levels = Counter(
        section.level for section, kind in zip(index.document.sections, index.section_kinds, strict=True) if kind[0]
    )
    level = max(levels.most_common(1)[0][0], 2) if levels else 2
    around = [
        section.last
        for section in index.document.sections
        if template is not None and section.line < template.first <= section.last and section.level <= level
    ]
    after = around[-1] if around and level > 1 else len(index.document.lines)
    while after > 0 and _blank(index, after):
        after -= 1
    return Place(after, template, blank=True, heading=_heading(index, kind, level))


def _heading(index: Index, kind: str, level: int) -> str:
    """The heading line of a new section, in the language of its sisters."""
    language = Counter(language for _, language in index.section_kinds if language).most_common(1)
    return f"{'#' * level} {kind_title(kind, language[0][0] if language else index.language or 'en')}"
