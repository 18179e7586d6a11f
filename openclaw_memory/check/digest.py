"""The lines of a long index that a commit leaves as they were, taken out before it is parsed.

An entry of ten thousand that the commit does not touch, whose file is there and unchanged, can break no rule about
this commit. What is left (headings, prose, every line that is new, gone, or about a changed file) is parsed as
always; a differential test holds the findings to those of the whole index.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

LONG = 1 << 16  # characters; a shorter index is parsed whole at once
_PLAIN = re.compile(r"- \[[^\[\]`]*\]\(([^\s()<>%#`\\]+\.md)\)(.*)")
_PATHS = ("/", "`", "[", ".md", ".json", ".yml", ".yaml", ".txt", "|")
_NAMED = re.compile(r"[^\s()<>\[\]`|]+\.md")


class Digest(NamedTuple):
    """`text` is what is left, `numbers` its lines' numbers in the whole, `plain` (line, path) of what was taken out."""

    text: str
    numbers: tuple[int, ...]
    plain: tuple[tuple[int, str], ...]


def digest(text: str, other: str, present: Collection[str], changed: Collection[str]) -> Digest:
    """`text` without the entries that `other` (the index before, or after) has too, of files that did not change.

    `present` are the files of the tree, `changed` those of the commit.
    """
    lines, same = text.split("\n"), frozenset(other.split("\n"))
    plain = {number: path for number, path in _plain(lines, same) if path in present and path not in changed}
    named = _named(line for number, line in enumerate(lines) if number not in plain)
    first = _first_of_sections(lines, plain)
    taken = {number: path for number, path in plain.items() if path not in named and number not in first}
    kept = [number for number in range(len(lines)) if number not in taken]
    return Digest(
        "\n".join(lines[number] for number in kept),
        tuple(number + 1 for number in kept),
        tuple((number + 1, path) for number, path in taken.items()),
    )


def _plain(lines: list[str], same: frozenset[str]) -> Iterable[tuple[int, str]]:
    """(index, path) of the lines that are in `same`, hold one link and a sentence, and have nothing nested in them."""
    for number, line in enumerate(lines):
        if line in same and line.startswith("- ["):
            match = _PLAIN.match(line)
            if match and not any(sign in match[2] for sign in _PATHS) and _alone(lines, number):
                yield number, match[1]


def _alone(lines: list[str], number: int) -> bool:
    """Whether what follows is another entry, a heading, or an empty line with no more of this item after it."""
    after = lines[number + 1] if number + 1 < len(lines) else ""
    if after.startswith(("- [", "#")):
        return True
    beyond = lines[number + 2] if number + 2 < len(lines) else ""
    return not after.strip() and not beyond.startswith((" ", "\t"))


def _named(lines: Iterable[str]) -> frozenset[str]:
    """The paths that stand in the lines that are kept: all lines of such a path are one entry."""
    return frozenset(path for line in lines for path in _NAMED.findall(line))


def _first_of_sections(lines: list[str], plain: Collection[int]) -> frozenset[int]:
    """The first plain line below each heading (a section with entries must keep one), and all of Active Context."""
    from openclaw_memory.index.words import heading_kind

    found, fresh, active = set(), True, False
    for number, line in enumerate(lines):
        if line.startswith("#"):
            fresh, active = True, heading_kind(line.strip("# \r"))[0] == "active"
        elif number in plain and (fresh or active):
            found.add(number)
            fresh = False
    return frozenset(found)
