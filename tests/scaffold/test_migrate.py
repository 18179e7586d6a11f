from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory import index, markdown
from openclaw_memory.config import Config
from openclaw_memory.errors import FormatError, UsageError, WorkspaceError
from openclaw_memory.scaffold.migrate import bring, dates, migrate, plan
from openclaw_memory.scaffold.migrate.plan import kind_of, subject_of
from openclaw_memory.workspace import Layout, Workspace, undo
from tests.conftest import Run
from tests.scaffold.wild import FAST

MONOLITH = """\
# MEMORY.md - Langzeit
## Über Kim
- Umzug 02.03.2026
## Fix (13.03.2026)
text
## Über Kim (erweitert)
- mag Tee
# Zweiter Titel
<!-- keep -->
"""
PEOPLE = """\
---
title: x
---
# Memory

## People
intro

- **Ana**: likes tea
  - nested
- Bob Silva: boss
- [Carl](memory/people/carl.md) is listed
- plain item
### Dora
met in Rome

#### deeper
more

## Projects

## Decisions
- use SQLite

## 2026-03-01
- met Ana
## Preferences
- short answers
## Active Context
- `memory/people/carl.md`
## Something long
1

2

3

4
"""


def planned(text: str, files: tuple[str, ...] = (), language: str = "") -> dict[str, str]:
    """Line span to destination."""
    made = plan(index.parse(text, files), Layout(Config()), language)
    return {f"{span.first}-{span.last}": span.to for span in made.spans}


def test_the_sections_about_one_person_go_to_one_file_in_order() -> None:
    assert planned(MONOLITH) == {
        "1-1": "",
        "2-3": "memory/people/kim.md",
        "4-5": "memory/resources/fix.md",
        "6-7": "memory/people/kim.md",
        "8-9": "",
    }


def test_every_kind_of_section() -> None:
    assert planned(PEOPLE, ("memory/people/carl.md",)) == {
        "1-3": "",
        "4-5": "",
        "6-8": "",
        "9-10": "memory/people/ana.md",
        "11-11": "memory/people/bob-silva.md",
        "12-13": "",
        "14-19": "memory/people/dora.md",
        "20-21": "",
        "22-24": "memory/decisions/decisions.md",
        "25-26": "memory/2026-03-01.md",
        "27-28": "",
        "29-30": "",
        "31-38": "memory/resources/something-long.md",
    }


@pytest.mark.parametrize(
    ("title", "kind", "subject"),
    [
        ("👥 Key people", "people", "Key people"),
        ("Projetos atuais", "projects", "Projetos atuais"),
        ("1. Boat restoration (2025)", "", "Boat restoration"),
        ("2026", "", "2026"),
        ("3) Site, part 2", "", "Site"),
        ("Lessons Learned (2026-02-03)", "", "Lessons Learned"),
        ("People I met in Rome last year", "", "People I met in Rome last year"),
        ("Archive", "archives", "Archive"),
        ("Über Kim (erweitert)", "", "Über Kim"),
    ],
)
def test_what_a_title_says(title: str, kind: str, subject: str) -> None:
    assert kind_of(title) == kind
    assert subject_of(title) == subject


@pytest.mark.parametrize("title", ["About me", "👤 About the user", "Über mich", "Sobre o usuário", "About this file"])
def test_what_is_about_the_person_stays(title: str) -> None:
    assert planned(f"# M\n## {title}\n- a\n- b\n- c\n- d\n- e\n") == {"1-1": "", "2-7": ""}


def test_names_in_bold_lose_their_brackets() -> None:
    assert "memory/people/ana.md" in planned("# M\n## Key people\n- **Ana (wife)** — birthday\n").values()


@pytest.mark.parametrize(
    ("text", "language", "readings"),
    [
        ("02.03.2026", "", [None]),
        ("02.03.2026", "de", [date(2026, 3, 2)]),
        ("02.03.2026\n13.03.2026", "", [date(2026, 3, 2), date(2026, 3, 13)]),
        ("02/03/2026 03/25/2026", "", [date(2026, 2, 3), date(2026, 3, 25)]),
        ("02/03/2026 13.03.2026", "", [None, date(2026, 3, 13)]),
        ("13/03/2026 03/13/2026 02/03/2026", "", [date(2026, 3, 13), date(2026, 3, 13), None]),
        ("05.05.2026", "", [date(2026, 5, 5)]),
        ("31.31.2026 1.2.3 2026-03-02 1.2.2026.7", "de", [None]),
        ("31.02.2026", "de", [None]),
    ],
)
def test_dates_are_read_only_where_something_decides(text: str, language: str, readings: list[date | None]) -> None:
    assert [reading.day for reading in dates.read(markdown.scan(text), language)] == readings


