"""Triggers of the index: a query that holds one lifts the file that the entry points to."""

from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory.retrieval import hybrid, indexed
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.workspace import Workspace

INDEX = """# Memory

- [Jane](memory/people/jane.md): likes rivers <!-- trigger: boss, head of sales -->
- [Omar](memory/people/omar.md): likes hills <!-- trigger: plumber -->
- [Zephyr](memory/projects/zephyr/): a boat <!-- trigger: dinghy -->
"""
NOTE = "# 2031-05-0{}\n\n- The {} came in late.\n- Rain all day.\n"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    files = {
        "MEMORY.md": INDEX,
        "memory/people/jane.md": "# Jane Doe\n\n- Drinks green tea.\n- Owns two bikes.\n",
        "memory/people/omar.md": "# Omar Ray\n\n- Drinks cold milk.\n- Owns a van.\n",
        "memory/projects/zephyr/summary.md": "# Zephyr\n\n- Varnished in spring.\n",
        "memory/2031-05-01.md": NOTE.format(1, "boss"),
        "memory/2031-05-02.md": NOTE.format(2, "plumber"),
    }
    for name, text in files.items():
        path = tmp_path / "ws" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(tmp_path / "ws")


def details(ws: Workspace, text: str, **options: object) -> list[Hit]:
    hits = search(ws, text, Options(explain=True, **options)).hits  # type: ignore[arg-type]
    return [hit for hit in hits if hit.path != "MEMORY.md"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("what does the boss drink?", "people/jane.md"),
        ("what does the plumber drink?", "people/omar.md"),
        ("does the head of sales own a bike", "people/jane.md"),
        ("dinghy", "projects/zephyr/summary.md"),
    ],
)
def test_a_file_is_found_by_a_trigger_that_stands_in_the_index_alone(ws: Workspace, text: str, path: str) -> None:
    first = details(ws, text)[0]
    assert first.path == path
    assert first.explain["trigger"] > 0  # type: ignore[operator]


def test_a_trigger_of_several_words_counts_as_a_whole(ws: Workspace) -> None:
    assert all("trigger" not in hit.explain for hit in details(ws, "sales in rain"))


def test_a_trigger_alone_is_as_good_as_an_exact_word(ws: Workspace) -> None:
    assert "people/omar.md" in [hit.path for hit in details(ws, "plumber", min_score=0.99)]


def test_operators_narrow_what_a_trigger_brings(ws: Workspace) -> None:
    assert [hit.path for hit in details(ws, "boss path:2031")] == ["2031-05-01.md"]
    assert [hit.path for hit in details(ws, '"boss came"')] == ["2031-05-01.md"]
    assert "people/jane.md" not in [hit.path for hit in details(ws, "boss -tea")]


def test_words_and_meaning_together_see_triggers_too(ws: Workspace) -> None:
    hits = hybrid.query(ws, "what does the plumber drink?", Options()).hits
    assert next(hit.path for hit in hits if hit.path != "MEMORY.md") == "people/omar.md"


def test_an_index_that_has_none_of_the_words_is_not_parsed(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexed, "_parsed", lambda *args: pytest.fail("parsed"))
    assert details(ws, "varnished")[0].path == "projects/zephyr/summary.md"
    ws.index_path.unlink()
    assert details(ws, "rain")
