"""Which file is what, by its path alone: detail file, daily note, kind, entity. Serves work trees and git trees alike.

Pure functions over posix paths relative to the workspace; must not touch the disk, nor import pathlib or datetime
before there is a date to tell.
"""

from __future__ import annotations

import re

from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace.globs import matcher

if TYPE_CHECKING:
    from datetime import date

    from openclaw_memory.config import Config

KINDS: dict[str, dict[str, str]] = {
    "hierarchical": {
        "people": "memory/people",
        "companies": "memory/companies",
        "projects": "memory/projects",
        "decisions": "memory/decisions",
        "resources": "memory/resources",
        "archives": "memory/archive",
    },
    "para": {
        "people": "life/areas/people",
        "companies": "life/areas/companies",
        "projects": "life/projects",
        "decisions": "memory/decisions",
        "resources": "life/resources",
        "archives": "life/archives",
    },
    "knowledge": {
        "people": "knowledge/areas/people",
        "companies": "knowledge/areas/companies",
        "projects": "knowledge/projects",
        "decisions": "knowledge/resources/decisions",
        "resources": "knowledge/resources",
        "archives": "knowledge/archives",
    },
}
ROOTS = {"hierarchical": (), "para": ("life",), "knowledge": ("knowledge",)}

_DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
NO_DETAILS = (
    ".*",  # dot files and dot folders (.dreams, .obsidian, .git)
    "README.md",
    "README.*.md",
    "TEMPLATE.md",
    "TEMPLATE-*.md",
    "_TEMPLATE*.md",
    "*.template.md",
    "templates/",
    "_templates/",
    "backup/",
    "backups/",
    "*.bak.md",
    f"{_DATE}-[0-9][0-9][0-9][0-9].md",  # session dumps of the host: date and time
    f"{_DATE}-[0-9][0-9][0-9][0-9][0-9][0-9].md",
    "dreams.md",  # what the host writes while it dreams
    "dreaming/",
    "MEMORY.md",  # a second index is an index
    "node_modules/",
)
_DAY = pattern(r"(?:(.+)/)?([0-9]{4})-([0-9]{2})-([0-9]{2})\.md", re.DOTALL)
_YEARS_AND_MONTHS = pattern(r"(?:/[0-9]{2,4}){1,2}\Z")
_YEAR = pattern(r"[0-9]{4}\Z")


class Layout:
    """The folders of one configuration. `kinds` maps kind to folder, `roots` are the tops that hold detail files."""

    def __init__(self, config: Config) -> None:
        """Folders of `config.layout`, with those of `config.kinds` in place of or beside them."""
        self.kinds: dict[str, str] = {
            kind: _plain(folder) for kind, folder in {**KINDS[config.layout], **config.kinds}.items()
        }
        self.daily = tuple(map(_plain, config.daily))
        tops = {"memory", *ROOTS[config.layout], *self.kinds.values(), *self.daily}
        tops.update(map(_plain, config.roots))
        self.roots = tuple(sorted(top for top in tops if not any(top.startswith(f"{other}/") for other in tops)))
        self._under = tuple(f"{root}/" for root in self.roots)
        self._by_length = sorted(self.kinds.items(), key=lambda item: -len(item[1]))
        self._no_name = matcher(NO_DETAILS, ignore_case=True)
        self._no_folders: dict[str, bool] = {}
        self._excluded = matcher(config.exclude)
        self._included = matcher(config.include)
        self._has_includes = bool(config.include)
        self._reserved = {config.index.path, config.heartbeat.file, *(f"{root}/index.md" for root in self.roots)}

    def is_detail(self, rel: str) -> bool:
        """Whether `rel` is a file that the index must name."""
        if not rel.endswith(".md") or not rel.startswith(self._under) or rel in self._reserved:
            return False
        if self._has_includes and self._included(rel):
            return True
        folder, _, name = rel.rpartition("/")
        if self.skips(folder) or self._no_name(name) or self._excluded(rel):
            return False
        return not name[0].isdigit() or self.is_daily(rel) is None

    def prunes(self, folder: str) -> bool:
        """Whether a walk need not enter `folder`: no detail file can be below it."""
        return folder.endswith("/.git") or (self.skips(folder) and not self._has_includes)

    def skips(self, folder: str) -> bool:
        """Whether no file below `folder` is a detail file unless the config includes it by name."""
        if folder not in self._no_folders:
            above, _, name = folder.rpartition("/")
            skipped = self._no_name(name) or self._excluded(folder)
            self._no_folders[folder] = skipped or (bool(above) and self.skips(above))
        return self._no_folders[folder]

    def is_daily(self, rel: str) -> date | None:
        """The day of a daily note: `YYYY-MM-DD.md` in a daily folder, or in its folders of years and months."""
        found = _DAY.fullmatch(rel) if rel[-9:-8] == "-" else None
        if not found or not {found[1], _YEARS_AND_MONTHS.sub("", found[1] or "")} & set(self.daily):
            return None
        from datetime import date

        try:
            return date(int(found[2]), int(found[3]), int(found[4]))
        except ValueError:
            return None

    def daily_path(self, day: date) -> str:
        """Where the note of `day` is written: in the first daily folder."""
        return f"{self.daily[0]}/{day.isoformat()}.md" if self.daily else f"memory/{day.isoformat()}.md"

    def kind_of(self, rel: str) -> str | None:
        """The kind whose folder holds `rel`; the innermost one where folders nest."""
        return next((kind for kind, folder in self._by_length if rel.startswith(f"{folder}/")), None)

    def archive_of(self, rel: str) -> str:
        """The folder whose one entry stands for an archived file, `memory/archive/2025/`; "" for any other file.

        Nothing has to lead to what is put away: search finds it.
        """
        if self.kind_of(rel) != "archives":
            return ""
        top = f"{self.kinds['archives']}/"
        year, slash, _ = rel.removeprefix(top).partition("/")
        return f"{top}{year}/" if slash and _YEAR.match(year) else top

    def folder_of(self, kind: str) -> str:
        """The folder of `kind`. Raises KeyError for a kind that is not configured."""
        return self.kinds[kind]

    def entity_of(self, rel: str) -> str | None:
        """The entity a file belongs to, free of the layout: `people/jane`, archived `archives/people/jane`.

        An entity is `<folder>/<slug>.md` or everything in `<folder>/<slug>/`. An archived one keeps its kind,
        with or without a year above it. None for anything else.
        """
        kind = self.kind_of(rel)
        if kind is None:
            return None
        parts = rel.removeprefix(f"{self.kinds[kind]}/").split("/")
        if kind != "archives":
            return _entity(kind, parts)
        if parts and _YEAR.match(parts[0]):
            parts = parts[1:]
        if len(parts) < 2 or parts[0] not in self.kinds:
            return None
        inner = _entity(parts[0], parts[1:])
        return inner and f"archives/{inner}"

    def files_of(self, entity: str) -> tuple[str, str]:
        """The two places where the main file of `entity` may be: `<slug>.md`, `<slug>/summary.md`.

        Raises KeyError for a kind that is not configured.
        """
        kind, _, slug = entity.partition("/")
        base = f"{self.kinds[kind]}/{slug}"
        return f"{base}.md", f"{base}/summary.md"


def _plain(folder: str) -> str:
    """A folder of the config as paths have it: `./life/` is `life`."""
    return "/".join(part for part in folder.split("/") if part not in ("", "."))


def _entity(kind: str, parts: list[str]) -> str | None:
    if len(parts) == 1:
        return f"{kind}/{parts[0][:-3]}" if parts[0].endswith(".md") else None
    return f"{kind}/{parts[0]}" if parts[0] else None
