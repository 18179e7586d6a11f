"""Edits of whole lines: pure functions from text to text that keep every byte they do not mean to change.

New lines get the line end that most lines of the text have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from openclaw_memory.markdown.document import Document, split_lines


def replace_lines(text: str, new: dict[int, str]) -> str:
    """`text` with the lines of the numbers in `new` replaced; each keeps its own line end."""
    if not new:
        return text
    return "".join(new.get(line.number, line.text) + line.eol for line in split_lines(text))


def delete_lines(text: str, numbers: Iterable[int]) -> str:
    """`text` without the lines of `numbers`; the others keep their bytes, a BOM stays."""
    gone = set(numbers)
    mark = "\ufeff" if 1 in gone and text.startswith("\ufeff") else ""
    return mark + "".join(line.raw for line in split_lines(text) if line.number not in gone)


def insert_after(text: str, number: int, new: Sequence[str]) -> str:
    """`text` with the lines `new` put below line `number` (0: at the start, below a BOM).

    A last line without an end gets one before something is put below it.
    """
    if not new:
        return text
    lines = split_lines(text)
    eol = Document(text, (), ()).eol
    raws = [line.raw for line in lines]
    added = [line + eol for line in new]
    if number == 0 and text.startswith("\ufeff"):
        raws[0] = raws[0][1:]
        added[0] = "\ufeff" + added[0]
    if 0 < number == len(lines) and not lines[-1].eol:
        raws[-1] += eol
    above, below = raws[:number], raws[number:]
    if above and above[-1].endswith("\r") and added[0] == "\n":  # they would read as one line end
        added[0] = "\r\n"
    if below and below[0].startswith("\n") and added[-1].endswith("\r"):
        added[-1] += "\n"
    return "".join(above + added + below)
