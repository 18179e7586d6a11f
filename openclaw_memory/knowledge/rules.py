"""The rules of `check` about facts (OM2) and daily notes (OM3). Imports what they need only where a file is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openclaw_memory.collector import uncollected
from openclaw_memory.findings import Finding
from openclaw_memory.knowledge.factsfile import is_facts_file
from openclaw_memory.subject import Subject


def concerns(subject: Subject, path: str) -> bool:
    """Whether these rules judge `path`: a facts file below the layout's folders, or a daily note."""
    if is_facts_file(path):
        return subject.layout.entity_of(path) is not None
    return subject.layout.is_daily(path) is not None


def judge(subject: Subject) -> Iterable[Finding]:
    """Every finding of both families."""
    paths = subject.tree.paths if subject.tree.changes is None else subject.tree.changes
    kinds = {is_facts_file(path) for path in paths if concerns(subject, path)}
    with uncollected():
        return [*_facts(subject, True in kinds), *_notes(subject, False in kinds)]


def _facts(subject: Subject, any_left: bool) -> Iterator[Finding]:
    if any_left:
        from openclaw_memory.knowledge import factrules

        yield from factrules.judge(subject)


def _notes(subject: Subject, any_left: bool) -> Iterator[Finding]:
    if any_left:
        from openclaw_memory.knowledge import noterules

        yield from noterules.judge(subject)
