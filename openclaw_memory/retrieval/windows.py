"""The texts that stand for a passage and for a file where a model reads them: for every store and every embedder."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_memory.record import Record
from openclaw_memory.retrieval.chunks import Atom, Chunk, Page

_SHORT = 80
"""Characters under which a passage needs its title and headings to mean something; others are better without."""
_OPENING = 300
"""Characters of a file's first words; and under `_SAYING` a passage introduces nothing."""
_SAYING = 60


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


def about(page: Page, title: str) -> str:
    """What a whole file is about, as it says itself: its title, its first words and its headings."""
    headings = dict.fromkeys(name for chunk in page.chunks for name in chunk.heading if name != title)
    atoms = (atom.text for chunk in page.chunks for atom in chunk.atoms)
    opening = next((text for text in atoms if len(text) > _SAYING and not text.startswith("---")), "")
    return "\n".join((title, opening[:_OPENING], "; ".join(headings)))
