"""`init`: a workspace from the template, in git, with hooks and a first commit. Never overwrites a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory import config, fsio
from openclaw_memory.config import Config
from openclaw_memory.errors import GitError, UsageError, WorkspaceError, WriteError
from openclaw_memory.record import Record
from openclaw_memory.scaffold import manifest, template
from openclaw_memory.workspace import Change, Outcome, Workspace, transact
from openclaw_memory.workspace.writing import BIRTH

MESSAGE = "Set up the memory workspace"
_WHO = 'git config --global user.name "Your Name" && git config --global user.email you@example.org'
_GROWN = (
    "there was memory here before; so that what is wrong with it today does not block the next commit:"
    " openclaw-memory check --write-baseline"
)


class Setup(Record):
    """What `init` did. `kept` are files that were there before, `gone` files of the template that were deleted since.

    `git` is `created`, `found` or empty (no git), `hooks` what was done to install them; `notes` are sentences.
    """

    outcome: Outcome
    layout: str
    kept: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    git: str = ""
    hooks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        rest = {key: value for key, value in self._asdict().items() if key != "outcome"}
        return {**self.outcome.to_json(), **rest}


def initialise(root: Path, layout: str | None = None, *, dry_run: bool = False, use_git: bool = True) -> Setup:
    """Scaffold a workspace at `root` (made when missing) in `layout` (default: the config's, else hierarchical).

    A second run changes nothing. Raises UsageError where the workspace has another layout, WriteError,
    WorkspaceError.
    """
    root = Path.cwd() / root
    _check_place(root)
    ws = Workspace(root, _config(root, layout))
    before = manifest.read(root)
    wanted = template.render(ws.config, lambda path: _existing(root / path))
    there = {path for path in wanted if os.path.lexists(root / path)}
    gone = tuple(sorted(set(before.files if before else ()) & set(wanted) - there))
    if template.INDEX in there:
        wanted.pop(template.COMPANION)
    skipped = {*there, *gone, *(path for path in wanted if template.is_needless(root, path))}
    create = {path: content for path, content in wanted.items() if path not in skipped}
    grown = before is None and (template.INDEX in there or bool(ws.detail_files()))
    if not dry_run:
        _make(root)
    outcome = transact(ws, BIRTH, lambda: _changes(ws, create, before), dry_run=dry_run)
    setup = Setup(outcome, ws.config.layout, tuple(sorted(there)), gone, notes=(_GROWN,) if grown else ())
    return setup if dry_run or not use_git else in_git(root, setup, MESSAGE)


def in_git(root: Path, setup: Setup, message: str) -> Setup:
    """Put what was written under git: repository, hooks, one commit. What git refuses becomes a note, not an error."""
    from openclaw_memory.git import porcelain
    from openclaw_memory.hooks import install_git

    notes: list[str] = []
    commit = None
    try:
        made = porcelain.init(root)
    except GitError as error:
        return setup._replace(notes=(*setup.notes, f"not in git: {error.message}; {error.hint}"))
    hooks: tuple[str, ...] = ()
    try:
        report = install_git(root)
        hooks = tuple(step.describe() for step in report.steps)
        notes += report.notes
    except GitError as error:
        notes.append(f"no hook installed: {error.message}; {error.hint}")
    try:
        paths, ignored = _committable(root, [change.path for change in setup.outcome.changes])
        unknown = not porcelain.knows_who(root)
        commit = porcelain.commit(root, paths or _never_committed(root), message, stand_in=unknown)
        if commit and unknown:
            notes.append(f"git does not know you yet, so {porcelain.STAND_IN} made the first commit: {_WHO}")
        notes += ignored
    except GitError as error:
        notes.append(f"not committed: {error.message}" + (f"; {error.hint}" if error.hint else ""))
    outcome = setup.outcome._replace(commit=commit)
    return setup._replace(
        outcome=outcome, git="created" if made else "found", hooks=hooks, notes=(*setup.notes, *notes)
    )


def _check_place(root: Path) -> None:
    if root.exists() and not root.is_dir():
        raise WorkspaceError(f"{root} is a file", "name a folder, existing or new")
    for folder in (root, *root.parents):
        if folder.name == ".git" or all((folder / name).exists() for name in ("HEAD", "objects", "refs")):
            raise WorkspaceError(f"{root} is inside git's own folder {folder}", "name a folder beside it, or a clone")


def _committable(root: Path, paths: list[str]) -> tuple[list[str], list[str]]:
    """(the paths that git does not ignore, a note about the others)."""
    from openclaw_memory.git import Repo

    repo = Repo.find(root)
    prefix = repo.prefix(root)
    ignored = repo.ignored(prefix + path for path in paths)
    rules = {rule for path, rule in ignored.items() if not path.endswith(".gitkeep")}
    notes = [f"git ignores {len(ignored)} of the files, so no commit protects them: {', '.join(sorted(rules))}"]
    return [path for path in paths if prefix + path not in ignored], notes if rules else []


def _never_committed(root: Path) -> list[str]:
    """What an earlier run wrote and could not commit (no identity, a hook): its files, where there is no commit yet."""
    from openclaw_memory.git import porcelain

    before = manifest.read(root)
    if before is None or porcelain.log(root, 1):
        return []
    return [path for path in (*before.files, manifest.FILE) if os.path.lexists(root / path)]


def _config(root: Path, layout: str | None) -> Config:
    """The config that is there, else one of `layout`."""
    if not (root / config.FILE).exists():
        return Config(layout=layout or Config().layout)
    found = config.load(root)
    if layout and layout != found.layout:
        raise UsageError(
            f"this workspace has the layout {found.layout}, not {layout}",
            f"change `layout:` in {config.FILE} and move the files (openclaw-memory entity mv), or init another folder",
        )
    return found


def _existing(path: Path) -> bytes | None:
    return fsio.read(path, binary=True) if path.is_file() else None


def _make(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"cannot make {root}: {error.strerror}", "choose a folder that you may write to") from error


def _changes(ws: Workspace, create: dict[str, bytes], before: manifest.Manifest | None) -> Iterator[Change]:
    for path, content in create.items():
        yield Change(path, None, content)
    if create:
        files = {**(before.files if before else {}), **{path: manifest.digest(data) for path, data in create.items()}}
        yield Change(manifest.FILE, _existing(ws.root / manifest.FILE), manifest.Manifest(files).to_bytes())
