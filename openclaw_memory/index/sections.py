"""What each section of an index holds: entries, references, and lines that name no file at all."""

from __future__ import annotations

from openclaw_memory.index.model import Index, IndexSection
from openclaw_memory.index.words import heading_kind, says_nothing

_CONTENT = ("item", "paragraph", "quote", "table", "fence", "indented_code", "html")


def describe(index: Index) -> tuple[IndexSection, ...]:
    """The sections of `index` in order, with what stands in each outside its sub-sections."""
    document = index.document
    naming: dict[int, int] = {}
    for reference in index.references:
        naming[reference.line] = naming.get(reference.line, 0) + 1
    entry_lines = {line for entry in index.by_path.values() for line in entry.lines}
    mentions = [mention for entry in index.by_path.values() for mention in entry.mentions]
    content = [
        number
        for block in document.blocks
        if block.kind in _CONTENT
        for number in range(block.first, block.last + 1)
        if number not in entry_lines and number not in naming and not says_nothing(document.lines[number - 1].text)
    ]
    described = []
    for at, section in enumerate(document.sections):
        kind, language = heading_kind(section.title)
        own = range(section.body, section.own_last + 1)
        described.append(
            IndexSection(
                section,
                kind,
                language,
                sum(mention.section == at for mention in mentions),
                sum(count for line, count in naming.items() if line in own),
                sum(line in own for line in content),
            )
        )
    return tuple(described)
