"""The second half of an index merge: from what git merged and could not merge to text with the entries. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from openclaw_memory.errors import GitError
from openclaw_memory.hooks.entries import BASE, Outcome
from openclaw_memory.record import Record

LABELS = ("ours", "theirs")


class Hunk(Record):
    """Lines that git could not merge."""

    ours: list[str]
    base: list[str]
    theirs: list[str]


class Joiner:
    """Settles the hunks that only entries made, and puts each entry in the place of its token."""

    def __init__(self, outcomes: dict[str, Outcome], marker_size: int) -> None:
        self.outcomes = outcomes
        self.size = marker_size
        self.conflicts = 0
        self.placed: set[str] = set()

    def text(self, parts: Iterable[list[str] | Hunk]) -> str:
        lines: list[str] = []
        for part in parts:
            if isinstance(part, list):
                lines += self._filled(part)
            elif (settled := self._settle(part)) is not None:
                lines += self._filled(settled)
            else:
                lines += self._conflict(part)
        if any(outcome.placed_by and token not in self.placed for token, outcome in self.outcomes.items()):
            raise GitError("an entry would be lost in the merge", "merge the index by hand")
        return "".join(f"{line}\n" for line in lines)

    def _filled(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            again = line in self.placed
            outcome = self._outcome(line)
            if outcome is not None and again and BASE not in outcome.placed_by:
                continue  # both sides added it, in different places: the first one counts
            if outcome is None:
                yield line
            elif outcome.is_conflict:
                yield from self._marked(_lines(outcome.ours), _lines(outcome.theirs))
            else:
                yield from _lines(outcome.merged)

    def _settle(self, hunk: Hunk) -> list[str] | None:
        """The hunk's lines where at most one side changed the text around the entries; None for a true conflict."""
        ours, base, theirs = ([line for line in side if line not in self.outcomes] for side in hunk)
        if theirs in (base, ours):
            return self._join(hunk.ours, hunk.theirs, hunk.base, after=True)
        if ours == base:
            return self._join(hunk.theirs, hunk.ours, hunk.base, after=False)
        return None

    def _join(self, carrier: list[str], other: list[str], base: list[str], *, after: bool) -> list[str]:
        """`carrier` with the entries of `other`: each behind the line it follows there.

        Where both sides added entries behind one line, ours come first (`after`: the carrier is ours).
        """
        here, there, before = set(carrier), set(other), set(base)
        wanted = {t for t in self.outcomes.keys() & (here | there) if (t in here) + (t in there) > (t in before)}
        pairs = SequenceMatcher(None, other, carrier, autojunk=False).get_matching_blocks()
        follows = {block.a + at: block.b + at for block in pairs for at in range(block.size)}
        new = (here - before - there) & self.outcomes.keys() if after else set()
        more: dict[int, list[str]] = {}
        place = -1
        for at, line in enumerate(other):
            place = follows.get(at, place)
            if line in wanted and line not in here:
                more.setdefault(_behind(carrier, new, place), []).append(line)
        joined = list(more.get(-1, []))
        for at, line in enumerate(carrier):
            joined += [line] if line not in self.outcomes or line in wanted else []
            joined += more.get(at, [])
        return joined

    def _conflict(self, hunk: Hunk) -> Iterator[str]:
        """The hunk as conflict markers, around the lines that differ only."""
        ours, theirs = hunk.ours, hunk.theirs
        head = _common(ours, theirs)
        tail = _common(ours[head:][::-1], theirs[head:][::-1])
        yield from self._filled(ours[:head])
        sides = (side[head : len(side) - tail] for side in (ours, theirs))
        yield from self._marked(
            *([line for raw in side for line in self._side(raw, at)] for at, side in enumerate(sides))
        )
        yield from self._filled(ours[len(ours) - tail :])

    def _side(self, line: str, at: int) -> list[str]:
        outcome = self._outcome(line)
        if outcome is None:
            return [line]
        return _lines((outcome.ours, outcome.theirs)[at] if outcome.is_conflict else outcome.merged)

    def _outcome(self, line: str) -> Outcome | None:
        self.placed.add(line)
        return self.outcomes.get(line)

    def _marked(self, ours: list[str], theirs: list[str]) -> Iterator[str]:
        self.conflicts += 1
        yield from (f"{'<' * self.size} {LABELS[0]}", *ours, "=" * self.size, *theirs, f"{'>' * self.size} {LABELS[1]}")


def _behind(lines: list[str], new: set[str], place: int) -> int:
    """The last place of the run of `new` lines that follows `place`."""
    while place + 1 < len(lines) and lines[place + 1] in new:
        place += 1
    return place


def _lines(text: str | None) -> list[str]:
    return text.split("\n") if text is not None else []


def _common(left: list[str], right: list[str]) -> int:
    count = 0
    for one, two in zip(left, right, strict=False):
        if one != two:
            break
        count += 1
    return count