def workspace(root: Path, text: str | bytes) -> Workspace:
    root.mkdir(exist_ok=True)
    (root / "MEMORY.md").write_bytes(text.encode() if isinstance(text, str) else text)
    return Workspace(root)


def lines_of(ws: Workspace) -> Counter[str]:
    """Every line of every Markdown file, without the entries that were added."""
    found: Counter[str] = Counter()
    for path in ws.root.rglob("*.md"):
        text = markdown.decode(path.read_bytes())
        found.update(line.text for line in markdown.split_lines(text) if "<!-- rev:" not in line.text)
    return found


def test_applied_every_line_is_there_once_and_undo_takes_it_back(tmp_path: Path, cli: Run) -> None:
    ws = workspace(tmp_path, MONOLITH)
    before = lines_of(ws)
    assert migrate(ws).outcome.dry_run
    assert lines_of(ws) == before
    assert not (tmp_path / "memory").exists()

    done = cli("migrate", "--apply")
    assert done.returncode == 0, done.stderr
    assert "undo 1" in done.stdout
    kim = (tmp_path / "memory/people/kim.md").read_text()
    assert kim == "## Über Kim\n- Umzug 02.03.2026\n## Über Kim (erweitert)\n- mag Tee\n"
    after = lines_of(ws)
    assert set(after - before) <= {"", "## People", "## Resources"}
    assert not before - after
    assert cli("check").returncode == 0, cli("check").stdout
    undo(ws)
    assert (tmp_path / "MEMORY.md").read_text() == MONOLITH


def test_the_plan_as_text_and_json(tmp_path: Path, cli: Run) -> None:
    workspace(tmp_path, MONOLITH)
    shown = cli("migrate").stdout
    assert re.search(r"2-3  memory/people/kim\.md +about somebody", shown)
    assert "line 3: 02.03.2026 is 2026-03-02 (the day comes first in line 4)" in shown
    assert "nothing was written: add --apply" in shown
    told = json.loads(cli("migrate", "--json").stdout)
    assert told["spans"][1]["to"] == "memory/people/kim.md"
    assert told["dates"][0]["day"] == "2026-03-02"
    assert told["dryRun"]


