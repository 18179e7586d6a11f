"""The line scanner: CommonMark's block structure with GitHub's tables, one pass, linear time.

The algorithm is that of the CommonMark specification (appendix "A parsing strategy", phase 1): each line is
matched against the open containers (quotes and list items), then against block starts, and else continues
the open leaf. Differences, all on purpose: front matter is a block; a reference definition is a paragraph.
"""

from __future__ import annotations

import re

from openclaw_memory.markdown.blocks import QUOTE, Item, Leaf
from openclaw_memory.markdown.document import Block, Document, line_texts
from openclaw_memory.markdown.front_matter import end_of
from openclaw_memory.markdown.html import html_end, html_start
from openclaw_memory.markdown.quick import ATX, FENCE, RAW, STARTERS, Quick, title
from openclaw_memory.markdown.tables import is_delimiter, split_row
from openclaw_memory.patterns import pattern

_PREFIX = pattern(r"[ \t>*+\-0-9.)#]*")
_SETEXT = pattern(r"(?:=+|-+)[ \t]*$")
_ITEM = pattern(r"([*+-]|[0-9]{1,9}[.)])( +|$)")
_BOX = pattern(r"\[([ xX])\](?=[ \t]|$)[ \t]*")
_NESTED = 100  # containers in each other: what is deeper is text (no person writes it, and it must stay linear)


