"""What `check` and the parsers report: a `Finding` is a result, never an exception."""

from __future__ import annotations

from openclaw_memory.record import Record
from openclaw_memory.rules import RULES, Severity

_COMMANDS = ("openclaw-memory ", "git ", "cp ", "rm ")  # what a fix that can be pasted begins with


class Finding(Record):
    """One place where a rule does not hold.

    `path` is posix, relative to the workspace root; `line` is 1-based (0: the file as a whole);
    `fix` is a command that can be pasted, or a plain sentence, or empty.
    """

    path: str
    line: int
    code: str
    message: str
    fix: str = ""
    severity: Severity = "error"

    def to_json(self) -> dict[str, object]:
        """The finding as plain JSON types, with the rule's name added."""
        return {
            "code": self.code,
            "name": RULES[self.code].name,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "message": self.message,
            "fix": self.fix,
        }


def remedy(fix: str) -> str:
    """A fix as it is printed: `fix: ` before a command that can be pasted, `by hand: ` before a sentence."""
    return f"fix: {fix}" if fix.startswith(_COMMANDS) else f"by hand: {fix}"


def finding(code: str, path: str, line: int, message: str, fix: str = "") -> Finding:
    """A finding with its rule's default severity. Raises KeyError for a code that is not in the catalogue."""
    return Finding(path, line, code, message, fix, RULES[code].severity)
