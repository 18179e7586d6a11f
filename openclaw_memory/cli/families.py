"""The rules of other parts that `check` runs: each is imported only when a file that it judges is in the commit."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

from openclaw_memory.findings import Finding
from openclaw_memory.record import Record
from openclaw_memory.subject import Subject


class Part(Record):
    """A module `rules` with a function `judge(subject)`, and which files it is about."""

    module: str
    about: Callable[[Subject, str], bool]

    def wants(self, subject: Subject) -> bool:
        """Whether such a file is judged, or deleted by the commit."""
        paths = subject.tree.paths if subject.tree.changes is None else subject.tree.changes
        return any(self.about(subject, path) for path in paths)

    def judge(self, subject: Subject) -> Iterable[Finding]:
        """Its findings."""
        found: Iterable[Finding] = importlib.import_module(self.module).judge(subject)
        return found


def _is_knowledge(subject: Subject, path: str) -> bool:
    """A facts file of an entity, or a daily note."""
    if path.endswith(".md"):
        return subject.layout.is_daily(path) is not None
    return path.rpartition("/")[2].startswith(("items.", "facts.")) and subject.layout.entity_of(path) is not None


FAMILIES: tuple[Part, ...] = (
    Part("openclaw_memory.knowledge.rules", _is_knowledge),
    Part("openclaw_memory.heartbeat.rules", lambda subject, path: path == subject.config.heartbeat.file),
)
