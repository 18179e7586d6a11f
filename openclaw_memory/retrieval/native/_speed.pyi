from collections.abc import Callable, Mapping
from typing import final

from openclaw_memory.retrieval.analyse import Terms
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
    def encode(self, texts: list[str], /) -> list[bytes]: ...
    def forget(self) -> None: ...
    def stem(self, word: str, /) -> str: ...

@final
class Lists:
    """Which chunks hold a term, as `postings.Lists`."""

    def __new__(cls) -> Lists: ...
    def add(self, chunk: int, text: bytes, /) -> None: ...
    def blobs(self) -> dict[int, bytes]: ...
