"""What each section of an index holds: entries, references, and lines that name no file at all."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

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
    counts = [[0, 0] for _ in range(len(document.sections) + 1)]
    starts = [section.line for section in document.sections]
    for line, count in naming.items():
        counts[bisect_right(starts, line) - 1][0] += count
    for line in content:
        counts[bisect_right(starts, line) - 1][1] += 1
    entries = Counter(mention.section for mention in mentions)
    return tuple(
        IndexSection(section, *heading_kind(section.title), entries[at], *counts[at])
        for at, section in enumerate(document.sections)
    )
