"""`init --adopt`: a config that describes a workspace as it has grown, and a baseline of what is wrong with it now.

Those two files are all that is written; what was assumed is said in sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from openclaw_memory import config, data
from openclaw_memory.check import baseline
from openclaw_memory.check.worktree import worktree
from openclaw_memory.errors import UsageError, WorkspaceError
from openclaw_memory.findings import Finding
from openclaw_memory.record import Record
from openclaw_memory.scaffold.config_text import set_keys
from openclaw_memory.scaffold.initialise import Setup, in_git
from openclaw_memory.scaffold.survey import Survey
from openclaw_memory.subject import Family
from openclaw_memory.workspace import Change, Outcome, Workspace, transact

MESSAGE = "Adopt openclaw-memory"
_FORMS = {"item": "bullet lines", "row": "tables", "line": "bare paths", "": "no form yet"}


class Adoption(Record):
    """What adopting did: `assumed` is one sentence each, `known` how many old findings the baseline holds."""

    setup: Setup
    assumed: tuple[str, ...]
    known: int

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {**self.setup.to_json(), "assumed": list(self.assumed), "known": self.known}


def adopt(
    root: Path,
    layout: str | None = None,
    families: Sequence[Family] = (),
    *,
    dry_run: bool = False,
    use_git: bool = True,
) -> Adoption:
    """Write config and baseline for the workspace at `root`, then hooks and one commit of the two.

    `layout` overrules what is found. A workspace that has a config is left as it is. Raises WorkspaceError where
    there is nothing to adopt.
    """
    if not root.is_dir():
        raise WorkspaceError(f"{root} is no folder", "name the folder that holds MEMORY.md or memory/")
    if (root / config.FILE).exists():
        return _adopted(root, layout, dry_run, use_git)
    survey = Survey(root)
    if not survey.indexes and not survey.folders["memory"]:
        raise WorkspaceError(
            f"nothing to adopt in {root}: it has neither an index nor memory/",
            f"make a new workspace: openclaw-memory init {root}",
        )
    values = settings(survey, layout)
    text = set_keys((data.folder("workspace_template") / config.FILE).read_text(encoding="utf-8"), values)
    ws = Workspace(root, config.parse(text.encode(), config.FILE))
    findings = worktree(ws, families, known=False).findings
    known = baseline.write(findings)
    outcome = transact(
        ws,
        "init --adopt",
        lambda: [
            Change(config.FILE, None, text.encode()),
            Change(ws.config.check.baseline, _bytes(ws, ws.config.check.baseline), known),
        ],
        dry_run=dry_run,
    )
    left = [item for item in findings if not baseline.known_later(item)]
    setup = Setup(outcome, ws.config.layout, notes=(*_urgent(left), *_advice(survey, ws)))
    if use_git and not dry_run:
        setup = in_git(root, setup, MESSAGE)
    count = len(findings) - len(left)
    return Adoption(setup, tuple(_sentences(survey, ws, count)), count)


def settings(survey: Survey, layout: str | None = None) -> dict[str, object]:
    """The dotted keys that differ from the defaults, with their values."""
    found = {
        "layout": layout or survey.layout,
        "kinds": survey.kinds if layout in (None, survey.layout) else {},
        "roots": survey.roots,
        "daily": survey.daily or ["memory"],
        "exclude": survey.dumps,
        "profile": survey.profile,
        "language": survey.language,
        "index.link_base": survey.link_base,
        "index.path": survey.indexes[0] if survey.indexes else "MEMORY.md",
    }
    usual = config.Config()
    defaults = usual._asdict() | {f"index.{key}": value for key, value in usual.index._asdict().items()}
    return {key: value for key, value in found.items() if value != _plain(defaults[key])}


def _plain(value: object) -> object:
    """A default in the types that YAML gives."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def _adopted(root: Path, layout: str | None, dry_run: bool, use_git: bool) -> Adoption:
    """A second run: nothing is written; hooks that are missing are installed."""
    ws = Workspace(root)
    if layout and layout != ws.config.layout:
        raise UsageError(f"the config says layout: {ws.config.layout}", f"change it in {config.FILE}")
    setup = Setup(Outcome(()), ws.config.layout)
    if use_git and not dry_run:
        setup = in_git(root, setup, MESSAGE)
    return Adoption(setup, (f"nothing: {config.FILE} is there already",), 0)


def _sentences(survey: Survey, ws: Workspace, known: int) -> Iterator[str]:
    index = survey.index
    if survey.indexes:
        active = f"{len(index.active)} in Active Context"
        yield f"index {index.path} with entries: {len(index.entries)} in {_FORMS[survey.form]}, {active}"
    else:
        yield "no index yet: MEMORY.md"
    yield f"layout {ws.config.layout}"
    for kind, folder in survey.kinds.items():
        yield f"{kind} in {folder}"
    if survey.roots:
        yield f"detail files also in {', '.join(survey.roots)}"
    yield f"daily notes in {', '.join(survey.daily)}" if survey.daily else "no daily notes yet: memory"
    for glob in survey.dumps:
        yield f"no detail files: {glob} (dumped conversations)"
    yield f"links relative to {survey.link_base}" if survey.link_base != "auto" else "links relative to whatever fits"
    yield f"language {survey.language or 'of each section'}"
    yield f"host {ws.config.profile}, time zone {ws.zone.name} ({ws.zone.source})"
    yield f"detail files: {len(ws.detail_files())}; findings of today, which the baseline knows: {known}"


def _urgent(left: Sequence[Finding]) -> Iterator[str]:
    """What no baseline knows, however old: it waits for a person."""
    for item in left:
        yield f"{item.path}:{item.line}: {item.code} {item.message}; {item.fix}"


def _advice(survey: Survey, ws: Workspace) -> Iterator[str]:
    if len(survey.indexes) > 1:
        yield f"{', '.join(survey.indexes[1:])} may be a second index; the host loads {survey.indexes[0]}"
    attributes = ws.root / ".gitattributes"
    if b"merge=openclaw-memory" not in (attributes.read_bytes() if attributes.is_file() else b""):
        yield "to merge two indexes entry by entry: openclaw-memory hooks install git (adds a line to .gitattributes)"
    if not (ws.root / "AGENTS.md").exists():
        yield "there is no AGENTS.md; `openclaw-memory init` adds it, and what else is missing, and overwrites nothing"


def _bytes(ws: Workspace, rel: str) -> bytes | None:
    path = ws.path(rel)
    return path.read_bytes() if path.is_file() else None