def test_line_ends_a_bom_and_bytes_that_are_no_utf_8_survive(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf# M\r\n## About Kim\r\n- caf\xe9\n## Preferences\r\n- x"
    ws = workspace(tmp_path, text)
    migrate(ws, apply=True)
    assert (tmp_path / "memory/people/kim.md").read_bytes() == b"## About Kim\r\n- caf\xe9\n"
    left = (tmp_path / "MEMORY.md").read_bytes()
    assert left.startswith(b"\xef\xbb\xbf# M\r\n")
    assert b"## Preferences\r\n- x\r\n" in left


def test_a_file_that_is_there_gets_the_lines_at_its_end(tmp_path: Path) -> None:
    ws = workspace(tmp_path, "# M\n## About Kim\n- new\n")
    (tmp_path / "memory/people").mkdir(parents=True)
    (tmp_path / "memory/people/kim.md").write_text("# Kim\nold")
    migrate(ws, apply=True)
    assert (tmp_path / "memory/people/kim.md").read_text() == "# Kim\nold\n## About Kim\n- new\n"


def test_an_entity_in_a_folder_of_its_own_is_the_one_that_is_meant(tmp_path: Path) -> None:
    ws = workspace(tmp_path, "# M\n## About Kim\n- new\n")
    (tmp_path / "memory/people/kim").mkdir(parents=True)
    (tmp_path / "memory/people/kim/summary.md").write_text("# Kim\n")
    migrate(ws, apply=True)
    assert (tmp_path / "memory/people/kim/summary.md").read_text() == "# Kim\n## About Kim\n- new\n"
    assert not (tmp_path / "memory/people/kim.md").exists()


def test_a_line_that_says_nothing_stays_too(tmp_path: Path) -> None:
    ws = workspace(tmp_path, "# M\n## People\n(none yet)\n## About Kim\n- x\n")
    migrate(ws, apply=True)
    assert "(none yet)\n" in (tmp_path / "MEMORY.md").read_text()


def test_what_is_an_index_already_stays(tmp_path: Path, cli: Run) -> None:
    files = {"memory/people/a.md": "# A\n", "memory/people/b.md": "# B\n"}
    ws = workspace(tmp_path, "# M\n\n## People\n- [A](memory/people/a.md)\n- [B](memory/people/b.md)\n")
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert migrate(ws, apply=True).outcome.changes == ()
    assert "nothing to change" in cli("migrate", "--apply").stdout


@pytest.mark.parametrize("text", ["# M\n```\n## About Kim\n", "# M\n<<<<<<< a\n=======\n>>>>>>> b\n## About Kim\nx\n"])
def test_what_cannot_be_split_safely_is_refused(tmp_path: Path, text: str) -> None:
    ws = workspace(tmp_path, text)
    with pytest.raises(FormatError):
        migrate(ws, apply=True)
    assert (tmp_path / "MEMORY.md").read_text() == text


def test_headings_in_fences_and_comments_are_none(tmp_path: Path) -> None:
    text = "# M\n```\n## About Kim\n```\n<!--\n## About Bob\n-->\n"
    assert set(planned(text).values()) == {""}


def test_no_index(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with pytest.raises(WorkspaceError, match="no index"):
        migrate(Workspace(tmp_path))


titles = st.sampled_from(
    [
        "People",
        "Projetos",
        "About Kim",
        "Über Kim",
        "Log (13.03.2026)",
        "2026-03-01",
        "Preferences",
        "x",
        "🏠",
        "a/../b",
        "```",
    ]
)
blocks = st.one_of(
    st.tuples(st.integers(1, 4), titles).map(lambda pair: "#" * pair[0] + " " + pair[1]),
    st.sampled_from(
        ["- **Ana**: x", "  - nested", "text", "", "---", "| a | b |", "> q", "<!-- c -->", "1. Bob: y", "    code"]
    ),
    st.text(max_size=12),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(blocks, max_size=30), st.sampled_from(["\n", "\r\n"]))
def test_whatever_is_split_no_line_is_lost_or_doubled(parts: list[str], eol: str) -> None:
    data = eol.join(parts).encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory(dir=FAST) as name:
        split_and_judge(workspace(Path(name), data), data)


def split_and_judge(ws: Workspace, data: bytes) -> None:
    before = lines_of(ws)
    try:
        done = migrate(ws, apply=True)
    except (FormatError, WorkspaceError):  # an open fence; bytes that are no text
        assert (ws.root / "MEMORY.md").read_bytes() == data
        return
    after = lines_of(ws)
    assert not before - after
    assert not [text for text in after - before if text and not text.startswith("#")]
    spans = [(span.first, span.last) for span in done.plan.spans]
    assert [first for first, _ in spans] == [1, *(last + 1 for _, last in spans[:-1])][: len(spans)]
    if done.outcome.changes:
        undo(ws)
    assert (ws.root / "MEMORY.md").read_bytes() == data


def outside(tmp_path: Path) -> Path:
    life = tmp_path / "life"
    (life / "areas/people/jane").mkdir(parents=True)
    (life / "areas/people/jane/summary.md").write_bytes(b"# Jane\r\n")
    (life / "areas/people/jane/items.json").write_text("[]")
    (life / "photo.png").write_bytes(b"\x89PNG")
    (life / ".hidden.md").write_text("x")
    (life / "link.md").symlink_to("/etc/hostname")
    return life


def test_an_outside_folder_comes_in_and_is_indexed(tmp_path: Path, cli: Run) -> None:
    life = outside(tmp_path)
    ws = workspace(tmp_path / "ws", "# M\n")
    assert not (ws.root / "life").exists()
    planned = bring(ws, life)
    assert planned.outcome.dry_run
    assert planned.left == (".hidden.md", "link.md", "photo.png")
    assert not (ws.root / "life").exists()

    done = cli("migrate", "--from", str(life), "--apply", cwd=ws.root)
    assert done.returncode == 0, done.stderr
    assert (ws.root / "life/areas/people/jane/summary.md").read_bytes() == b"# Jane\r\n"
    assert (ws.root / "life/areas/people/jane/items.json").exists()
    assert (life / "areas/people/jane/summary.md").exists()
    assert "[Jane](life/areas/people/jane/summary.md)" in (ws.root / "MEMORY.md").read_text()
    ws = Workspace(ws.root)
    assert ws.config.roots == ("life",)
    assert ws.detail_files() == ["life/areas/people/jane/summary.md"]
    assert cli("check", cwd=ws.root).returncode == 0
    assert bring(ws, life, apply=True).outcome.changes == ()
    undo(ws)
    assert {path.name for path in ws.root.iterdir()} == {"MEMORY.md", ".openclaw-memory"}


def test_outside_folders_that_cannot_come_in(tmp_path: Path) -> None:
    life = outside(tmp_path)
    ws = workspace(tmp_path / "ws", "# M\n")
    (ws.root / "life/areas/people/jane").mkdir(parents=True)
    (ws.root / "life/areas/people/jane/summary.md").write_text("mine")
    with pytest.raises(WorkspaceError, match="another content"):
        bring(ws, life, apply=True)
    with pytest.raises(UsageError):
        bring(ws, ws.root / "life")
    with pytest.raises(UsageError):
        bring(ws, tmp_path)
    with pytest.raises(WorkspaceError):
        bring(ws, tmp_path / "absent")
    with pytest.raises(WorkspaceError):
        bring(ws, life, "../elsewhere")
