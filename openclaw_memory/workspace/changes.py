"""What a writing command wants to do to files, and what came of it. Imports nothing that writes."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_memory.record import Record


class Change(Record):
    """One file: its bytes `before` and `after`; None where it does not exist. `path` is posix, from the root."""

    path: str
    before: bytes | None
    after: bytes | None


class Outcome(Record):
    """What a writing command did, or with `dry_run` would do.

    `operation` is the number that `undo` takes (None: nothing was written); `commit` the hash, where one was made.
    """

    changes: tuple[Change, ...]
    operation: int | None = None
    commit: str | None = None
    dry_run: bool = False

    @property
    def diff(self) -> str:
        """The changes as a unified diff."""
        return "".join(_diff(change) for change in self.changes)

    def to_json(self) -> dict[str, object]:
        """As plain JSON types; a dry run shows its diff."""
        shown: dict[str, object] = {
            "changes": [{"path": change.path, "action": _action(change)} for change in self.changes],
            "operation": self.operation,
            "commit": self.commit,
            "dryRun": self.dry_run,
        }
        return {**shown, "diff": self.diff} if self.dry_run else shown


def _action(change: Change) -> str:
    if change.before is None:
        return "create"
    return "delete" if change.after is None else "edit"


def _diff(change: Change) -> str:
    import difflib

    old, new = ("/dev/null" if data is None else change.path for data in (change.before, change.after))
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), old, new)
    return "".join(_ended(lines))


def _lines(data: bytes | None) -> list[str]:
    from openclaw_memory import markdown

    *ended, last = markdown.decode(data or b"").split("\n")
    return [f"{line}\n" for line in ended] + ([last] if last else [])


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
