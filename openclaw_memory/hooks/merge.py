"""Three-way merge of an index, entry by entry: what git's merge driver does.

Each entry becomes one token line that is the same in all versions, git merges the lines around the tokens, and each
token is turned back into what the entry became. So two entries added in the same place join, an entry changed on
both sides is a conflict that is shown, and text outside entries is merged as git merges text.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from openclaw_memory.errors import GitError
from openclaw_memory.hooks.entries import Key, Outcome, Units, decide, misfits, units
from openclaw_memory.hooks.joining import Hunk, Joiner
from openclaw_memory.markdown import split_lines
from openclaw_memory.record import Record

_T = TypeVar("_T")
_TOKEN = "\ue000entry\ue001"


class Merged(Record):
    """The merged text, with a conflict block for each of `conflicts`; `unsynced` entries lost their rev."""

    text: str
    conflicts: int
    unsynced: tuple[str, ...] = ()


def merge(base: str, ours: str, theirs: str, *, marker_size: int = 7) -> Merged:
    """Join `ours` and `theirs`, which both came from `base`. Raises GitError when `git merge-file` fails."""
    versions = _same_line_ends(base, ours, theirs)
    read = [units(text) for text in versions.texts]
    outcomes = {key: _outcome(key, read) for key in _keys(read)}
    token = _unused(_TOKEN, versions.texts)
    names = {key: f"{token}{number}" for number, key in enumerate(outcomes)}
    parts = _git_merge([_skeleton(version, at, outcomes, names) for at, version in enumerate(read)])
    joined = Joiner({names[key]: outcome for key, outcome in outcomes.items()}, marker_size)
    text = joined.text(parts)
    unsynced = tuple(key.paths[0] for key, outcome in outcomes.items() if outcome.lost_rev)
    return Merged(versions.restore(text), joined.conflicts, unsynced)


def _outcome(key: Key, read: list[Units]) -> Outcome:
    outcome = decide(key, *(version.entries.get(key) for version in read))
    return outcome._replace(merged=None, is_conflict=True) if misfits(key, outcome, read) else outcome


class _Versions(Record):
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
