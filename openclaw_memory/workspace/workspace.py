"""A workspace: its root, its config, and the way from relative paths to files that cannot escape it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from openclaw_memory import config as configuration
from openclaw_memory import fsio
from openclaw_memory.config import Config
from openclaw_memory.errors import WorkspaceError, WriteError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace.layout import Layout

if TYPE_CHECKING:
    from datetime import date, datetime

    from openclaw_memory.workspace.zone import Zone

STATE = ".openclaw-memory"
VARIABLE = "OPENCLAW_WORKSPACE_DIR"


class Workspace:
    """The folder `root` (absolute) with its `config`. Reads nothing before it is asked."""

    def __init__(self, root: Path, config: Config | None = None) -> None:
        """`config` is loaded from the root where it is not given (ConfigError where that is broken)."""
        self.root = Path.cwd() / os.path.normpath(root)
        self.config = configuration.load(self.root) if config is None else config
        self._folders: dict[str, str] | None = None

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    @cached_property
    def layout(self) -> Layout:
        """Which file is what."""
        return Layout(self.config)

    @cached_property
    def zone(self) -> Zone:
        """The time zone, and where it was found."""
        from openclaw_memory.workspace import zone  # a session start has no time to tell

        return zone.find(self.config.timezone, self.root)

    @property
    def index_path(self) -> Path:
        """The index file; it need not exist."""
        return self.path(self.config.index.path)

    @property
    def state_path(self) -> Path:
        """Where state is kept; it need not exist."""
        return self.root / STATE

    @cached_property
    def state_dir(self) -> Path:
        """Where state is kept, made on need, ignored by git. Raises WriteError where it cannot be made."""
        path = self.state_path
        try:
            path.mkdir(exist_ok=True)
        except OSError as error:
            raise WriteError(f"cannot make {path}: {error.strerror}", "the workspace must be writable") from error
        if not os.path.lexists(path / ".gitignore"):  # False, too, where the folder cannot be entered: writing says so
            fsio.write(path / ".gitignore", b"*\n")
        return path

    def now(self, override: str | None = None) -> datetime:
        """The time in the workspace's zone; `override` (ISO) is taken for now. Raises UsageError for a bad one."""
        from datetime import datetime

        from openclaw_memory.workspace import zone

        return zone.moment(override, self.zone) if override else datetime.now(self.zone.tz)

    def today(self, override: str | None = None) -> date:
        """The day in the workspace's zone; see `now`. Where that is the system's zone, no zone is loaded for it."""
        from datetime import date

        from openclaw_memory.workspace import zone

        if override or zone.is_set(self.config.timezone, self.root):
            return self.now(override).date()
        return date.today()

    def path(self, rel: str) -> Path:
        """The absolute path of `rel`. Raises WorkspaceError for one that leaves the workspace, by `..` or symlink."""
        if not rel or "\0" in rel or rel.startswith(("/", "~")) or ".." in rel.split("/"):
            raise WorkspaceError(f"{rel!r} is no path inside the workspace", "give it relative to the root, without ..")
        path = self.root / rel
        real = self._real(os.fspath(path))
        if not (real + os.sep).startswith(self._real_root):
            raise WorkspaceError(
                f"{rel} leads out of the workspace, to {real}",
                "replace the symlink by the files themselves (migrate brings an outside folder in)",
            )
        return path

    @contextmanager
    def resolved(self) -> Iterator[None]:
        """Within it each folder is resolved once, however many of its files are asked for: while a lock is held."""
        outer, self._folders = self._folders, {os.fspath(self.root): os.path.realpath(self.root)}
        try:
            yield
        finally:
            self._folders = outer

    def _real(self, path: str) -> str:
        """`path` without symlinks, by way of its folder where that is remembered."""
        if self._folders is None or os.path.islink(path):  # noqa: PTH114 - a Path for each of thousands costs more
            return os.path.realpath(path)
        above, name = os.path.split(path)
        folder = self._folders.get(above)
        if folder is None:
            folder = self._folders[above] = self._real(above)
        return f"{folder}{os.sep}{name}"

    @cached_property
    def _real_root(self) -> str:
        """The root without symlinks, with a slash at its end."""
        return os.path.realpath(self.root).rstrip(os.sep) + os.sep

    def rel(self, path: str | Path, cwd: Path | None = None) -> str:
        """`path` as a posix path relative to the root. A relative one is tried from `cwd`, then from the root.

        Raises WorkspaceError where it lies outside.
        """
        from_cwd, from_root = (Path.cwd() if cwd is None else cwd) / path, self.root / path
        for candidate in (from_cwd, from_root):
            inside = self._inside(candidate)
            if inside and (os.path.lexists(candidate) or candidate is from_root):
                self.path(inside)
                return inside
        raise WorkspaceError(f"{path} is not inside the workspace {self.root}", "only files below it can be used")

    def _inside(self, path: Path) -> str | None:
        """`path` relative to the root, by name or by the real folder it stands in; None when outside."""
        plain = Path(os.path.normpath(path))
        for root, full in ((self.root, plain), (self.root.resolve(), plain.parent.resolve() / plain.name)):
            if full.is_relative_to(root) and full != root:
                return full.relative_to(root).as_posix()
        return None

    def detail_files(self) -> list[str]:
        """Every detail file, sorted. Symlinks are no detail files (neither git nor the host follows them)."""
        return sorted(rel for top in self.layout.roots for rel in self.walk(top) if self.layout.is_detail(rel))

    def daily_notes(self) -> list[str]:
        """Every daily note, oldest first."""
        found = {rel: day for top in self.layout.daily for rel in self.walk(top) if (day := self.layout.is_daily(rel))}
        return sorted(found, key=lambda rel: (found[rel], rel))

    def walk(self, top: str, names: Collection[str] = ()) -> Iterator[str]:
        """The Markdown files below the folder `top`, and those called one of `names`; symlinks are not followed."""
        folders = [top]
        while folders:
            folder = folders.pop()
            try:
                entries = os.scandir(self.root / folder)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise WorkspaceError(f"cannot list {folder}: {error.strerror}", "check its mode and owner") from error
            with entries:
                for entry in entries:
                    rel = f"{folder}/{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        if not self.layout.prunes(rel):
                            folders.append(rel)
                    elif (entry.name.endswith(".md") or entry.name in names) and entry.is_file(follow_symlinks=False):
                        yield rel


