from collections.abc import Callable, Iterable, Mapping
from typing import final

from openclaw_memory.markdown import Block
from openclaw_memory.retrieval.analyse import Terms
from openclaw_memory.retrieval.chunks import Atom, Chunk
from openclaw_memory.retrieval.stem import Endings

SOURCES: int  # of `sources.checksum`

@final
class Speller:
    """Texts to stored terms, as `spellings.Spellings`."""

    def __new__(
        cls,
        numbers: Mapping[str, bytes],
        analyse: Callable[[str], Terms],
        rules: tuple[dict[str, str], Endings, Endings, Endings, Endings],
        signs: dict[bytes, int],
        seed: int,
    ) -> Speller: ...
    @property
    def size(self) -> int: ...
    def encode(self, texts: list[str], /) -> list[bytes]:
        """Raises RuntimeError, as `forget` does, while a call of the same object has not returned."""

    def forget(self) -> None: ...
    def stem(self, word: str, /) -> str: ...

@final
class Lists:
    """Which chunks hold a term, as `postings.Lists`."""

    def __new__(cls) -> Lists: ...
    def add(self, first: int, texts: list[bytes], /) -> None: ...
    def blobs(self) -> dict[int, bytes]: ...

def blocks(text: str, block: type[Block], /) -> tuple[Block, ...]:
    """The blocks of `text`, as `markdown.scan` finds them. Raises UnicodeEncodeError for a lone surrogate."""

def chunks(
    text: str,
    chunk: type[Chunk],
    atom: type[Atom],
    cut: Callable[[str], Iterable[str]],
    limits: tuple[int, int, int, int, int, int, int],
    /,
) -> tuple[list[Chunk], str, list[str], int]:
    """The chunks of `text`, its first heading, the lines between the fences of its front matter, the number of lines.

    `cut` cuts a line that is too long. `limits`, in characters: of a chunk, then how many atoms it has, of an atom,
    of a piece of a block that is too long for one, of front matter, of a heading, then how often a table's own length
    its headers may take. Raises UnicodeEncodeError for a lone surrogate.
    """
