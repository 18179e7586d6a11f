"""Text to chunks of atoms with the lines of the file on disk.

An atom is what is found and returned: a list item, a paragraph, a row of a table, a fence. A chunk is a run of atoms
below one heading, about `TARGET` characters: what the index counts terms over. Long atoms are cut at lines, and long
lines at spaces (both halves keep the line's number); blobs are dropped. Reads text only, never a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from openclaw_memory import markdown
from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import native
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS
from openclaw_memory.retrieval.plain import plain

if TYPE_CHECKING:
    from openclaw_memory.facts.model import Fact

TARGET = 1000
"""Characters of a chunk (an atom is never cut for it)."""
LONGEST_ATOM = 1200
_CUT = 800
_MOST_CHUNKS = (1 << CHUNK_BITS) - 1  # the last number stands for the whole file
_MOST_ATOMS = 1 << ATOM_BITS
_BLOB = pattern(r"[A-Za-z0-9+/=_-]{256,}")
_SILENT = frozenset(("blank", "rule"))
_FRONT_MATTER = 2000
_TITLE = 500
"""Characters of a heading that are said of each chunk below it; a longer one is text as well."""
_HEADERS = 16
"""How often a table's own length its headers behind the rows may take: a long one above many short rows is cut."""


class Atom(Record):
    """Lines `first` to `last` (from 1, inclusive) and their text; a table's row has the header behind it."""

    first: int
    last: int
    text: str


class Chunk(Record):
    """Atoms below one heading; `heading` is the path of titles that leads to them."""

    heading: tuple[str, ...]
    atoms: list[Atom]
    weight: float = 1.0
    """How much its passages count, 1 for normal (a superseded fact counts less)."""
    fact: Fact | None = None
    """The fact that it is."""


_Read = tuple[list[Chunk], str, Sequence[str], int]


class Page(Record):
    """A text in chunks, with what its front matter and first heading say."""

    chunks: list[Chunk]
    front: dict[str, object]
    heading: str
    lines: int


def page(text: str) -> Page:
    """`text` (Markdown; any text is) in chunks."""
    target = max(TARGET, len(text) // (_MOST_CHUNKS // 3))
    found, heading, front, lines = (_python if native.speed is None else _compiled)(plain(text), target)
    return Page(fit(found), _mapping(front), heading, lines)


def _compiled(text: str, target: int) -> _Read:
    """As `_python`, in C."""
    assert native.speed is not None
    limits = (target, _MOST_ATOMS, LONGEST_ATOM, _CUT, _FRONT_MATTER, _TITLE, _HEADERS)
    read: _Read = native.speed.chunks(text, Chunk, Atom, _cut, limits)
    return read


def _python(text: str, target: int) -> _Read:
    """The chunks, the first heading, the lines between the fences of the front matter, the number of lines."""
    document = markdown.scan(text)
    heading = next((block.text for block in document.blocks if block.kind == "heading"), "")
    has_front = bool(document.blocks) and document.blocks[0].kind == "front_matter"
    front = document.texts[1 : document.blocks[0].last - 1] if has_front else ()
    return list(_chunks(document, target)), heading[:_TITLE], front, len(document.texts)


def _mapping(front: Sequence[str]) -> dict[str, object]:
    """What front matter says."""
    from openclaw_memory.retrieval.front import quick

    simple = quick(front)
    if simple is not None:
        return simple
    from openclaw_memory.markdown.front_matter import parse

    return parse("\n".join(front))


def _chunks(document: markdown.Document, target: int) -> Iterator[Chunk]:
    path: list[tuple[int, str]] = []
    heading: tuple[str, ...] = ()
    atoms: list[Atom] = []
    size = 0
    pending: Atom | None = None
    for block in document.blocks:
        kind = block.kind
        if kind in _SILENT:
            continue
        if kind == "heading":
            if atoms:
                yield Chunk(heading, atoms)
            elif pending and block.level <= path[-1][0]:
                yield Chunk(heading, [pending])
            atoms, size = [], 0
            while path and path[-1][0] >= block.level:
                path.pop()
            path.append((block.level, block.text[:_TITLE]))
            heading = tuple(title for _, title in path)
            pending = Atom(block.first, block.last, heading[-1])
            if len(block.text) <= _TITLE:
                continue
        for atom in _atoms(document, block):
            if atoms and (size + len(atom.text) > target or len(atoms) == _MOST_ATOMS):
                yield Chunk(heading, atoms)
                atoms, size = [], 0
            atoms.append(atom)
            size += len(atom.text)
        if kind == "front_matter" and atoms:
            yield Chunk((), atoms)
            atoms, size = [], 0
    if atoms:
        yield Chunk(heading, atoms)
    elif pending:
        yield Chunk(heading, [pending])


def _atoms(document: markdown.Document, block: markdown.Block) -> Iterable[Atom]:
    if block.kind == "table":
        return _rows(document, block)
    if block.kind == "item" and not block.text:
        return ()
    text = document.between(block.first, block.last)
    if block.kind == "front_matter":
        return (Atom(block.first, block.last, text[:_FRONT_MATTER]),)
    if len(text) <= LONGEST_ATOM:
        return (Atom(block.first, block.last, text),)
    return _pieces(document, block.first, block.last)


def _rows(document: markdown.Document, block: markdown.Block) -> Iterator[Atom]:
    size, rows = len(document.between(block.first, block.last)), block.last - block.first - 1
    header = " ".join(block.rows[0])[: min(LONGEST_ATOM, _HEADERS * size // max(rows, 1))]
    if len(block.rows) == 1:
        yield Atom(block.first, block.last, header)
    for number in range(block.first + 2, block.last + 1):
        for atom in _pieces(document, number, number):
            yield Atom(number, number, f"{atom.text} {header}")


def _pieces(document: markdown.Document, first: int, last: int) -> Iterator[Atom]:
    """Lines `first` to `last` in atoms of about `_CUT` characters."""
    start, size = first, 0
    for number in range(first, last + 1):
        line = document.texts[number - 1]
        if size and size + len(line) > _CUT:
            yield Atom(start, number - 1, document.between(start, number - 1))
            start, size = number, 0
        if len(line) > LONGEST_ATOM:
            yield from (Atom(number, number, part) for part in _cut(line))
            start, size = number + 1, 0
        else:
            size += len(line) + 1
    if start <= last:
        yield Atom(start, last, document.between(start, last))


def _cut(line: str) -> Iterator[str]:
    """A long line in parts, at spaces where there are some; blobs are left out."""
    line = _BLOB.sub(" ", line)
    at = 0
    while len(line) - at > LONGEST_ATOM:
        space = line.rfind(" ", at + _CUT // 2, at + _CUT)
        end = space if space > 0 else at + _CUT
        yield line[at:end]
        at = end
    yield line[at:]


def fit(chunks: list[Chunk]) -> list[Chunk]:
    """`chunks` by joining neighbours (of facts, the first one's stays) until their number fits the ids."""
    while len(chunks) > _MOST_CHUNKS:
        pairs = zip(islice(chunks, 0, None, 2), [*islice(chunks, 1, None, 2), None], strict=False)
        chunks = [a if b is None else Chunk(a.heading, _join(a.atoms + b.atoms), a.weight, a.fact) for a, b in pairs]
    return chunks


def _join(atoms: list[Atom]) -> list[Atom]:
    while len(atoms) > _MOST_ATOMS:
        pairs = zip(islice(atoms, 0, None, 2), [*islice(atoms, 1, None, 2), None], strict=False)
        atoms = [a if b is None else Atom(a.first, b.last, f"{a.text}\n{b.text}") for a, b in pairs]
    return atoms
