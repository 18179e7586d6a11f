"""The commonest lines, which need no look at containers: what the scanner's rules would do with them, only faster."""

from __future__ import annotations

from openclaw_memory.markdown.blocks import QUOTE, Blocks, Item, Leaf
from openclaw_memory.markdown.document import Block
from openclaw_memory.markdown.tables import split_row
from openclaw_memory.patterns import pattern

ATX = pattern(r"(#{1,6})(?:[ \t]+|$)")
FENCE = pattern(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
RAW = ("fence", "html", "comment")
STARTERS = frozenset("#`~>*+-_=<0123456789|:")
_CLOSING = pattern(r"(?:^|[ \t])#+[ \t]*$")
_PLAIN = pattern(r"[*+-] (?:[^\s#`~>*+\-_=<0-9|:\[]|\[(?![ xX]\])|`(?!``)|\*+(?=[^\s*])|_+(?=[^\s_]))")
_OPENERS = STARTERS | frozenset(" \t.)")  # a prefix in which tabs count as spaces can begin with the last two as well
_TEXTS = ("paragraph", "item")  # what a blank line ends, and nothing more
_VERBATIM = frozenset((*RAW, "table", "indented_code"))


class Quick(Blocks):
    """Takes a line of a plain form as it stands."""

    def _quick(self, text: str, leaf: Leaf | None) -> bool:
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
            return self._quick_fence(text)
        return first == "#" and "\t" not in text and self._quick_heading(text)

    def _quick_verbatim(self, text: str, leaf: Leaf) -> bool:
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

    def _quick_blank(self, leaf: Leaf | None) -> bool:
        stack = self.stack
        if leaf is not None and leaf.kind not in _TEXTS:
            return False
        if stack and (QUOTE in stack or self._is_empty(stack[-1])):
            return False
        self._close()
        self._blank()
        return True

    def _quick_fence(self, text: str) -> bool:
        fence = FENCE.match(text)
        if fence is None or "\t" in text:
            return False
        self._close()
        self.stack.clear()
        self.leaf = Leaf("fence", self.number, 0, 0, marker=fence[1], info=fence[2].strip(" \t"), closed=False)
        return True

    def _quick_text(self, text: str, leaf: Leaf | None) -> bool:
        if leaf is None:
            self.leaf = leaf = Leaf("paragraph", self.number, 0, 0)
        elif leaf.kind != "paragraph":
            return False
        leaf.content.append(text)
        leaf.last = self.number
        return True

    def _quick_item(self, text: str) -> bool:
        """An item of the outermost list whose text starts no block. It fits no open container, so it ends them all."""
        self._close()
        self.stack = [Item(2, self.number)]
        self.leaf = leaf = Leaf("item", self.number, 0, 0, marker=text[0], indent=0)
        leaf.content.append(text[2:])
        return True

    def _quick_heading(self, text: str) -> bool:
        atx = ATX.match(text)
        if atx is None:
            return False
        self._close()
        self.stack.clear()
        self.blocks.append(Block("heading", self.number, self.number, 0, 0, len(atx[1]), title(text, atx.end())))
        return True


def title(text: str, start: int) -> str:
    """The title that an ATX heading has behind its opening hashes."""
    return _CLOSING.sub("", text[start:]).strip(" \t")