class _Scanner(Quick):
    """One scan by all the rules."""

    def feed(self, number: int, text: str) -> None:
        """Take the next line."""
        self.number = number
        if self._quick(text, self.leaf):
            return
        if "\t" in text:
            end = _PREFIX.match(text).end()  # type: ignore[union-attr]  # the pattern matches anything
            text = text[:end].expandtabs(4) + text[end:]
        matched, at = self._match_containers(text) if self.stack else (0, 0)
        rest = text[at:]
        whole = matched == len(self.stack)
        leaf = self.leaf
        if whole and leaf is not None and leaf.kind in RAW:
            self._continue_raw(leaf, rest)
        else:
            self._open_blocks(text, at, matched)

    # -- containers -------------------------------------------------------------------------------------

    def _match_containers(self, text: str) -> tuple[int, int]:
        at = 0
        for matched, item in enumerate(self.stack):
            rest = text[at:]
            inner = rest.lstrip(" ")
            indent = len(rest) - len(inner)
            if item is QUOTE:
                if indent > 3 or not inner.startswith(">"):
                    return matched, at
                at += indent + 1
                at += text.startswith(" ", at)
            elif not inner.strip(" \t"):
                if self._is_empty(item):
                    return matched, at
                at += min(indent, item.width)
            elif indent >= item.width:
                at += item.width
            else:
                return matched, at
        return len(self.stack), at

    def _continue_raw(self, leaf: Leaf, rest: str) -> None:
        """A line inside a fence or HTML block: it ends there or goes on."""
        leaf.last = self.number
        if leaf.kind == "fence":
            inner = rest.lstrip(" ")
            run = str(leaf.values["marker"])
            if len(rest) - len(inner) < 4 and inner.startswith(run) and not inner.strip(" \t").strip(run[0]):
                self._close(closed=True)
        elif leaf.end is None:
            if not rest.strip(" \t"):
                leaf.last -= 1
                self._close()
                self._blank()
        elif leaf.end.search(rest):
            self._close(closed=True)

    # -- block starts -----------------------------------------------------------------------------------

    def _open_blocks(self, text: str, at: int, matched: int) -> None:
        pending: Leaf | None = None
        while True:
            rest = text[at:]
            inner = rest.lstrip(" ")
            indent = len(rest) - len(inner)
            if not inner.strip(" \t"):
                break
            whole = matched == len(self.stack)
            continues = self.leaf is not None and self.leaf.kind in ("paragraph", "item", "quote")
            if indent >= 4:
                if continues:
                    break
                self._drop(matched)
                self._flush(pending)
                self._indented()
                return
            if inner[0] not in STARTERS:
                break
            if len(self.stack) >= _NESTED and matched >= _NESTED:
                break
            if inner[0] == ">":
                self._drop(matched)
                self._close()
                self._flush(pending)
                pending = None
                self.stack.append(QUOTE)
                matched += 1
                at += indent + 1
                at += text.startswith(" ", at)
                continue
            paragraph = self.leaf if continues and whole else None
            if self._open_leaf(inner, paragraph, matched, pending, text_is_open=continues):
                return
            item = self._item(inner, indent, paragraph is not None)
            if item is None:
                break
            width, marker = item
            self._drop(matched)
            self._close()
            self._flush(pending)
            column = len(text) - len(rest) + indent
            self.stack.append(Item(width, self.number))
            matched += 1
            at += min(width, len(rest))
            pending = self._pending(marker, column)
        self._text(inner, matched, pending)

    def _open_leaf(
        self, inner: str, paragraph: Leaf | None, matched: int, pending: Leaf | None, *, text_is_open: bool
    ) -> bool:
        """Open (or finish) a block that cannot hold others. False where `inner` starts none."""
        if paragraph is not None and self._underline(inner, paragraph):
            return True
        values = self._leaf_start(inner, text_is_open)
        if values is None:
            return False
        self._drop(matched)
        self._flush(pending)
        kind, fields, end = values
        self._start(kind, **fields)
        if kind in ("heading", "rule") or (end is not None and end.search(inner)):
            self._close(closed=True)
        elif self.leaf is not None:
            self.leaf.end = end
        return True

    def _leaf_start(self, inner: str, interrupts: bool) -> tuple[str, dict[str, object], re.Pattern[str] | None] | None:
        first = inner[0]
        if first == "#" and (atx := ATX.match(inner)):
            return "heading", {"level": len(atx[1]), "text": title(inner, atx.end())}, None
        if first in "`~" and (fence := FENCE.match(inner)):
            run, info = fence[1] or fence[3], fence[2] if fence[1] else fence[4]
            return "fence", {"marker": run, "info": info.strip(" \t"), "closed": False}, None
        if first == "<" and (number := html_start(inner, interrupts)):
            kind = "comment" if number == 2 else "html"
            end = html_end(number)
            return kind, {"closed": end is None}, end
        if first in "*-_" and not inner.strip(f"{first} \t") and inner.count(first) > 2:
            return "rule", {}, None
        return None

    def _underline(self, inner: str, leaf: Leaf) -> bool:
        """A setext underline or a table's delimiter row below the open paragraph."""
        if inner[0] in "=-" and _SETEXT.match(inner):
            _unbox(leaf)
            title = "\n".join(leaf.content)
            if leaf.kind == "item":
                self.blocks.append(self._block(leaf, leaf.first, leaf.first, text=""))
            depth = leaf.depth + (leaf.kind == "item")
            level = 1 if inner[0] == "=" else 2
            self.blocks.append(Block("heading", leaf.first, self.number, depth, leaf.quote, level, title.strip(" \t")))
            self.leaf = None
            return True
        if inner[0] in "|:-" and inner[:2] != "- " and is_delimiter(inner) and "|" in leaf.content[-1]:
            header = split_row(leaf.content[-1])
            if len(header) == len(split_row(inner)) and leaf.content[-1].strip(" \t") != "|":
                self._open_table(leaf, header)
                return True
        return False

    def _open_table(self, leaf: Leaf, header: tuple[str, ...]) -> None:
        depth = leaf.depth + (leaf.kind == "item")
        if len(leaf.content) == 1:
            _unbox(leaf)
        leaf.content.pop()
        leaf.last = self.number - 2
        if leaf.content:
            self._close()
        elif leaf.kind == "item":
            self.blocks.append(self._block(leaf, leaf.first, leaf.first, text=""))
        self.leaf = table = Leaf("table", self.number - 1, depth, leaf.quote)
        table.rows.append(header)
        table.last = self.number

    def _item(self, inner: str, indent: int, interrupts: bool) -> tuple[int, str] | None:
        """(width, marker) of the list item that `inner` starts."""
        match = _ITEM.match(inner)
        if match is None:
            return None
        blank = match.end() == len(inner)
        if interrupts and (blank or int(match[1][:-1] or 1) != 1):
            return None
        spaces = len(match[2])
        return indent + len(match[1]) + (1 if blank or spaces > 4 else spaces), match[1]

    def _pending(self, marker: str, column: int) -> Leaf:
        depth, quote = self._nesting()
        return Leaf("item", self.number, depth - 1, quote, marker=marker, indent=column)

    # -- text -------------------------------------------------------------------------------------------

    def _text(self, inner: str, matched: int, pending: Leaf | None) -> None:
        """A line that starts no block: blank, a table row, or a paragraph's text."""
        leaf = self.leaf
        blank = not inner.strip(" \t")
        whole = matched == len(self.stack)
        if blank:
            self._drop(matched)
            self._flush(pending)
            if pending is None:
                if leaf is not None and leaf.kind == "indented_code" and whole:
                    return
                self._close()
                self._blank()
            return
        if leaf is not None and pending is None:
            if leaf.kind == "table" and whole:
                leaf.rows.append(split_row(inner))
                leaf.last = self.number
                return
            if leaf.kind in ("paragraph", "item", "quote"):
                leaf.content.append(inner)
                leaf.last = self.number
                return
        self._drop(matched)
        if pending is not None:
            self._close()
            box = _BOX.match(inner)
            if box and box.end() < len(inner) + 1:
                pending.values["checked"] = box[1] in "xX"
                inner = inner[box.end() :]
            pending.content.append(inner)
            self.leaf = pending
            return
        self._start("quote" if self._nesting()[1] else "paragraph")
        assert self.leaf is not None
        self.leaf.content.append(inner)

    def _indented(self) -> None:
        if self.leaf is not None and self.leaf.kind == "indented_code":
            self.leaf.last = self.number
        else:
            self._start("indented_code")


def _unbox(leaf: Leaf) -> None:
    """Give an item's text its task box back: what it starts turned out to be no item's text."""
    if "checked" in leaf.values:
        leaf.content[0] = f"[{'x' if leaf.values.pop('checked') else ' '}] {leaf.content[0]}"


def scan(text: str) -> Document:
    """The lines and blocks of `text`. Lossless, and any text is valid Markdown: this never fails."""
    texts = line_texts(text)
    scanner = _Scanner()
    skip = end_of(texts)
    if skip:
        scanner.blocks.append(Block("front_matter", 1, skip))
    feed = scanner.feed
    for number, line in enumerate(texts[skip:], skip + 1):
        feed(number, line.removeprefix("\ufeff") if number == 1 else line)
    return Document(text, texts, scanner.finish(len(texts)))
