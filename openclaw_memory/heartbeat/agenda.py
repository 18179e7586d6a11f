"""All tasks of a workspace: of its heartbeat file, the built-ins, and the user's own task files. Writes no memory.

A beat with nothing due is waited for: what was read last is kept (`kept.py`), and the grammar not even imported.
"""

from __future__ import annotations

from openclaw_memory import fsio
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.heartbeat import kept
from openclaw_memory.heartbeat.model import Plan, Problem, Task
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_memory.findings import Finding

LIMIT = 8 << 20
OWN_LIMIT = 1 << 20


class Agenda(Record):
    """What there is to do. `raw` is the heartbeat file (b"" where there is none), `plan` its reading.

    `tasks` are in the order they run in: built-ins first, then prompts as they stand in the file. `unlisted` are the
    names of the built-ins that do not run because nobody lists them; `problems` what is wrong besides, by path.
    """

    plan: Plan
    raw: bytes
    tasks: tuple[Task, ...]
    unlisted: tuple[str, ...] = ()
    problems: tuple[tuple[str, Problem], ...] = ()

    @property
    def text(self) -> str:
        """The heartbeat file's text."""
        from openclaw_memory import markdown

        return markdown.decode(self.raw)

    def by_key(self) -> dict[str, Task]:
        """The tasks by the key under which they are remembered."""
        return {task.key: task for task in self.tasks}

    def findings(self) -> tuple[Finding, ...]:
        """What is wrong beside the reading of the heartbeat file itself."""
        from openclaw_memory.findings import finding

        return tuple(finding(code, path, line, message, fix) for path, (code, line, message, fix) in self.problems)


def load(ws: Workspace, *, keep: bool = False) -> Agenda:
    """The agenda of a workspace, to be kept for the next call where `keep` says so.

    Raises WorkspaceError where the heartbeat file or a task file cannot be read (missing is fine).
    """
    inputs = gather(ws)
    known = kept.recall(ws.root, inputs)
    if known:
        return Agenda(known.plan, inputs.file, known.tasks, known.unlisted, known.problems)
    from openclaw_memory.heartbeat.assembly import assemble

    agenda = assemble(inputs)
    if keep:
        kept.keep(ws.root, inputs, kept.Kept(agenda.plan, agenda.tasks, agenda.unlisted, agenda.problems))
    return agenda


def gather(ws: Workspace) -> kept.Inputs:
    """The files and settings that an agenda is made of."""
    config = ws.config.heartbeat
    full = ws.path(config.file)
    return kept.Inputs(
        config.file,
        fsio.read(full, LIMIT) if full.exists() else b"",
        config.state_file,
        _state(ws, config.state_file),
        own_files(ws),
        tuple(sorted(config.builtins.items())),
    )


def own_files(ws: Workspace) -> tuple[tuple[str, bytes, bool], ...]:
    """The user's task files: path, bytes, and whether a command in it may run."""
    folder = ws.root / ws.config.heartbeat.tasks
    if not folder.is_dir():
        return ()
    found = []
    for path in sorted(folder.glob("*.md")):
        rel = f"{ws.config.heartbeat.tasks}/{path.name}"
        raw = fsio.read(ws.path(rel), OWN_LIMIT)
        found.append((rel, raw, b"run" in raw and _is_trusted(path, raw)))
    return tuple(found)


def _is_trusted(path: Path, raw: bytes) -> bool:
    from openclaw_memory.config import trust

    return trust.is_trusted(path, raw)


def _state(ws: Workspace, name: str) -> bytes:
    """The agent's own state file; b"" where there is none that can be read."""
    if not (ws.root / name).is_file():
        return b""
    try:
        return fsio.read(ws.path(name), LIMIT)
    except WorkspaceError:
        return b""
