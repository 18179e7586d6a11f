"""The three sizes a host may cap: bytes, UTF-16 units and tokens."""

from __future__ import annotations

from openclaw_memory.record import Record
from openclaw_memory.tokens.estimate import count


class Size(Record):
    """How large a text is: `bytes` as UTF-8 on disk, `utf16` units (JavaScript's string length), `tokens` estimated."""

    bytes: int
    utf16: int
    tokens: int

    def __add__(self, other: Size) -> Size:  # type: ignore[override]  # sizes add up, they do not join
        return Size(self.bytes + other.bytes, self.utf16 + other.utf16, self.tokens + other.tokens)

    def to_json(self) -> dict[str, int]:
        """The three sizes by name."""
        return {"bytes": self.bytes, "utf16": self.utf16, "tokens": self.tokens}


def utf16_units(text: str) -> int:
    """What JavaScript calls the length of `text`: one unit a character, two beyond U+FFFF."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def measure(text: str) -> Size:
    """All three sizes of `text` (decoded with surrogateescape: such a character is one byte on disk)."""
    return Size(len(text.encode("utf-8", "surrogateescape")), utf16_units(text), count(text))
