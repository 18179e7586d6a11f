import json
from datetime import date

import pytest

from openclaw_memory.knowledge.archive import decided
from tests.knowledge.conftest import Space

NOW = "2026-06-01"


@pytest.mark.parametrize(
    ("path", "text", "day"),
    [
        ("memory/decisions/2025-03-07-db.md", "# DB\n", date(2025, 3, 7)),
        ("memory/decisions/2025-02.md", "# Feb\n", date(2025, 2, 28)),
        ("memory/decisions/2025-12.md", "- 2026-01-02: late\n", date(2025, 12, 31)),
        (
            "memory/decisions/db/summary.md",
            "---\ndate: 2025-03-07\nupdated: 2025-05-01 09:30 PT\n---\n",
            date(2025, 5, 1),
        ),
        ("memory/decisions/db.md", "- 2024-01-01: a\n- 2025-01-01: b\n", date(2025, 1, 1)),
        ("memory/decisions/db.md", "no day at all, only 2025\n", None),
        ("memory/decisions/2025-13.md", "x", None),
    ],
)
def test_the_day_of_a_decision(path: str, text: str, day: date | None) -> None:
    assert decided(path, text) == day


@pytest.fixture
def old(om: Space) -> Space:
    om.write("memory/decisions/2024-05.md", "# May\n\n- 2024-05-02: see [next](2025-01-10-db.md)\n")
    om.write("memory/decisions/2025-01-10-db.md", "# DB\n\nPostgres.\n")
    om.write("memory/decisions/2026-03.md", "# March\n\nsee [db](2025-01-10-db.md)\n")
    om.write("memory/decisions/style.md", "# Style\n\nno day\n")
    om("index", "sync")
    om.git("add", "-A")
    om.git("commit", "-qm", "start")
    return om


def test_old_decisions_go_to_the_archive_of_their_year(old: Space) -> None:
    out = old("archive", "--commit", "--now", NOW).out
    assert "memory/decisions/2024-05.md -> memory/archive/2024/decisions/2024-05.md" in out
    assert "way back: openclaw-memory undo" in out
    assert (old.root / "memory/archive/2025/decisions/2025-01-10-db.md").read_text() == "# DB\n\nPostgres.\n"
    assert "(../archive/2025/decisions/2025-01-10-db.md)" in old.read("memory/decisions/2026-03.md")
    assert "(../../2025/decisions/2025-01-10-db.md)" in old.read("memory/archive/2024/decisions/2024-05.md")
    index = old.read("MEMORY.md")
    assert "(memory/archive/2024/): decisions of 2024 <!-- trigger: archive 2024, decisions 2024 -->" in index
    assert "2025-01-10-db.md" not in index
    assert "memory/decisions/style.md" in index
    assert old("check").code == 0
    assert old("check", "--range", "HEAD~1..HEAD").code == 0
    assert "nothing to change" in old("archive", "--now", NOW).out


def test_a_year_has_one_entry(old: Space) -> None:
    old("archive", "--now", NOW)
    old.write("memory/decisions/2024-06.md", "# June\n")
    old("index", "sync")
    old("archive", "--now", NOW)
    assert old.read("MEMORY.md").count("(memory/archive/2024/)") == 1


def test_undo_brings_every_byte_back(old: Space) -> None:
    before = old.files()
    old("archive", "--now", NOW)
    assert old.files() != before
    old("undo")
    assert old.files() == before


def test_days_by_config_and_what_is_in_active_context_stays(old: Space) -> None:
    old.write("openclaw-memory.yaml", "version: 1\ntimezone: UTC\narchive:\n  decisions_after_days: 600\n")
    old("active", "add", "memory/decisions/2024-05.md")
    out = old("archive", "--now", NOW).out
    assert "kept: memory/decisions/2024-05.md is from 2024-05-31, and in Active Context" in out
    assert (old.root / "memory/decisions/2025-01-10-db.md").exists()


