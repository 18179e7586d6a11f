"""The line scanner: CommonMark's block structure with GitHub's tables, one pass, linear time.

The algorithm is that of the CommonMark specification (appendix "A parsing strategy", phase 1): each line is
matched against the open containers (quotes and list items), then against block starts, and else continues
the open leaf. Differences, all on purpose: front matter is a block; a reference definition is a paragraph.
"""

from __future__ import annotations

import re

from openclaw_memory.markdown.document import Block, Document, line_texts
from openclaw_memory.markdown.front_matter import end_of
from openclaw_memory.markdown.html import html_end, html_start
from openclaw_memory.markdown.tables import is_delimiter, split_row
from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record

_PREFIX = pattern(r"[ \t>*+\-0-9.)#]*")
_ATX = pattern(r"(#{1,6})(?:[ \t]+|$)")
_ATX_CLOSE = pattern(r"(?:^|[ \t])#+[ \t]*$")
_FENCE = pattern(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_SETEXT = pattern(r"(?:=+|-+)[ \t]*$")
_ITEM = pattern(r"([*+-]|[0-9]{1,9}[.)])( +|$)")
_BOX = pattern(r"\[([ xX])\](?=[ \t]|$)[ \t]*")
_PLAIN = pattern(r"[*+-] (?:[^\s#`~>*+\-_=<0-9|:\[]|\[(?![ xX]\])|`(?!``)|\*+(?=[^\s*])|_+(?=[^\s_]))")
_RAW = ("fence", "html", "comment")
_NESTED = 100  # containers in each other: what is deeper is text (no person writes it, and it must stay linear)
_STARTERS = frozenset("#`~>*+-_=<0123456789|:")
_OPENERS = _STARTERS | frozenset(" \t.)")  # a prefix in which tabs count as spaces can begin with the last two as well
_TEXTS = ("paragraph", "item")  # what a blank line ends, and nothing more
_VERBATIM = frozenset((*_RAW, "table", "indented_code"))


class _Item(Record):
    """An open list item: its content starts `width` columns after its parent's."""

    width: int
    line: int


_QUOTE = _Item(-1, 0)


class _Leaf:
    """The leaf block that is open: what a line may continue."""

    __slots__ = ("content", "depth", "end", "first", "kind", "last", "quote", "rows", "values")

    def __init__(self, kind: str, first: int, depth: int, quote: int, **values: object) -> None:
        self.kind = kind
        self.first = self.last = first
        self.depth = depth
        self.quote = quote
        self.content: list[str] = []
        self.end: re.Pattern[str] | None = None
        self.rows: list[tuple[str, ...]] = []
        self.values = values


class _Scanner:
    """The state of one scan: open containers, the open leaf, the blocks that are done."""

    def __init__(self) -> None:
        self.stack: list[_Item] = []
        self.leaf: _Leaf | None = None
        self.blocks: list[Block] = []
        self.number = 0

    # -- one line ---------------------------------------------------------------------------------------

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
        if whole and leaf is not None and leaf.kind in _RAW:
            self._continue_raw(leaf, rest)
        else:
            self._open_blocks(text, at, matched)

    # -- the commonest lines, which need no look at containers: what the rest would do with them, only faster ----

    def _quick(self, text: str, leaf: _Leaf | None) -> bool:
        """Take a line of a plain form; False where the whole algorithm must look at it."""
        if leaf is not None and not self.stack and leaf.kind in _VERBATIM:
            return self._quick_verbatim(text, leaf)
        if not text:
            return self._quick_blank(leaf)
        first = text[0]
        if first not in _OPENERS or (first == "`" and not text.startswith("```")):
            return not self.stack and self._quick_text(text, leaf)
        if first in "*+-":
            return _PLAIN.match(text) is not None and self._quick_item(text)
        if first == "`":
            return (
                self._quick_fence(text) if text.startswith("```") else not self.stack and self._quick_text(text, leaf)
            )
        return first == "#" and "\t" not in text and self._quick_heading(text)

    def _quick_verbatim(self, text: str, leaf: _Leaf) -> bool:
        """A line of an outermost block that takes all lines as they are until it ends."""
        kind = leaf.kind
        if kind == "fence":
            run = leaf.values["marker"]
            if text == run:
                leaf.last = self.number
                self._close(closed=True)
                return True
            inside = str(run) not in text
        elif kind == "table":
            inside = text[:1] == "|"
            if inside:
                leaf.rows.append(split_row(text))
        elif kind == "indented_code":
            if not text:
                return True
            inside = text.startswith("    ") and not text.isspace()
        else:
            inside = bool(text) and not (text.isspace() if leaf.end is None else leaf.end.search(text))
        if inside:
            leaf.last = self.number
        return inside

    def _quick_blank(self, leaf: _Leaf | None) -> bool:
        stack = self.stack
        if leaf is not None and leaf.kind not in _TEXTS:
            return False
        if stack and (_QUOTE in stack or self._is_empty(stack[-1])):
            return False
        self._close()
        self._blank()
        return True

    def _quick_fence(self, text: str) -> bool:
        fence = _FENCE.match(text)
        if fence is None or "\t" in text:
            return False
        self._close()
        self.stack.clear()
        self.leaf = _Leaf("fence", self.number, 0, 0, marker=fence[1], info=fence[2].strip(" \t"), closed=False)
        return True

    def _quick_text(self, text: str, leaf: _Leaf | None) -> bool:
        if leaf is None:
            self.leaf = leaf = _Leaf("paragraph", self.number, 0, 0)
        elif leaf.kind != "paragraph":
            return False
        leaf.content.append(text)
        leaf.last = self.number
        return True

    def _quick_item(self, text: str) -> bool:
        """An item of the outermost list whose text starts no block. It fits no open container, so it ends them all."""
        self._close()
        self.stack = [_Item(2, self.number)]
        self.leaf = leaf = _Leaf("item", self.number, 0, 0, marker=text[0], indent=0)
        leaf.content.append(text[2:])
        return True

    def _quick_heading(self, text: str) -> bool:
        atx = _ATX.match(text)
        if atx is None:
            return False
        self._close()
        self.stack.clear()
        self.blocks.append(Block("heading", self.number, self.number, 0, 0, len(atx[1]), _title(text, atx.end())))
        return True

    # -- containers -------------------------------------------------------------------------------------

    def _match_containers(self, text: str) -> tuple[int, int]:
        at = 0
        for matched, item in enumerate(self.stack):
            rest = text[at:]
            inner = rest.lstrip(" ")
            indent = len(rest) - len(inner)
            if item is _QUOTE:
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

    def _is_empty(self, item: _Item) -> bool:
        """Whether nothing stands in the item yet but its marker: a blank line then ends it."""
        last = self.blocks[-1] if self.blocks else None
        started = last is not None and last.kind == "item" and last.first == item.line and not last.text
        return started and self.leaf is None and item is self.stack[-1]

    def _continue_raw(self, leaf: _Leaf, rest: str) -> None:
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
        pending: _Leaf | None = None
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
            if inner[0] not in _STARTERS:
                break
            if len(self.stack) >= _NESTED and matched >= _NESTED:
                break
            if inner[0] == ">":
                self._drop(matched)
                self._close()
                self._flush(pending)
                pending = None
                self.stack.append(_QUOTE)
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
            self.stack.append(_Item(width, self.number))
            matched += 1
            at += min(width, len(rest))
            pending = self._pending(marker, column)
        self._text(inner, matched, pending)

    def _open_leaf(
        self, inner: str, paragraph: _Leaf | None, matched: int, pending: _Leaf | None, *, text_is_open: bool
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
        if first == "#" and (atx := _ATX.match(inner)):
            return "heading", {"level": len(atx[1]), "text": _title(inner, atx.end())}, None
        if first in "`~" and (fence := _FENCE.match(inner)):
            run, info = fence[1] or fence[3], fence[2] if fence[1] else fence[4]
            return "fence", {"marker": run, "info": info.strip(" \t"), "closed": False}, None
        if first == "<" and (number := html_start(inner, interrupts)):
            kind = "comment" if number == 2 else "html"
            end = html_end(number)
            return kind, {"closed": end is None}, end
        if first in "*-_" and not inner.strip(f"{first} \t") and inner.count(first) > 2:
            return "rule", {}, None
        return None

    def _underline(self, inner: str, leaf: _Leaf) -> bool:
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

    def _open_table(self, leaf: _Leaf, header: tuple[str, ...]) -> None:
        depth = leaf.depth + (leaf.kind == "item")
        if len(leaf.content) == 1:
            _unbox(leaf)
        leaf.content.pop()
        leaf.last = self.number - 2
        if leaf.content:
            self._close()
        elif leaf.kind == "item":
            self.blocks.append(self._block(leaf, leaf.first, leaf.first, text=""))
        self.leaf = table = _Leaf("table", self.number - 1, depth, leaf.quote)
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

    def _pending(self, marker: str, column: int) -> _Leaf:
        depth, quote = self._nesting()
        return _Leaf("item", self.number, depth - 1, quote, marker=marker, indent=column)

    # -- text -------------------------------------------------------------------------------------------

    def _text(self, inner: str, matched: int, pending: _Leaf | None) -> None:
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

    def _blank(self) -> None:
        depth, quote = self._nesting()
        last = self.blocks[-1] if self.blocks else None
        if last is not None and last.kind == "blank" and last.quote == quote and last.last == self.number - 1:
            self.blocks[-1] = last._replace(last=self.number)
        else:
            self.blocks.append(Block("blank", self.number, self.number, depth, quote))

    # -- the stack and the leaf -------------------------------------------------------------------------

    def _nesting(self) -> tuple[int, int]:
        quotes = self.stack.count(_QUOTE) if self.stack else 0
        return len(self.stack) - quotes, quotes

    def _drop(self, matched: int) -> None:
        """Close the containers that the line did not match, and the leaf in them."""
        if matched < len(self.stack):
            self._close()
            del self.stack[matched:]

    def _flush(self, pending: _Leaf | None) -> None:
        """An item whose first line holds no paragraph stands in the blocks as an empty item."""
        if pending is not None:
            self._close()
            self.blocks.append(self._block(pending, pending.first, pending.first, text=""))

    def _start(self, kind: str, **values: object) -> None:
        self._close()
        depth, quote = self._nesting()
        self.leaf = _Leaf(kind, self.number, depth, quote, **values)

    def _close(self, **more: object) -> None:
        leaf = self.leaf
        if leaf is None:
            return
        self.leaf = None
        leaf.values.update(more)
        self.blocks.append(self._block(leaf, leaf.first, leaf.last))
        if leaf.kind == "indented_code" and leaf.last < self.number - 1:
            self.blocks.append(Block("blank", leaf.last + 1, self.number - 1, leaf.depth, leaf.quote))

    def _block(self, leaf: _Leaf, first: int, last: int, **more: object) -> Block:
        if leaf.kind == "item" and not more and "checked" not in leaf.values:  # most blocks of an index
            text, marker = "\n".join(leaf.content), str(leaf.values["marker"])
            indent = leaf.values["indent"]
            assert isinstance(indent, int)
            return Block("item", first, last, leaf.depth, leaf.quote, 0, text, "", True, marker, indent)
        if leaf.kind == "paragraph":
            return Block("paragraph", first, last, leaf.depth, leaf.quote, 0, "\n".join(leaf.content))
        values = {**leaf.values, **more}
        if leaf.content and "text" not in values:
            values["text"] = "\n".join(leaf.content)
        if leaf.kind == "table":
            values["rows"] = tuple(leaf.rows)
        return Block(leaf.kind, first, last, leaf.depth, leaf.quote, **values)  # type: ignore[arg-type]

    def finish(self, number: int) -> tuple[Block, ...]:
        """The blocks, after the last line."""
        self.number = number + 1
        self._close()
        return tuple(self.blocks)


def _title(text: str, start: int) -> str:
    """The title that an ATX heading has behind its opening hashes."""
    return _ATX_CLOSE.sub("", text[start:]).strip(" \t")


def _unbox(leaf: _Leaf) -> None:
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
