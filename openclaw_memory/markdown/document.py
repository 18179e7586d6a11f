"""What a scan gives: lines, blocks, sections. Plain frozen values; nothing here reads Markdown's syntax."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Any

_LINE = pattern(r"([^\r\n]*)(\r\n|\n|\r|\Z)")


class Line(Record):
    """One line: `number` counts from 1, `start` is its offset in the text, `eol` one of "", LF, CRLF, CR."""

    number: int
    start: int
    text: str
    eol: str

    @property
    def raw(self) -> str:
        """The line with its end, exactly as it stands in the file."""
        return self.text + self.eol


class Block(Record):
    """A leaf block: lines `first` to `last` (inclusive, from 1).

    `kind` is one of front_matter, heading, fence, indented_code, table, item, paragraph, quote (a paragraph
    inside a block quote), comment, html, rule, blank. The blocks of a document cover all of its lines in
    order; two share a line only where a list marker and another block do (`- # Title`).
    """

    kind: str
    first: int
    last: int
    depth: int = 0
    """How many list items stand around the block (0 for an item of the outermost list)."""
    quote: int = 0
    """How many block quotes stand around it."""
    level: int = 0
    """Headings: 1 to 6."""
    text: str = ""
    """Headings, items, paragraphs, quotes: the text without markers, lines joined by LF."""
    info: str = ""
    """Fences: the info string."""
    closed: bool = True
    """Fences and comments: False where the end marker is missing."""
    marker: str = ""
    """Items: `-`, `*`, `+`, `1.`, `2)`; fences: the run of backticks or tildes."""
    indent: int = 0
    """Items: columns before the marker."""
    checked: bool | None = None
    """Items: the state of a task box, None without one."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Tables: the cells of the header, then of each body row, trimmed and with pipes unescaped."""

    @property
    def numbered_rows(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Tables: (line number, cells) of each body row."""
        return ((self.first + 2 + at, row) for at, row in enumerate(self.rows[1:]))


class Section(Record):
    """A heading and what stands below it: `line` to `last` with sub-sections, to `own_last` without them."""

    level: int
    title: str
    line: int
    body: int
    own_last: int
    last: int


class Document:
    """A scanned text. Lossless: joining the lines' `raw` gives the text back. `texts` are the lines without ends."""

    def __init__(self, text: str, texts: Sequence[str], blocks: tuple[Block, ...]) -> None:
        self.text = text
        self.texts = texts
        self.blocks = blocks
        self._plain_ends = "\r" not in text

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines with their places and ends; made when they are first asked for."""
        return split_lines(self.text)

    def between(self, first: int, last: int) -> str:
        """Lines `first` to `last` as they stand in the text, without the end of the last."""
        if self._plain_ends:
            return "\n".join(self.texts[first - 1 : last])
        return "".join([line.raw for line in self.lines[first - 1 : last - 1]]) + self.texts[last - 1]

    @cached_property
    def eol(self) -> str:
        """The line end that most lines have (LF where there is none yet)."""
        crlf = self.text.count("\r\n")
        counts = {"\n": self.text.count("\n") - crlf, "\r\n": crlf, "\r": self.text.count("\r") - crlf}
        return max(counts, key=lambda end: counts[end]) if any(counts.values()) else "\n"

    @cached_property
    def front_matter(self) -> dict[str, Any]:
        """The keys of the YAML front matter; {} where there is none, or where it cannot be read as a mapping."""
        from openclaw_memory.markdown.front_matter import parse

        block = self.blocks[0] if self.blocks else None
        if block is None or block.kind != "front_matter":
            return {}
        return parse("\n".join(line.text for line in self.lines[1 : block.last - 1]))

    @property
    def unclosed_fence(self) -> Block | None:
        """The fence that is open to the end of the file, and so hides everything below it."""
        return self._open_to_the_end("fence")

    @property
    def unclosed_comment(self) -> Block | None:
        """The HTML comment that is open to the end of the file."""
        return self._open_to_the_end("comment")

    def _open_to_the_end(self, kind: str) -> Block | None:
        last = next((block for block in reversed(self.blocks) if block.kind != "blank"), None)
        return last if last is not None and last.kind == kind and not last.closed else None

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections of the headings that stand in no list or quote, in order."""
        found = [block for block in self.blocks if block.kind == "heading" and not block.depth and not block.quote]
        sections: list[Section] = []
        below = len(self.lines) + 1
        ends = [below] * 7  # where the next heading of each level or a higher one stands, seen from the end
        for block in reversed(found):
            last = ends[block.level] - 1
            sections.append(Section(block.level, block.text, block.first, block.last + 1, below - 1, last))
            below = block.first
            ends[block.level :] = [below] * (7 - block.level)
        return tuple(reversed(sections))

    def headings(self) -> tuple[Section, ...]:
        """The same as `sections`."""
        return self.sections

    def section_at(self, number: int) -> Section | None:
        """The innermost section that line `number` stands in."""
        return next((s for s in reversed(self.sections) if s.line <= number), None)

    def block_at(self, number: int) -> Block:
        """The last block that covers line `number`."""
        return next(block for block in reversed(self.blocks) if block.first <= number <= block.last)

    def extent(self, item: Block) -> int:
        """The last line of an item with all that is nested in it, without trailing blank lines."""
        last = item.last
        for block in self.blocks:
            if block.first <= item.first or block.kind == "blank":
                continue
            if block.depth <= item.depth or block.quote < item.quote:
                break
            last = block.last
        return last


def line_texts(text: str) -> list[str]:
    """The lines of `text` without their ends, by LF, CRLF and lone CR, as CommonMark has it. An empty text has none."""
    if "\r" in text:
        return [match[1] for match in _LINE.finditer(text) if match.end() > match.start()]
    texts = text.split("\n")
    if not texts[-1]:
        texts.pop()
    return texts


def split_lines(text: str) -> tuple[Line, ...]:
    """The lines of `text` with their places and ends."""
    lines: list[Line] = []
    start = 0
    if "\r" not in text:
        parts = text.split("\n")
        for number, part in enumerate(parts[:-1], 1):
            lines.append(Line(number, start, part, "\n"))
            start += len(part) + 1
        if parts[-1]:
            lines.append(Line(len(parts), start, parts[-1], ""))
        return tuple(lines)
    for number, match in enumerate(_LINE.finditer(text), 1):
        if match.end() > match.start():
            lines.append(Line(number, match.start(), match[1], match[2]))
    return tuple(lines)
