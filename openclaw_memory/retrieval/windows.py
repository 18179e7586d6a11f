"""The text that stands for a passage where a model reads it: the one place, for every store and every embedder."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_memory.record import Record
from openclaw_memory.retrieval.chunks import Atom, Chunk, Page

_SHORT = 80
"""Characters under which a passage needs its title and headings to mean something; others are better without."""


class Window(Record):
    """A passage of a page: the places of its chunk and atom, from 0, and the text that a model reads for it."""

    place: int
    at: int
    chunk: Chunk
    text: str

    @property
    def atom(self) -> Atom:
        """What is found and returned."""
        return self.chunk.atoms[self.at]


def windows(page: Page, title: str) -> Iterator[Window]:
    """Every passage of a page: the atom between its neighbours; a short one below the title and its headings."""
    for place, chunk in enumerate(page.chunks):
        heading = " > ".join(dict.fromkeys((title, *chunk.heading)))
        for at in range(len(chunk.atoms)):
            text = "\n".join(atom.text for atom in chunk.atoms[max(0, at - 1) : at + 2])
            yield Window(place, at, chunk, text if len(text) >= _SHORT else f"{heading}\n{text}")
