"""The lines of a long index that a commit leaves as they were, taken out before it is parsed.

An entry of ten thousand that the commit does not touch, whose file is there and unchanged, can break no rule about
this commit. What is left (headings, prose, every line that is new, gone, or about a changed file) is parsed as
always; a differential test holds the findings to those of the whole index.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping

from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record

LONG = 1 << 16  # characters; a shorter index is parsed whole at once
_PLAIN = pattern(r"- \[[^\[\]`]*\]\(([^\s()<>%#`\\]+\.md)\)([^/`\[|]*)")
_FILE = pattern(r"\.(?:md|json|ya?ml|txt)")
_NAMED = pattern(r"[^\s()<>\[\]`|]+\.md")


class Digest(Record):
    """`text` is what is left, `numbers` its lines' numbers in the whole, `plain` (line, path) of what was taken out."""

    text: str
    numbers: tuple[int, ...]
    plain: tuple[tuple[int, str], ...]


def common(one: str, other: str, present: Container[str], changed: Container[str]) -> dict[str, str]:
    """{line: path} of the lines that both texts have and that hold one link, to a file that did not change.

    `present` are the files of the tree, `changed` those of the commit.
    """
    match, found = _PLAIN.fullmatch, {}
    for line in {*one.split("\n")} & {*other.split("\n")}:
        link = match(line) if line.startswith("- [") else None
        if link and link[1] in present and link[1] not in changed and not ("." in link[2] and _FILE.search(link[2])):
            found[line] = link[1]
    return found


def digest(text: str, other: str, same: Mapping[str, str]) -> Digest:
    """`text` without the entries that `other` (the index before, or after) has too; `same` is what `common` gives."""
    lines, others = text.split("\n"), frozenset(other.split("\n"))
    plain = {
        number: same[line]
        for number, (line, below) in enumerate(zip(lines, [*lines[1:], ""], strict=True))
        if line in same and (below.startswith(("- [", "#")) or _closed(lines, number))
    }
    once = {path: number for number, path in plain.items()}
    doubles = {path for number, path in plain.items() if once[path] != number}
    named = doubles | _named(
        [*(line for number, line in enumerate(lines) if number not in plain), *others.difference(lines)]
    )
    for number in [*_needed(lines, plain), *(number for number, path in plain.items() if path in named)]:
        plain.pop(number, None)
    kept = [number for number in range(len(lines)) if number not in plain]
    return Digest(
        "\n".join([lines[number] for number in kept]),
        tuple([number + 1 for number in kept]),
        tuple([(number + 1, path) for number, path in plain.items()]),
    )


def _closed(lines: list[str], number: int) -> bool:
    """Whether an empty line follows, and after it no more of this item."""
    after, beyond = [*lines[number + 1 : number + 3], "", ""][:2]
    return not after.strip() and not beyond.startswith((" ", "\t"))


def _named(lines: Iterable[str]) -> frozenset[str]:
    """The paths that stand in the lines that are kept, or are gone: all lines of such a path are one entry."""
    return frozenset(path for line in lines for path in _NAMED.findall(line))


def _needed(lines: list[str], plain: Collection[int]) -> list[int]:
    """The first plain line below each heading (a section with entries must keep one), and all of Active Context."""
    from openclaw_memory.index.words import heading_kind

    found, fresh, active = [], True, False
    for number, line in enumerate(lines):
        if line.startswith("#"):
            fresh, active = True, heading_kind(line.strip("# \r"))[0] == "active"
        elif (fresh or active) and number in plain:
            found.append(number)
            fresh = False
    return found