@pytest.fixture
def projects(om: Space, monkeypatch: pytest.MonkeyPatch) -> Space:
    for name in ("asleep", "noted", "read", "changed", "fresh"):
        om("entity", "new", f"projects/{name}")
        om("fact", "add", f"projects/{name}", "Started", "--now", "2025-12-01")
    om("active", "add", "memory/projects/asleep/summary.md")
    om("fact", "add", "projects/fresh", "Goes on", "--now", "2026-05-01")
    om.write("memory/2026-05-01.md", "# 2026-05-01\n\n- talked about Noted\n")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2025-12-02T00:00:00Z")
    om.git("add", "-A")
    om.git("commit", "-qm", "start")
    om("fact", "show", "read-001", "--now", "2026-04-01")
    om.write("memory/projects/changed/more.md", "# More\n")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-05-01T00:00:00Z")
    om.git("add", "-A")
    om.git("commit", "-qm", "changed", "--no-verify")
    return om


def test_a_project_that_rests_leaves_active_context_and_is_proposed(projects: Space) -> None:
    told = json.loads(projects("archive", "--now", NOW, "--json").out)
    assert [row["entity"] for row in told["proposed"]] == ["projects/asleep"]
    assert told["proposed"][0]["last"] == "2025-12-02"
    assert told["deactivated"] == ["memory/projects/asleep/summary.md"]
    assert (projects.root / "memory/projects/asleep/summary.md").exists()
    fix = told["proposed"][0]["fix"].split()
    projects(*fix[1:], "--now", NOW)
    assert json.loads(projects("archive", "--now", NOW, "--json").out)["proposed"] == []


def test_rotate_picks_by_heat_and_mentions_and_never_over_the_cap(om: Space) -> None:
    for name in ("a", "b", "c", "d", "e"):
        om("entity", "new", f"projects/{name}-project", "--name", f"Project {name.upper()}")
    for day, names in (("2026-05-28", "ABC"), ("2026-05-29", "ABD"), ("2026-05-30", "AB"), ("2026-05-31", "D")):
        om.write(f"memory/{day}.md", f"# {day}\n\n" + "".join(f"- worked on Project {name}\n" for name in names))
    om("active", "add", "memory/projects/e-project/summary.md")
    told = json.loads(om("rotate", "--now", NOW, "--json").out)
    assert [row["path"].split("/")[2] for row in told["active"]] == ["a-project", "b-project", "d-project"]
    assert told["removed"] == ["memory/projects/e-project/summary.md"]
    assert "nothing to change" in om("rotate", "--now", NOW).out
    assert om("check").code == 0
    om("undo")
    assert "e-project" in om.read("MEMORY.md").partition("## Projects")[0]


def test_rotate_takes_a_hot_file_and_keeps_what_nothing_speaks_against(om: Space) -> None:
    for name in ("people/ana", "people/bo", "projects/x"):
        om("entity", "new", name)
    om("fact", "add", "people/bo", "Likes tea", "--now", "2026-05-01")
    om("active", "add", "memory/people/ana/summary.md")
    om("fact", "show", "bo-001", "--now", "2026-05-31")
    told = json.loads(om("rotate", "--now", NOW, "--json").out)
    assert [(row["path"].split("/")[2], row["heat"]) for row in told["active"]] == [("bo", "hot"), ("ana", "unread")]


def test_rotate_reduces_what_is_over_the_cap(om: Space) -> None:
    names = [f"people/p{number}" for number in range(5)]
    for name in names:
        om("entity", "new", name)
    lines = "".join(f"- memory/{name}/summary.md\n" for name in names)
    om.write("MEMORY.md", om.read("MEMORY.md").replace("# Memory\n", f"# Memory\n\n## Active Context\n\n{lines}"))
    assert len(json.loads(om("rotate", "--now", NOW, "--json").out)["active"]) == 3
    assert om("check").code == 0
