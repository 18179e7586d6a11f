"""Reads every form of index met in real workspaces into entries: bullets, tables, links, wikilinks, bare paths.

Lenient: what is not understood stays in the document and is no entry. Pure; the workspace is a list of files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from openclaw_memory.index.details import INLINE
from openclaw_memory.index.model import Entry, Form, Hidden, Index, Mention, Placeholder, Reference
from openclaw_memory.index.resolve import Resolved, Resolver
from openclaw_memory.index.words import column_role, heading_kind, says_nothing
from openclaw_memory.markdown import Block, Document, Link, cells, is_delimiter, links, scan
from openclaw_memory.patterns import pattern

_PLAIN_ITEM = pattern(r"[ \t]*[-*+][ \t]+(\[[^\[\]`]*\])\(([^\s()<>%#`\\]+\.md)\)")
_MORE_PATHS = pattern(r"\]\(|\[\[|\.(?:md|json|ya?ml|txt)\b|/[\s`|]|/\Z|`", re.I)
_BETWEEN = pattern(r"[\s,、，;；/+&·|]*(?:(?:and|und|e|y|et|och|en|и|和|と)\s+)?\Z")
_LABEL = pattern(r"[^.!?。！？]{0,60}[:：]\s*[*_\"'“(]*\Z")
_AFTER = pattern(r"\s*(?:\Z|[:：—–→(（|]|-\s|<!--)")
_BRACKET = pattern(r"\[[^\[\]]{2,80}\](?![(\[])|\{[^{}]{1,80}\}|<[A-Za-z][\w -]{0,80}>")
_DEPTH = 3  # of open fences below open fences that are looked into
_CONFLICT = pattern(r"(?:<{7}|>{7})(?: |\Z)|={7}\Z")
_ARCHIVED = pattern(r"(?:\A|/)_?(?:\d+-)?archives?/", re.I)


def parse(
    text: str,
    files: Collection[str],
    *,
    index_path: str = "MEMORY.md",
    exists: Callable[[str], bool] | None = None,
    link_base: str = "auto",
    gone: Collection[str] = (),
) -> Index:
    """The index that `text` is.

    `files` are the workspace's files (posix, relative to its root): entries and references are judged by
    them, and by `exists` for paths that are not among them. `link_base` decides between several that fit, `gone` are
    files that were there before. Never fails: any text is an index, maybe an empty one.
    """
    return _Parser(scan(text), Resolver(files, exists, base=link_base, gone=gone), index_path).parse()


class _Parser:
    def __init__(self, document: Document, resolver: Resolver, index_path: str, depth: int = 0) -> None:
        self.document = document
        self.depth = depth
        self.resolver = resolver
        self.folder = posixpath.dirname(index_path)
        self.index = Index(document, index_path)
        self.kinds = [heading_kind(section.title) for section in document.sections]
        self.index.section_kinds = tuple(self.kinds)
        self.section = -1
        self.active = False
        self.active_to = 0
        self.parent: tuple[int, Entry] | None = None

    def parse(self) -> Index:
        for block in self.document.blocks:
            if block.kind == "heading":
                self._enter(block)
            if block.kind != "item" or not block.depth:
                self.parent = None if block.kind != "blank" else self.parent
            if block.quote and block.kind in ("quote", "item", "table", "heading"):
                self._point(range(block.first, block.last + 1))
            elif block.kind == "item":
                self._item(block)
            elif block.kind == "table":
                self._table(block)
            elif block.kind == "paragraph":
                self._paragraph(block)
        self._hidden()
        self._conflicts()
        return self.index

    def _enter(self, block: Block) -> None:
        self._point(range(block.first, block.last + 1))
        if block.depth or block.quote:
            return
        self.section += 1
        here = self.document.sections[self.section]
        if self.kinds[self.section][0] == "active":
            self.active_to = max(self.active_to, here.last)
        self.active = here.line <= self.active_to

    # -- bullets ----------------------------------------------------------------------------------------

    def _item(self, block: Block) -> None:
        if not block.text or (block.first == block.last and self._plain_item(block)):
            return
        texts = [line.text for line in self.document.lines[block.first - 1 : block.last]]
        lazy = next((at for at, text in enumerate(texts) if at and not text.startswith((" ", "\t"))), len(texts))
        own = block._replace(last=block.first + lazy - 1)
        if not self._belongs_to_parent(own) and not any(
            self._mentions(text, own.first + at, own) for at, text in enumerate(texts[:lazy])
        ):
            self._template(own)
        if own.last < block.last:  # lines at the margin continue the item for CommonMark, but are meant to stand alone
            self._paragraph(block._replace(first=own.last + 1))

    def _template(self, block: Block) -> None:
        if _BRACKET.match(block.text.lstrip("*_ ")) and not any(r.line == block.first for r in self.index.references):
            self.index.placeholders.append(Placeholder(block.first, block.text))

    def _plain_item(self, block: Block) -> bool:
        """The commonest line, `- [Name](path): about <!-- ... -->`, without looking for anything else in it."""
        text = self.document.lines[block.first - 1].text
        match = _PLAIN_ITEM.match(text)
        if match is None or _MORE_PATHS.search(text, match.end()):
            return False
        resolved = self.resolver.resolve(match[2], self.folder)
        start, end = match.span(2)
        self._add(resolved, match[2], "item", block, block.first, (match.start(1), match.end(), start, end))
        return True

    def _belongs_to_parent(self, block: Block) -> bool:
        """`- Triggers: a, b` below an entry's item is part of that entry."""
        if self.parent is None or not block.depth or block.depth <= self.parent[0] or block.first != block.last:
            return False
        entry = self.parent[1]
        if not INLINE.match(first := block.text.partition("\n")[0]) or links(first):
            return False
        last = entry.mentions[-1]
        entry.mentions[-1] = last._replace(also=(*last.also, block.first))
        return True

    def _mentions(self, text: str, number: int, block: Block) -> bool:
        """Make an entry of an item by the first line that names a file; the lines below it only point."""
        found = links(text)
        listed = self._leading(text, found)
        group = _group(listed)
        made = {link.start for link in listed if self._entry(link, "item", block, number, text, group=group)}
        for link in found:
            if link.start not in made:
                self._refer(link, number)
        if made:
            self._point(range(number + 1, block.last + 1))
        return bool(made)

    def _leading(self, text: str, found: Sequence[Link]) -> list[Link]:
        """The first path of a line, and those that follow it as a list: `a.md, b.md`."""
        first = next((at for at, link in enumerate(found) if self._names_a_file(link)), None)
        if first is None:
            return []
        listed = [found[first]]
        for link in found[first + 1 :]:
            if not self._names_a_file(link) or not _BETWEEN.match(text[listed[-1].end : link.start]):
                break
            listed.append(link)
        return listed

    @staticmethod
    def _names_a_file(link: Link) -> bool:
        return link.kind not in ("image", "embed")

    # -- tables -----------------------------------------------------------------------------------------

    def _table(self, block: Block) -> None:
        roles = [column_role(cell) for cell in block.rows[0]]
        self._point([block.first])
        for number, _ in block.numbered_rows:
            self._row(number, roles)

    def _row(self, number: int, roles: Sequence[str]) -> None:
        text = self.document.lines[number - 1].text
        found = [link for link in links(text) if self._names_a_file(link)]
        parted = cells(text)
        columns = [next((at for at, cell in enumerate(parted) if link.start < cell.end), 0) for link in found]
        order = sorted(range(len(found)), key=lambda at: (_role(roles, columns[at]) != "path", at))
        block = Block("item", number, number)
        made: Link | None = None
        for at in order:
            full = _full_roles(roles, len(parted), columns[at], found[at])
            if self._entry(found[at], "row", block, number, text, roles=full):
                made = found[at]
                break
        for link in found:
            if link is not made:
                self._refer(link, number)
        if made is None and any(_BRACKET.fullmatch(cell.text.strip("*_`")) for cell in parted):
            self.index.placeholders.append(Placeholder(number, text.strip()))

    # -- other lines ------------------------------------------------------------------------------------

    def _paragraph(self, block: Block) -> None:
        roles: list[str] = []
        for number in range(block.first, block.last + 1):
            text = self.document.lines[number - 1].text
            if _is_row(text):
                below = self.document.lines[number].text if number < block.last else ""
                if is_delimiter(below):
                    roles = [column_role(cell.text) for cell in cells(text)]
                self._row(number, roles)
            else:
                self._free_line(text, number)

    def _free_line(self, text: str, number: int) -> None:
        found = links(text)
        listed = self._leading(text, found)
        if listed:
            before = text[: listed[0].start].strip("\ufeff*_ \t")
            alone = (not before or _LABEL.match(before)) and _AFTER.match(text, listed[-1].end)
            block = Block("item", number, number)
            group = _group(listed)
            made = {
                link.start for link in listed if alone and self._entry(link, "line", block, number, text, group=group)
            }
            found = [link for link in found if link.start not in made]
        for link in found:
            self._refer(link, number)

    def _point(self, numbers: Iterable[int]) -> None:
        """Lines that may point to files and make no entry."""
        for number in numbers:
            for link in links(self.document.lines[number - 1].text):
                self._refer(link, number)

    # -- what was found ---------------------------------------------------------------------------------

    def _entry(
        self,
        link: Link,
        form: Form,
        block: Block,
        number: int,
        text: str,
        *,
        roles: tuple[str, ...] = (),
        group: tuple[int, int] = (0, 0),
    ) -> bool:
        target = link.target.replace("\\|", "|") if form == "row" else link.target
        resolved = self.resolver.resolve(target, self.folder, wiki=link.kind == "wikilink")
        if resolved.status in ("external", "pattern") or _is_command(link, resolved):
            return False
        if resolved.path.endswith("/") and not self._covers(resolved.path, link, text, roles):
            return False
        if resolved.status == "dead" and link.kind != "wikilink" and not target.lower().endswith((".md", "/")):
            return False
        spans = (link.start, link.end, link.target_start, link.target_end)
        self._add(resolved, target, form, block, number, spans, roles, group)
        return True

    def _covers(self, path: str, link: Link, text: str, roles: tuple[str, ...]) -> bool:
        """Whether a folder's line is an entry for all below, and not a remark on the layout."""
        if link.kind in ("link", "wikilink") or _ARCHIVED.search(path):
            return True
        if "<!--" in text and "trigger" in text:
            return True
        at = roles.index("triggers") if "triggers" in roles else len(roles)
        parted = cells(text) if roles else []
        return at < len(parted) and not says_nothing(parted[at].text)

    def _add(
        self,
        resolved: Resolved,
        target: str,
        form: Form,
        block: Block,
        number: int,
        spans: tuple[int, int, int, int],
        roles: tuple[str, ...] = (),
        group: tuple[int, int] = (0, 0),
    ) -> None:
        status, path, base, candidates = resolved
        if status != "ok" or len(candidates) > 1:
            self.index.references.append(Reference(number, target, status, path, candidates, bool(path or candidates)))
        if status == "ambiguous" or not path:
            return
        entry = self.index.by_path.get(path)
        if entry is None:
            entry = self.index.by_path[path] = Entry(self.document, path)
        elif entry.mentions[-1].line == number:
            return
        entry.mentions.append(
            Mention(
                path,
                form,
                number,
                block.first,
                block.last,
                *spans,
                base,
                self.section,
                self.active,
                status,
                roles,
                (),
                group,
            )
        )
        if form == "item":
            self.parent = block.depth, entry

    def _refer(self, link: Link, number: int) -> None:
        if link.kind in ("image", "embed"):
            return
        resolved = self.resolver.resolve(link.target, self.folder, wiki=link.kind == "wikilink")
        file_like = link.kind == "wikilink" or link.target.lower().endswith((".md", "/"))
        if resolved.status == "dead" and (not file_like or (link.target.endswith("/") and link.kind == "path")):
            return
        if resolved.status not in ("external", "pattern") and not _is_command(link, resolved):
            path = "" if resolved.status == "ambiguous" else resolved.path
            self.index.references.append(Reference(number, link.target, resolved.status, path, resolved.candidates))

    def _hidden(self) -> None:
        block = self.document.unclosed_fence or self.document.unclosed_comment
        if block is None or block.first == block.last:
            return
        below = "".join(line.raw for line in self.document.lines[block.first : block.last])
        if self.depth == _DEPTH:
            return
        inner = _Parser(scan(below), self.resolver, self.index.path, self.depth + 1).parse()
        hidden = [(m.first + block.first, entry.path) for entry in inner.entries for m in entry.mentions]
        hidden += [(deeper.line + block.first, deeper.path) for deeper in inner.hidden]
        self.index.hidden = [Hidden(line, path, block.first) for line, path in sorted(hidden)]

    def _conflicts(self) -> None:
        text = self.document.text
        if "<<<<<<<" in text or ">>>>>>>" in text:
            lines = [line for line in self.document.lines if _CONFLICT.match(line.text)]
            if any(line.text[0] != "=" for line in lines):
                self.index.conflicts = tuple(line.number for line in lines)


