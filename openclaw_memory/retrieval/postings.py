"""Which chunks hold a term: sorted arrays of chunk numbers, in blocks of 1,024 files so that an edit touches little.

`postings.key` is term << 12 | block; `body` lists chunks with the term in their text, `head` those with it in a heading
above, and, as a chunk numbered `WHOLE`, files with it in title, path, tags or date. A batch collects what goes and what
comes, then writes once.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.lexicon import FIRST, NUMBER

if TYPE_CHECKING:
    from openclaw_memory.retrieval.native import _speed as native

BLOCK_BITS = 12
WHOLE = (1 << CHUNK_BITS) - 1
"""The place of a file's pseudo chunk, which stands for the whole file."""
REMEMBERED = 256
"""Terms whose postings are remembered: 4 bytes for each chunk that holds one."""
_FILES_BITS = 10
MOST_FILES = 1 << (BLOCK_BITS + _FILES_BITS - 2)

_SIGNS = frozenset(range(FIRST))


def numbers(blob: bytes) -> array[int]:
    """The numbers of a blob."""
    found = array(NUMBER)
    found.frombytes(blob)
    return found


def block_of(file: int) -> int:
    """The block that the postings of `file` are in."""
    return file >> _FILES_BITS


class Lists:
    """Which chunks hold a term, counted chunk by chunk; `native/lists.c` does the same."""

    def __init__(self) -> None:
        self._chunks = defaultdict[int, list[int]](list)

    def add(self, first: int, texts: list[bytes]) -> None:
        """Count the terms of the stored texts of chunks that follow each other, all of a chunk at once."""
        chunks = self._chunks
        for chunk, text in enumerate(texts, first):
            for term in set(numbers(text)):
                chunks[term].append(chunk)

    def blobs(self) -> dict[int, bytes]:
        """Term to the numbers of its chunks in order, as stored; by term."""
        terms = sorted(self._chunks.keys() - _SIGNS)
        return {term: array(NUMBER, sorted(self._chunks[term])).tobytes() for term in terms}


def _lists() -> Lists | native.Lists:
    from openclaw_memory.retrieval.native import speed

    made: Lists | native.Lists = Lists() if speed is None else speed.Lists()
    return made


class _Block:
    """The changes of one block: chunks to add by term, and terms that lose the chunks of `gone` files."""

    def __init__(self, empty: bool) -> None:
        self.empty = empty
        self.body, self.head = _lists(), _lists()
        self.gone: list[tuple[int, int]] = []
        self.losing: set[int] = set()


class Postings:
    """The changes of one batch. Use inside one transaction: `add` and `drop`, then `save`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._blocks: dict[int, _Block] = {}

    def _block(self, file: int) -> _Block:
        number = block_of(file)
        block = self._blocks.get(number)
        if block is None:
            low, high = number << _FILES_BITS, (number + 1) << _FILES_BITS
            held = self._db.execute("SELECT 1 FROM files WHERE id >= ? AND id < ? LIMIT 1", (low, high)).fetchone()
            block = self._blocks[number] = _Block(empty=held is None)
        return block

    def add(self, file: int, bodies: list[bytes], heads: list[bytes], whole: bytes) -> None:
        """The stored texts of a new file: of its chunks, above them, and of the file. Before its row is written."""
        block, first = self._block(file), file << CHUNK_BITS
        block.body.add(first, bodies)
        block.head.add(first, heads)
        block.head.add(first | WHOLE, [whole])

    def drop(self, file: int, terms: Iterable[int]) -> None:
        """The chunks of `file`, which hold `terms` (or more)."""
        block = self._block(file)
        block.gone.append((file << CHUNK_BITS, (file + 1) << CHUNK_BITS))
        block.losing.update(terms)

    def save(self) -> None:
        """Write the changes."""
        for number, block in sorted(self._blocks.items()):
            body, head = block.body.blobs(), block.head.blobs()
            terms = sorted(block.losing | body.keys() | head.keys())
            changes = ((term << BLOCK_BITS | number, body.get(term, b""), head.get(term, b"")) for term in terms)
            if block.empty:
                self._db.executemany("INSERT INTO postings VALUES (?, ?, ?)", changes)
            else:
                for key, more_body, more_head in changes:
                    self._change(key, block.gone, more_body, more_head)
        self._blocks.clear()

    def _change(self, key: int, gone: list[tuple[int, int]], body: bytes, head: bytes) -> None:
        held = self._db.execute("SELECT body, head FROM postings WHERE key = ?", (key,)).fetchone() or (b"", b"")
        body, head = _merged(held[0], gone, body), _merged(held[1], gone, head)
        if (body, head) == held:  # most terms of a file that changed stand where they stood
            return
        if not body and not head:
            self._db.execute("DELETE FROM postings WHERE key = ?", (key,))
        else:
            self._db.execute(
                "INSERT INTO postings VALUES (?1, ?2, ?3)"
                " ON CONFLICT (key) DO UPDATE SET body = excluded.body, head = excluded.head",
                (key, body, head),
            )


def _merged(blob: bytes, gone: list[tuple[int, int]], more: bytes) -> bytes:
    held, fresh = numbers(blob), numbers(more)
    for low, high in gone:
        start = bisect_left(held, low)
        del held[start : bisect_left(held, high, start)]
    if held and fresh and held[-1] > fresh[0]:
        return array(NUMBER, sorted(held + fresh)).tobytes()
    return (held + fresh).tobytes()


def terms_in(blob: bytes) -> set[int]:
    """The terms in a stored text."""
    found = set(numbers(blob))
    found -= _SIGNS
    return found
