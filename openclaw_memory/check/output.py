"""Reports as text for people, as annotations for GitHub, and as plain JSON types. Pure; prints nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openclaw_memory.check.report import Report
from openclaw_memory.findings import Finding, remedy
from openclaw_memory.shown import visible, visible_bytes

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def text(reports: Sequence[Report]) -> Iterator[str]:
    """Lines like a linter's, each finding with the command that mends it, or what to do by hand."""
    for report in reports:
        if report.commit and report.findings:
            yield f"commit {report.commit[:10]}"
        for found in report.findings:
            grade = "" if found.severity == "error" else f"{found.severity}: "
            where = f"{visible(report.where + found.path)}:{max(1, found.line)}"
            yield f"{where}: {found.code} {grade}{visible(found.message)}"
            if found.fix:
                yield f"    {visible(remedy(found.fix))}"
        for note in report.notes:
            yield f"note: {note}"


def first(reports: Sequence[Report], most: int) -> list[Report]:
    """The reports with no more than `most` findings in all, errors before others, and a note of what is left out."""
    rows = sorted(
        ((found.severity != "error", at, found) for at, report in enumerate(reports) for found in report.findings),
        key=lambda row: row[:2],
    )[:most]
    left = sum(len(report.findings) for report in reports) - len(rows)
    if not left:
        return list(reports)
    note = f"{left:,} more findings: openclaw-memory check --staged"
    shown = [
        report._replace(findings=tuple(sorted(found for _, where, found in rows if where == at)))
        for at, report in enumerate(reports)
    ]
    return [*shown[:-1], shown[-1]._replace(notes=(*shown[-1].notes, note))]


def summary(reports: Sequence[Report]) -> str:
    """One line: how many findings of each severity, and how many the baseline knows."""
    severities = [found.severity for report in reports for found in report.findings]
    counts = [
        f"{severities.count(name)} {word}{'' if severities.count(name) == 1 else plural}"
        for name, word, plural in (("error", "error", "s"), ("warning", "warning", "s"), ("info", "remark", "s"))
        if name in severities
    ]
    known = sum(report.known for report in reports)
    line = ", ".join(counts) or "no findings"
    return f"{line} ({known} known, in the baseline)" if known else line


def github(reports: Sequence[Report]) -> Iterator[str]:
    """Workflow commands that GitHub turns into annotations (GitHub docs: "Workflow commands")."""
    for report in reports:
        for found in report.findings:
            where = f"file={_property(report.where + found.path)},line={max(1, found.line)},title={found.code}"
            fix = f"\n{remedy(found.fix)}" if found.fix else ""
            yield f"::{_LEVELS[found.severity]} {where}::{_data(found.message + fix)}"


def to_json(reports: Sequence[Report]) -> dict[str, object]:
    """All of it; `path` is relative to the workspace, `workspace` the folder that it lies in."""
    return {
        "findings": [_row(report, found) for report in reports for found in report.findings],
        "known": sum(report.known for report in reports),
        "notes": sorted({note for report in reports for note in report.notes}),
        "failed": any(report.failed for report in reports),
    }


def _row(report: Report, found: Finding) -> dict[str, object]:
    row = found.to_json()
    if report.where:
        row["workspace"] = report.where.rstrip("/")
    if report.commit:
        row["commit"] = report.commit
    return row


def _data(words: str) -> str:
    return visible_bytes(words).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(words: str) -> str:
    return _data(words).replace(":", "%3A").replace(",", "%2C")
