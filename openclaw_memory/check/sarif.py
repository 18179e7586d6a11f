"""Reports in SARIF 2.1.0 (OASIS, 27 March 2020), which code hosts and editors read. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from openclaw_memory import __version__
from openclaw_memory.check.report import Report
from openclaw_memory.findings import Finding, remedy
from openclaw_memory.rules import RULES
from openclaw_memory.shown import visible, visible_bytes

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note", "off": "none"}


def sarif(reports: Sequence[Report]) -> dict[str, object]:
    """One run with every rule that was broken, and one result for each finding."""
    rows = [(report, found) for report in reports for found in report.findings]
    codes = sorted({found.code for _, found in rows})
    driver = {
        "name": "openclaw-memory",
        "version": __version__,
        "rules": [_rule(code) for code in codes],
    }
    results = [_result(report, found, codes.index(found.code)) for report, found in rows]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, object]:
    rule = RULES[code]
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(report: Report, found: Finding, at: int) -> dict[str, object]:
    fix = f"\n{remedy(found.fix)}" if found.fix else ""
    place = {
        "artifactLocation": {"uri": quote(visible_bytes(report.where + found.path))},
        "region": {"startLine": max(1, found.line)},
    }
    result: dict[str, object] = {
        "ruleId": found.code,
        "ruleIndex": at,
        "level": _LEVELS[found.severity],
        "message": {"text": visible_bytes(found.message + fix)},
        "locations": [{"physicalLocation": place}],
    }
    if report.commit:
        result["properties"] = {"commit": visible(report.commit)}
    return result