def find_workspace(
    explicit: Path | None = None, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Workspace:
    """The workspace to work on: `explicit`, else the nearest parent of `cwd` that is one, else the one `env` names.

    Raises WorkspaceError where there is none, ConfigError where its config is broken.
    """
    if explicit is not None:
        return Workspace(_checked(Path(explicit), "--workspace"))
    start = Path.cwd() if cwd is None else cwd
    for folder in (start, *start.parents):
        if _is_root(folder):
            return Workspace(folder)
    named = (os.environ if env is None else env).get(VARIABLE)
    if named:
        return Workspace(_checked(Path(named).expanduser(), f"${VARIABLE}"))
    raise WorkspaceError(
        f"no workspace here: neither {start} nor a folder above it holds {configuration.FILE} or MEMORY.md",
        "make one with `openclaw-memory init`, or name one with --workspace DIR",
    )


def _is_root(folder: Path) -> bool:
    """A config, or an index that is not just the second one in a workspace's `memory/`."""
    if (folder / configuration.FILE).is_file():
        return True
    if not os.path.lexists(folder / "MEMORY.md"):
        return False
    return folder.name != "memory" or not _is_root(folder.parent)


def _checked(folder: Path, source: str) -> Path:
    if not folder.is_dir():
        raise WorkspaceError(f"{source}: {folder} is no folder", "make one with `openclaw-memory init DIR`")
    if not (_is_root(folder) or (folder / "memory").is_dir() or (folder / STATE).is_dir()):
        raise WorkspaceError(
            f"{source}: {folder} is no workspace (no {configuration.FILE}, MEMORY.md or memory/)",
            f"make it one with `openclaw-memory init {folder}`",
        )
    return folder