def _is_command(link: Link, resolved: Resolved) -> bool:
    """Whether a code span holds a command that ends in a path, `cat memory/x.md`, and no file of that name is there.

    `memory/my notes.md` is none: a command's own name holds no slash.
    """
    if link.kind != "code" or resolved.status != "dead":
        return False
    name, *more = link.target.split(maxsplit=1)
    return "$(" in link.target or (bool(more) and "/" not in name)


def _role(roles: Sequence[str], column: int) -> str:
    return roles[column] if column < len(roles) else ""


def _full_roles(roles: Sequence[str], count: int, column: int, link: Link) -> tuple[str, ...]:
    """The roles of a row's columns, `column` holding its path; guessed where no header says them."""
    if not roles:
        shown = link.kind in ("link", "wikilink")
        guesses = iter(("about", "triggers") if shown else ("name", "triggers", "about"))
        return tuple("path" if at == column else next(guesses, "other") for at in range(count))
    full = list(roles)
    if column < len(full):
        full[column] = "path"
    if "triggers" in full:
        full = ["name" if role == "task" and "name" not in full else role for role in full]
    if "name" not in full and "other" in full and link.kind not in ("link", "wikilink"):
        full[full.index("other")] = "name"
    return tuple(full)


def _is_row(text: str) -> bool:
    return text.lstrip(" \t\ufeff").startswith("|") and len(cells(text)) > 1


def _group(listed: Sequence[Link]) -> tuple[int, int]:
    """Where a list of paths that share a line stands; (0, 0) for a single path."""
    return (listed[0].start, listed[-1].end) if len(listed) > 1 else (0, 0)
