"""Where each line of a monolithic index goes: a plan of spans that cover the file from its first line to its last.

By headings, in any language the index knows: sections of people, companies, projects, decisions and resources give
one file an item or sub-section; sections about somebody give a person; dated and long ones a resource. Active Context,
preferences, what already is index, and what fits no class stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from openclaw_memory.index import Index
from openclaw_memory.index.words import heading_kind, says_nothing
from openclaw_memory.knowledge.related import slug_of
from openclaw_memory.markdown import Block, Document, Section
from openclaw_memory.record import Record
from openclaw_memory.scaffold.migrate import dates
from openclaw_memory.workspace import Layout

DAILY = "daily"  # the kind of a piece that belongs into the note of the day `subject`
LONG = 4  # lines of content from which an unclassed section is a resource of its own
_LOOSE = ("people", "companies", "projects", "decisions")
_SILENT = ("blank", "rule", "heading", "comment")
_PER_ITEM = ("people", "companies", "projects")
_ABOUT = re.compile(
    r"(?:about|who is|über|wer ist|sobre(?: (?:o|a|os|as|el|la))?|acerca de|quem é|à propos de|chi è|su di|over|om"
    r"|о|关于|關於)\s+(?P<who>\S.*)|(?P<ja>\S.*?)(?:について|のこと)",
    re.IGNORECASE,
)
_NOBODY = {
    "me", "mich", "mim", "mí", "moi", "myself", "you", "dich", "user", "nutzer", "usuário", "usuario", "utilisateur",
    "human", "this", "these", "that", "file", "files", "memory", "system", "我", "用户",
}  # fmt: skip
_NUMBER = re.compile(r"\A\d+\s*[.)]\s+")
_BRACKETS = re.compile(r"\s*[(（\[【][^)）\]】]*[)）\]】]")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATES = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_AGAIN = re.compile(r"\s+(?:(?:\d+|[IVX]+)|cont(?:inued|\.)?|part \d+|teil \d+|parte \d+|erweitert)\Z", re.IGNORECASE)
_BOLD = re.compile(r"\s*(?:\*\*|__)(?P<name>[^*_\n]{1,60}?)\s*[:：]?\s*(?:\*\*|__)")
_NAMED = re.compile(r"\s*(?P<name>[^\W\d_][^:：\n*_`\[\]]{0,40}?)\s*[:：]\s+\S")


class Span(Record):
    """Lines `first` to `last` of the old index go to the file `to`, or stay in the index where that is empty.

    `title` is what a new entry is called, `why` the reason in words.
    """

    first: int
    last: int
    to: str
    title: str
    why: str


class Plan(Record):
    """`spans` cover every line once, in order; `readings` are the dates that can be read two ways."""

    spans: tuple[Span, ...]
    readings: tuple[dates.Reading, ...]

    @property
    def files(self) -> dict[str, str]:
        """Each new detail file with the title of its entry, in order of first appearance."""
        found: dict[str, str] = {}
        for span in self.spans:
            if span.to and span.title:
                found.setdefault(span.to, span.title)
        return found


class Piece(Record):
    """A span before its destination is known: `kind` and `subject` where a class fits, else `why` it stays."""

    first: int
    last: int
    kind: str = ""
    subject: str = ""
    why: str = ""


def plan(index: Index, layout: Layout, language: str = "") -> Plan:
    """The plan for `index`, whose new files go where `layout` has their kinds."""
    readings = dates.read(index.document, language)
    pieces = list(_Splitter(index, readings).pieces())
    known = {slug(piece.subject): piece.kind for piece in pieces if piece.kind not in ("", "resources", DAILY)}
    spans = (_span(piece, layout, known) for piece in pieces)
    return Plan(tuple(_joined(spans)), tuple(readings))


def slug(name: str) -> str:
    """A file name for `name`, of at most 60 characters."""
    return slug_of(name)[:60].strip("-")


def _span(piece: Piece, layout: Layout, known: dict[str, str]) -> Span:
    if piece.kind == DAILY:
        return Span(piece.first, piece.last, layout.daily_path(date.fromisoformat(piece.subject)), "", piece.why)
    name = slug(piece.subject)
    kind = known.get(name, piece.kind) if piece.kind == "resources" or not piece.kind else piece.kind
    if not (kind and name):
        return Span(piece.first, piece.last, "", "", piece.why)
    why = piece.why or f"one of {kind}"
    return Span(piece.first, piece.last, f"{layout.folder_of(kind)}/{name}.md", piece.subject, why)


def _joined(spans: Iterator[Span]) -> Iterator[Span]:
    """Neighbours that stay for the same reason become one span."""
    last: Span | None = None
    for span in spans:
        if last and not last.to and not span.to and last.why == span.why:
            last = last._replace(last=span.last)
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


class _Splitter:
    def __init__(self, index: Index, readings: list[dates.Reading]) -> None:
        self.index = index
        self.readings = readings
        self.document: Document = index.document
        self.sections = self.document.sections
        self.listed = {line for entry in index.entries for line in entry.lines if entry.exists}
        self.split_titles = sum(section.level == 1 for section in self.sections) > 1 and not any(
            section.level == 2 for section in self.sections
        )

    def pieces(self) -> Iterator[Piece]:
        """The whole document, in order, without a gap."""
        total = len(self.document.lines)
        first = self.sections[0].line if self.sections else total + 1
        if first > 1:
            yield Piece(1, first - 1, why="above the first heading")
        yield from self._siblings(first, total, "")

    def _siblings(self, first: int, last: int, kind: str) -> Iterator[Piece]:
        at = first
        while at <= last:
            section = next(section for section in self.sections if section.line == at)
            yield from self._section(section, kind)
            at = section.last + 1

    def _section(self, section: Section, inherited: str) -> Iterator[Piece]:
        own = kind_of(section.title)
        if own in ("active", "preferences"):
            yield Piece(section.line, section.last, why=f"{own} belong in the index")
        elif self._is_index(section):
            yield Piece(section.line, section.last, why="is index already")
        elif inherited:
            yield Piece(section.line, section.last, inherited, subject_of(section.title))
        elif own:
            yield from self._of_kind(section, own)
        elif section.level == 1 and not self.split_titles:
            yield self._leaf(section, section.own_last)
            yield from self._siblings(section.own_last + 1, section.last, "")
        else:
            yield self._leaf(section, section.last)

    def _of_kind(self, section: Section, kind: str) -> Iterator[Piece]:
        """A heading such as People: its sub-sections or named items are files, heading and rest stay."""
        if section.own_last < section.last:
            yield from self._items(section, kind)
            yield from self._siblings(section.own_last + 1, section.last, kind)
        elif kind in _PER_ITEM and self._named_items(section):
            yield from self._items(section, kind)
        elif self._content(section.body, section.last):
            yield Piece(section.line, section.last, kind, subject_of(section.title), f"a section of {kind}")
        else:
            yield Piece(section.line, section.last, why="an empty section")

    def _items(self, section: Section, kind: str) -> Iterator[Piece]:
        at, why = section.line, f"the heading of {kind}"
        for item, name in self._named_items(section) if kind in _PER_ITEM else ():
            if item.first > at:
                yield Piece(at, item.first - 1, why=why)
            at = self.document.extent(item) + 1
            yield Piece(item.first, at - 1, kind, name)
        if at <= section.own_last:
            yield Piece(at, section.own_last, why=why)

    def _named_items(self, section: Section) -> list[tuple[Block, str]]:
        """The outermost items of the section itself that begin with a name and are no entries."""
        found = []
        for block in self.document.blocks:
            if block.kind == "item" and not block.depth and section.body <= block.first <= section.own_last:
                named = _BOLD.match(block.text) or _NAMED.match(block.text)
                name = subject_of(named["name"]) if named else ""
                if slug(name) and block.first not in self.listed:
                    found.append((block, name))
        return found

    def _leaf(self, section: Section, last: int) -> Piece:
        """A section whose heading names no kind: somebody, something dated, something long, or it stays."""
        about = _ABOUT.fullmatch(_plain(section.title))
        who = (about["who"] or about["ja"]) if about else ""
        if who and _NOBODY.isdisjoint(who.casefold().split()):
            return Piece(section.line, last, "people", who, "about somebody")
        if who:
            return Piece(section.line, last, why="about the person themself or this file")
        content = self._content(section.body, last)
        if content and (day := self._day(section)):
            return Piece(section.line, last, DAILY, day, "what happened on a day")
        if content and _DATES.search(section.title):
            return Piece(section.line, last, "resources", subject_of(section.title), "a dated section")
        if content >= LONG:
            return Piece(section.line, last, "resources", subject_of(section.title), f"{content} lines of content")
        return Piece(section.line, last, "", subject_of(section.title), "fits no class and is short")

    def _day(self, section: Section) -> str:
        """The day of a section whose title is nothing but a date that can be read in one way only."""
        title = section.title.strip(" *_:#")
        if iso := _ISO.fullmatch(title):
            return iso[0] if _is_day(iso[0]) else ""
        known = (reading for reading in self.readings if reading.line == section.line and reading.text == title)
        return next((reading.day.isoformat() for reading in known if reading.day), "")

    def _content(self, first: int, last: int) -> int:
        """Lines that say something: not blank, no rule, no heading, no comment, no "(none yet)"."""
        return sum(
            min(block.last, last) - block.first + 1
            for block in self.document.blocks
            if first <= block.first <= last and block.kind not in _SILENT and not _is_filler(block)
        )

    def _is_index(self, section: Section) -> bool:
        """Whether most lines that say something are entries or pointers to files that exist."""
        lines = set(range(section.body, section.last + 1))
        pointed = {ref.line for ref in self.index.references if ref.status == "ok"} | self.listed
        content = self._content(section.body, section.last)
        return content > 0 and len(lines & pointed) * 2 > content


def _is_filler(block: Block) -> bool:
    return block.kind in ("paragraph", "item") and says_nothing(block.text)


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def kind_of(title: str) -> str:
    """The kind a heading names: `Key people` and `Projetos atuais` too, by their last and first word; "" for none."""
    words = _plain(title).split()
    loose = [words[-1], words[0]] if 1 < len(words) <= 4 else []
    found = [heading_kind(title)[0], *(kind for word in loose if (kind := heading_kind(word)[0]) in _LOOSE)]
    kind = next(filter(None, found), "")
    return "archives" if kind == "archive" else kind


def subject_of(title: str) -> str:
    """What a section is about: its title without brackets, dates, numbers and "continued"."""
    return _AGAIN.sub("", _plain(title)).rstrip(" ,;:-—–") or _plain(title)


def _plain(title: str) -> str:
    text = _DATES.sub("", _BRACKETS.sub("", re.sub(r"[*_`~]+|<!--.*?-->", "", title)))
    text = _NUMBER.sub("", re.sub(r"\A[^\w(（\[]+", "", text))
    return text.strip(" \t-—–:：.,#") or title.strip()
