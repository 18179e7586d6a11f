"""What one judged workspace gave. Imports only findings."""

from __future__ import annotations

from openclaw_memory.findings import Finding
from openclaw_memory.record import Record


class Report(Record):
    """The findings of one workspace in one tree.

    `where` is the workspace's folder from where paths are shown ("" or with a slash at its end), `commit` the id
    of the judged commit ("" for a work tree or the staged tree), `known` how many findings the baseline covers,
    `notes` what the reader has to know about how it was judged.
    """

    where: str
    commit: str
    findings: tuple[Finding, ...]
    known: int = 0
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is a finding that counts: one of severity error."""
        return any(found.severity == "error" for found in self.findings)
