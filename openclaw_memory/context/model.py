"""What a session is given, as values: the files loaded, those left out, and why. Pure data."""

from __future__ import annotations

from openclaw_memory.context.triggers import Hit
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.tokens import Size

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Kind: TypeAlias = "Literal['index', 'active', 'drill-down']"


class Loaded(Record):
    """A file that is loaded: its `text` as shown, and `hits` that called for it.

    `size` holds the bytes of the file (of the part shown, where it was cut) and the tokens of its place in the
    context, heading and fence included. `digest` tells this content from another.
    """

    path: str
    kind: Kind
    text: str
    size: Size
    hits: tuple[Hit, ...] = ()
    digest: str = ""

    def to_json(self) -> dict[str, object]:
        """As plain JSON types, without the text."""
        return {"path": self.path, "kind": self.kind, "why": _why(self.hits), **self.size.to_json()}


class LeftOut(Record):
    """A file that should be loaded and is not: `reason` says why; `tokens` is None where it was not read."""

    path: str
    kind: Kind
    reason: str
    hits: tuple[Hit, ...] = ()
    tokens: int | None = None

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            "path": self.path,
            "kind": self.kind,
            "reason": self.reason,
            "why": _why(self.hits),
            "tokens": self.tokens,
        }


class Context(Record):
    """Everything one call loads, in the order it is printed in: the index, Active Context, drill-downs by path.

    `known` are the paths that the session has been given before; `notes` say what else went wrong.
    """

    loaded: tuple[Loaded, ...]
    left_out: tuple[LeftOut, ...]
    budget: int
    known: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> Size:
        """The sum over the files."""
        return sum((file.size for file in self.loaded), Size(0, 0, 0))


def _why(hits: tuple[Hit, ...]) -> list[dict[str, object]]:
    return [{"trigger": hit.trigger, "text": hit.text, "start": hit.start, "end": hit.end} for hit in hits]
