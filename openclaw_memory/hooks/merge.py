"""Three-way merge of an index, entry by entry: what git's merge driver does.

Each entry becomes one token line that is the same in all versions, git merges the lines around the tokens, and each
token is turned back into what the entry became. So two entries added in the same place join, an entry changed on
both sides is a conflict that is shown, and text outside entries is merged as git merges text.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple, TypeVar

from openclaw_memory.errors import GitError
from openclaw_memory.hooks.entries import BASE, Key, Outcome, Units, decide, units
from openclaw_memory.markdown import split_lines

LABELS = ("ours", "theirs")
_T = TypeVar("_T")
_TOKEN = "\ue000entry\ue001"


class Merged(NamedTuple):
    """The merged text, with a conflict block for each of `conflicts`; `unsynced` entries lost their rev."""

    text: str
    conflicts: int
    unsynced: tuple[str, ...] = ()


class Hunk(NamedTuple):
    """Lines that git could not merge."""

    ours: list[str]
    base: list[str]
    theirs: list[str]


def merge(base: str, ours: str, theirs: str, *, marker_size: int = 7) -> Merged:
    """Join `ours` and `theirs`, which both came from `base`. Raises GitError when `git merge-file` fails."""
    versions = _same_line_ends(base, ours, theirs)
    read = [units(text) for text in versions.texts]
    outcomes = {key: decide(key, *(version.entries.get(key) for version in read)) for key in _keys(read)}
    token = _unused(_TOKEN, versions.texts)
    names = {key: f"{token}{number}" for number, key in enumerate(outcomes)}
    parts = _git_merge([_skeleton(version, at, outcomes, names) for at, version in enumerate(read)])
    joined = _Joiner({names[key]: outcome for key, outcome in outcomes.items()}, marker_size)
    text = joined.text(parts)
    unsynced = tuple(key.paths[0] for key, outcome in outcomes.items() if outcome.lost_rev)
    return Merged(versions.restore(text), joined.conflicts, unsynced)


class _Versions(NamedTuple):
    """Base, ours and theirs with LF line ends and a final one; `restore` gives a text the line ends it shall have."""

    texts: list[str]
    eol: str
    final: bool

    def restore(self, text: str) -> str:
        text = text if self.final else text.removesuffix("\n")
        return text if self.eol == "\n" else text.replace("\n", self.eol)


def _same_line_ends(*texts: str) -> _Versions:
    """Where each version has one kind of line end, they are merged like any other property of the file."""
    ends = [{line.eol for line in split_lines(text)} - {""} for text in texts]
    final = _three_way(*(text.endswith(("\n", "\r")) or not text for text in texts))
    if any(len(found) > 1 for found in ends):
        return _Versions([_ended(text) for text in texts], "\n", final)
    eols = [next(iter(found), "\n") for found in ends]
    flat = [_ended(text.replace(eol, "\n")) for text, eol in zip(texts, eols, strict=True)]
    return _Versions(flat, _three_way(*eols), final)


def _three_way(base: _T, ours: _T, theirs: _T) -> _T:
    return theirs if ours == base else ours


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _keys(read: list[Units]) -> Iterable[Key]:
    return dict.fromkeys(key for version in (read[1], read[2], read[0]) for key in version.entries)


def _unused(mark: str, texts: list[str]) -> str:
    while any(mark in text for text in texts):
        mark += mark[0]
    return mark


def _skeleton(version: Units, at: int, outcomes: dict[Key, Outcome], names: dict[Key, str]) -> str:
    """The version with token lines; an entry that is gone, or that another version places, leaves no line."""
    shown = (
        part if isinstance(part, str) else f"{names[part]}\n" if at in outcomes[part].placed_by else ""
        for part in version.parts
    )
    return "".join(shown)


def _git_merge(skeletons: list[str]) -> Iterator[list[str] | Hunk]:
    """What git makes of (base, ours, theirs): runs of merged lines, and the hunks it could not merge."""
    size = 8
    while any(mark * size in text for text in skeletons for mark in "<|=>"):
        size += 1
    with tempfile.TemporaryDirectory(prefix="openclaw-memory-") as folder:
        paths = [Path(folder, name) for name in ("base", "ours", "theirs")]
        for path, text in zip(paths, skeletons, strict=True):
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
        names = [str(paths[at]) for at in (1, 0, 2)]
        words = ["git", "merge-file", "-p", "--diff3", f"--marker-size={size}", *names]
        done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode > 127:
        raise GitError(f"git merge-file failed: {done.stderr.decode('utf-8', 'replace').strip()}", "merge it by hand")
    return _hunks(done.stdout.decode("utf-8", "surrogateescape"), size)


def _hunks(text: str, size: int) -> Iterator[list[str] | Hunk]:
    marks = {mark * size: at for at, mark in enumerate("<|=>")}
    runs: list[list[str]] = [[]]
    for line in text.split("\n")[:-1]:
        mark = marks.get(line[:size])
        if mark is None:
            runs[-1].append(line)
        elif mark < 3:
            runs.append([])
        else:
            yield runs[0]
            yield Hunk(*runs[1:])
            runs = [[]]
    yield runs[0]


class _Joiner:
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
