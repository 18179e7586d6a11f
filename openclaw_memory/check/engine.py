"""Runs the rules over one subject and applies what the config says about findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from openclaw_memory.check import commit, files, index
from openclaw_memory.check.view import View
from openclaw_memory.findings import Finding
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.subject import Family, Subject

if TYPE_CHECKING:
    from openclaw_memory.config import Config

UNTYPED = "a name in it cannot be typed: give that file another one, here and in the index"
Rule = Callable[[View], Iterable[Finding]]
RULES: tuple[Rule, ...] = (
    commit.no_index,
    commit.co_change,
    commit.stale_revs,
    commit.dropped_revs,
    commit.orphans,
    *index.RULES,
    *files.RULES,
)


def judge(subject: Subject, families: Sequence[Family] = ()) -> list[Finding]:
    """Every finding of every rule on `subject`, those the config turns off left out, sorted by place.

    Raises GitError or WorkspaceError where the tree cannot be read: then nothing is judged.
    """
    if subject.tree.changes is not None and not subject.tree.changes:
        return []
    view = View(subject)
    found = [item for rule in RULES for item in rule(view)]
    for family in families:
        if family.wants(subject):
            found += family.judge(subject)
    if subject.tree.kind == "commit":  # long made: what is still wrong with it is another tree's finding
        found = [item._replace(fix="") for item in found]
    else:
        found = [item if item.fix else item._replace(fix=UNTYPED) for item in found]
    return refine(found, subject.config)


def refine(found: Iterable[Finding], config: Config) -> list[Finding]:
    """The findings that `check.select`, `ignore`, `exclude`, `per_file_ignores` and `severity` let through."""
    wanted = [_graded(item, config) for item in dict.fromkeys(found)]
    return sorted(item for item in wanted if item.severity != "off" and _wanted(item, config))


def selected(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether a code is asked for: its longest prefix in `select` or `ignore` decides; an empty `select` is all."""
    chosen = max((len(prefix) for prefix in select if code.startswith(prefix)), default=-1 if select else 0)
    refused = max((len(prefix) for prefix in ignore if code.startswith(prefix)), default=-1)
    return chosen > refused or (chosen == refused == len(code))


def _wanted(item: Finding, config: Config) -> bool:
    check = config.check
    if not selected(item.code, check.select, check.ignore):
        return False
    if check.exclude and _fits(item.path, check.exclude):
        return False
    return not any(
        _fits(item.path, (glob,)) and any(item.code.startswith(code) for code in codes)
        for glob, codes in check.per_file_ignores.items()
    )


def _fits(path: str, globs: Sequence[str]) -> bool:
    from openclaw_memory.workspace.globs import matcher

    return matcher(globs)(path)


def _graded(item: Finding, config: Config) -> Finding:
    """With the severity the config gives its code, or else its family."""
    table = config.check.severity
    for length in (5, 4, 3):
        if item.code[:length] in table:
            return item._replace(severity=table[item.code[:length]])
    return item
