"""Lines in lists: logs of decisions and lessons, open questions, and the index's Preferences. Pure: text to text.

Each edit returns None where the list says so already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from openclaw_memory import markdown
from openclaw_memory.index import check_writable, parse
from openclaw_memory.knowledge.normal import normal

QUESTIONS = "memory/open-questions.md"

Edit = Callable[[str, str], str | None]

_DATED = re.compile(r"^\d{4}-\d{2}-\d{2}: |\s*\(\d{4}-\d{2}-\d{2}\)$")


def _items(document: markdown.Document) -> Iterable[markdown.Block]:
    return (block for block in document.blocks if block.kind == "item")


def _said(text: str) -> str:
    return normal(_DATED.sub("", text))


def with_row(row: str, text: str, statement: str) -> str | None:
    """`text` with `- row` behind its last line, unless an item says `statement` already."""
    document = markdown.scan(text)
    wanted = normal(statement)
    if any(_said(block.text) == wanted for block in _items(document)):
        return None
    last = next((line.number for line in reversed(document.lines) if line.text.strip()), 0)
    after_list = last and document.lines[last - 1].text.lstrip().startswith(("-", "*", "+"))
    return markdown.insert_after(text, last, [f"- {row}"] if after_list or not last else ["", f"- {row}"])


def with_preference(text: str, statement: str) -> str | None:
    """The index `text` with `- statement` in its Preferences; a section is made where there is none.

    Raises FormatError where a line put into the index could end up hidden (an unclosed fence).
    """
    index = parse(text, ())
    check_writable(index)
    wanted = normal(statement)
    if any(_said(block.text) == wanted for block in _items(index.document)):
        return None
    row = f"- {' '.join(statement.split())}"
    section = next((found.section for found in index.sections if found.kind == "preferences"), None)
    lines = index.document.lines
    if section is None:
        last = next((line.number for line in reversed(lines) if line.text.strip("\ufeff \t")), 0)
        return markdown.insert_after(text, last, [*([""] if last else []), "## Preferences", "", row])
    own = [line for line in lines[section.line : section.own_last] if line.text.strip()]
    if not own:
        blank_below = section.own_last > section.line and section.own_last < len(lines)
        return markdown.insert_after(
            text, section.line, ["", row] if blank_below or section.last == len(lines) else ["", row, ""]
        )
    return markdown.insert_after(text, own[-1].number, [row])


def with_answer(text: str, statement: str) -> str | None:
    """The questions `text` with the box of `statement` ticked; None where no open one says so."""
    wanted = normal(statement)
    for block in _items(markdown.scan(text)):
        if block.checked is False and _said(block.text) == wanted:
            line = markdown.split_lines(text)[block.first - 1].text
            return markdown.replace_lines(text, {block.first: line.replace("[ ]", "[x]", 1)})
    return None


def open_questions(text: str) -> list[str]:
    """The questions of `text` whose boxes are not ticked, without their dates."""
    found = (block for block in _items(markdown.scan(text)) if block.checked is False)
    return [_DATED.sub("", block.text) for block in found]
