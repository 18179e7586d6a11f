"""`upgrade`: the template's news, three-way. What nobody touched follows, what was touched gets a `.new` beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import fsio
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.record import Record
from openclaw_memory.scaffold import manifest, template
from openclaw_memory.workspace import Change, Outcome, Workspace, transact

NEW = ".new"


class Upgrade(Record):
    """What came of each file whose template changed; `deleted` ones stay deleted."""

    outcome: Outcome
    followed: tuple[str, ...]
    beside: tuple[str, ...]
    deleted: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {**self.outcome.to_json(), **{key: value for key, value in self._asdict().items() if key != "outcome"}}


def upgrade(ws: Workspace, *, dry_run: bool = False, commit: bool = False) -> Upgrade:
    """Bring the workspace's files to the template of this version.

    Raises WorkspaceError where the template was never used here, WriteError, GitError.
    """
    before = manifest.read(ws.root)
    if before is None:
        raise WorkspaceError(
            f"{ws.root} was not made by `init`, so there is nothing to upgrade",
            "`openclaw-memory init` adds the files of the template that are missing, and overwrites none",
        )
    rendered = template.render(ws.config, lambda path: _bytes(ws.root / path))
    wanted = {path: data for path, data in rendered.items() if not template.is_needless(ws.root, path)}
    verdicts = {path: _verdict(ws.root / path, before.files.get(path), data) for path, data in wanted.items()}
    outcome = transact(
        ws,
        "upgrade",
        lambda: _changes(ws, before, wanted, verdicts),
        dry_run=dry_run,
        commit=commit,
        message="Follow the workspace template",
    )
    return Upgrade(outcome, *(_having(verdicts, verdict) for verdict in ("follow", "beside", "deleted")))


def _verdict(path: Path, recorded: str | None, wanted: bytes) -> str:
    """What to do with one file: `same` (nothing new), `follow`, `beside` or `deleted`."""
    now, news = _bytes(path), manifest.digest(wanted)
    if now is None:
        return "follow" if recorded is None else "deleted"
    if recorded is None or recorded == news or manifest.digest(now) == news:
        return "same"
    return "follow" if manifest.digest(now) == recorded else "beside"


def _changes(
    ws: Workspace, before: manifest.Manifest, wanted: dict[str, bytes], verdicts: dict[str, str]
) -> Iterator[Change]:
    files = dict(before.files)
    for path, verdict in verdicts.items():
        if verdict == "follow":
            yield Change(path, _bytes(ws.root / path), wanted[path])
        elif verdict == "beside":
            yield Change(path + NEW, _bytes(ws.root / (path + NEW)), wanted[path])
        if verdict != "same" or path in files:
            files[path] = manifest.digest(wanted[path])
    old = _bytes(ws.root / manifest.FILE)
    if files != dict(before.files):
        yield Change(manifest.FILE, old, manifest.Manifest(files).to_bytes())


def _having(verdicts: dict[str, str], verdict: str) -> tuple[str, ...]:
    return tuple(path for path, found in verdicts.items() if found == verdict)


def _bytes(path: Path) -> bytes | None:
    return fsio.read(path, binary=True) if path.is_file() else None
