"""The catalogue of rules: one stable code each, its name, default severity and meaning.

The README's table of codes is generated from here. Imports nothing of ours.
"""

from __future__ import annotations

from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Severity: TypeAlias = "Literal['error', 'warning', 'info', 'off']"


class Rule(Record):
    """A rule of `check`: `code` is stable for ever, `severity` is the default one."""

    code: str
    name: str
    severity: Severity
    summary: str


_TABLE: tuple[tuple[str, str, Severity, str], ...] = (
    ("OM101", "co-change", "error", "a detail file changed and the index did not, in the same commit"),
    ("OM102", "stale-rev", "error", "the entry's rev is not the one of the file in this commit"),
    ("OM103", "dropped-rev", "warning", "the commit drops a rev that HEAD's index has"),
    ("OM104", "orphan", "error", "a detail file is not in the index"),
    ("OM105", "dead-reference", "error", "the index names a file that does not exist"),
    ("OM106", "wrong-case", "error", "a reference differs from the file's name in upper and lower case only"),
    ("OM107", "ambiguous-reference", "warning", "a reference fits more than one file"),
    ("OM108", "no-triggers", "warning", "an entry has no trigger, so nothing says when to read its file"),
    ("OM109", "shared-trigger", "info", "several entries share a trigger"),
    ("OM110", "index-too-long", "error", "the index is over the token limit"),
    ("OM111", "index-over-target", "info", "the index is over the token target"),
    (
        "OM112",
        "host-cuts-index",
        "warning",
        "the host cuts the index: the entries named are lost to the model",
    ),
    ("OM113", "active-over-cap", "error", "Active Context holds more files than the cap"),
    (
        "OM114",
        "content-in-index",
        "warning",
        "a section of the index holds content that belongs in a detail file",
    ),
    ("OM115", "index-shrank", "error", "the index lost most of its entries"),
    ("OM116", "two-indexes", "warning", "there are two index files; the host loads one"),
    ("OM117", "placeholder-row", "info", "a template row was left in the index"),
    ("OM118", "unclosed-fence", "error", "a code fence is never closed and hides what stands below it"),
    ("OM119", "no-index", "error", "there are detail files and no index"),
    ("OM120", "active-archived", "warning", "a file in Active Context is archived or cold"),
    ("OM201", "fact-schema", "error", "a fact does not fit the schema"),
    ("OM202", "duplicate-fact-id", "error", "two facts carry the same id"),
    ("OM203", "fact-deleted", "error", "the commit drops a fact"),
    ("OM204", "fact-rewritten", "error", "the commit rewrites the text of a fact"),
    ("OM205", "broken-chain", "error", "a supersede chain is broken"),
    ("OM206", "unresolved-entity", "warning", "a related entity does not exist"),
    ("OM207", "duplicate-fact", "info", "two active facts of an entity say the same"),
    ("OM208", "possible-contradiction", "info", "two active facts of an entity may contradict each other"),
    ("OM209", "facts-unreadable", "error", "a facts file cannot be parsed"),
    ("OM210", "fact-date", "warning", "a fact's date cannot be read or lies in the future"),
    ("OM301", "past-note-rewritten", "error", "the commit rewrites a past day's note"),
    ("OM302", "past-note-shrank", "error", "the commit shortens a past day's note"),
    ("OM303", "note-date-mismatch", "warning", "a daily note's name and the date in it disagree"),
    ("OM401", "schedule-not-understood", "info", "a schedule was not understood; the task runs each beat"),
    (
        "OM402",
        "schedule-contradiction",
        "warning",
        "a schedule contradicts itself; the reading taken is named",
    ),
    (
        "OM403",
        "shorter-than-beat",
        "warning",
        "an interval is shorter than the beat; the task runs each beat",
    ),
    ("OM404", "host-skips", "warning", "the host would skip this heartbeat file although it holds tasks"),
    (
        "OM405",
        "host-pays-for-nothing",
        "warning",
        "the host pays a model call each beat for a file without tasks",
    ),
    ("OM406", "duplicate-task", "warning", "two tasks have the same name; they are kept apart by position"),
    (
        "OM407",
        "state-not-trusted",
        "info",
        "a value of the foreign state file is implausible; the task is due",
    ),
    ("OM408", "tasks-block-broken", "error", "a `tasks:` block is not valid; the rest still runs"),
    ("OM409", "task-incomplete", "warning", "a task lacks its prompt, or says something that has no effect"),
    ("OM410", "task-not-trusted", "warning", "a task file's command is not trusted, so it does not run"),
    ("OM501", "conflict-markers", "error", "a file holds merge conflict markers"),
    (
        "OM502",
        "index-symlink",
        "error",
        "the index is a symlink that cannot be followed or leaves the workspace",
    ),
    ("OM503", "memory-ignored", "warning", "git ignores memory files, so no commit protects them"),
    ("OM504", "not-text", "error", "a memory file is binary, not UTF-8, or too large to be read"),
    ("OM601", "secret", "error", "a secret is written in a memory file"),
    (
        "OM602",
        "instruction-like",
        "warning",
        "text from an untrusted source reads like an instruction to the model",
    ),
    ("OM603", "hidden-characters", "warning", "characters that a person cannot see are hidden in the text"),
)

RULES: dict[str, Rule] = {row[0]: Rule(*row) for row in _TABLE}
