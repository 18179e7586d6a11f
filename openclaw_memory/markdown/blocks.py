"""What a scan holds between two lines: open containers, the open leaf, the blocks that are done."""

from __future__ import annotations

from openclaw_memory.markdown.document import Block
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    import re


class Item(Record):
    """An open list item: its content starts `width` columns after its parent's."""

    width: int
    line: int


QUOTE = Item(-1, 0)


class Leaf:
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


class Blocks:
    """The state of one scan, and how a block is opened and closed."""

    def __init__(self) -> None:
        self.stack: list[Item] = []
        self.leaf: Leaf | None = None
        self.blocks: list[Block] = []
        self.number = 0

    def _nesting(self) -> tuple[int, int]:
        quotes = self.stack.count(QUOTE) if self.stack else 0
        return len(self.stack) - quotes, quotes

    def _drop(self, matched: int) -> None:
        """Close the containers that the line did not match, and the leaf in them."""
        if matched < len(self.stack):
            self._close()
            del self.stack[matched:]

    def _flush(self, pending: Leaf | None) -> None:
        """An item whose first line holds no paragraph stands in the blocks as an empty item."""
        if pending is not None:
            self._close()
            self.blocks.append(self._block(pending, pending.first, pending.first, text=""))

    def _start(self, kind: str, **values: object) -> None:
        self._close()
        depth, quote = self._nesting()
        self.leaf = Leaf(kind, self.number, depth, quote, **values)

    def _close(self, **more: object) -> None:
        leaf = self.leaf
        if leaf is None:
            return
        self.leaf = None
        leaf.values.update(more)
        self.blocks.append(self._block(leaf, leaf.first, leaf.last))
        if leaf.kind == "indented_code" and leaf.last < self.number - 1:
            self.blocks.append(Block("blank", leaf.last + 1, self.number - 1, leaf.depth, leaf.quote))

    def _block(self, leaf: Leaf, first: int, last: int, **more: object) -> Block:
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

    def _blank(self) -> None:
        depth, quote = self._nesting()
        last = self.blocks[-1] if self.blocks else None
        if last is not None and last.kind == "blank" and last.quote == quote and last.last == self.number - 1:
            self.blocks[-1] = last._replace(last=self.number)
        else:
            self.blocks.append(Block("blank", self.number, self.number, depth, quote))

    def _is_empty(self, item: Item) -> bool:
        """Whether nothing stands in the item yet but its marker: a blank line then ends it."""
        last = self.blocks[-1] if self.blocks else None
        started = last is not None and last.kind == "item" and last.first == item.line and not last.text
        return started and self.leaf is None and item is self.stack[-1]
