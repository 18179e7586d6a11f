"""Small priors and copies: what decides between passages that say equally much."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from openclaw_memory.retrieval import priors
from openclaw_memory.retrieval.heats import Heats
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.workspace import Workspace

NOW = "2031-06-01T12:00+00:00"
Maker = Callable[[dict[str, str]], Workspace]


@pytest.fixture
def made(tmp_path: Path) -> Maker:
    def make(files: dict[str, str]) -> Workspace:
        for name, text in {"MEMORY.md": "# Memory\n", **files}.items():
            path = tmp_path / "ws" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Workspace(tmp_path / "ws")

    return make


def hits(ws: Workspace, text: str, **options: object) -> list[Hit]:
    return list(search(ws, text, Options(now=NOW, explain=True, **options)).hits)  # type: ignore[arg-type]


def test_of_two_notes_that_say_equally_much_the_later_comes_first(made: Maker) -> None:
    ws = made(
        {
            "memory/2031-01-03.md": "# Day\n\n- Watered the monstera on the landing.\n",
            "memory/2031-05-30.md": "# Day\n\n- Watered the monstera on the balcony.\n",
        }
    )
    first, second = hits(ws, "monstera")
    assert (first.path, second.path) == ("2031-05-30.md", "2031-01-03.md")
    assert first.explain["prior.recency"] == pytest.approx(0.02 * 0.5 ** (2 / 14), abs=1e-6)
    later = search(ws, "monstera", Options(now="2031-01-04T00:00+00:00", explain=True)).hits
    assert {hit.explain["prior.recency"] for hit in later} >= {0.02}, "a note of a later day counts as one of today"


def test_the_hot_file_comes_before_the_cold_one(made: Maker) -> None:
    rows = [
        {"path": "memory/people/ann.md", "temperature": "cold"},
        {"path": "memory/people/zoe.md", "temperature": "hot"},
    ]
    ws = made(
        {
            "memory/people/ann.md": "# Ann\n\n- Plays the bassoon on Mondays.\n",
            "memory/people/zoe.md": "# Zoe\n\n- Plays the bassoon on Fridays.\n",
            "memory/decay.json": json.dumps({"version": 1, "files": rows}),
        }
    )
    first, second = hits(ws, "bassoon")
    assert (first.path, first.explain["prior.heat"]) == ("people/zoe.md", 0.01)
    assert (second.path, second.explain["prior.heat"]) == ("people/ann.md", -0.01)


def test_the_more_important_file_comes_first(made: Maker) -> None:
    ws = made(
        {
            "MEMORY.md": "# Memory\n\n"
            "- [Ann](memory/people/ann.md) <!-- importance: 2 -->\n"
            "- [Zoe](memory/people/zoe.md) <!-- importance: 10 -->\n",
            "memory/people/ann.md": "# Ann\n\n- Plays the bassoon on Mondays.\n",
            "memory/people/zoe.md": "# Zoe\n\n- Plays the bassoon on Fridays.\n",
        }
    )
    first, second = hits(ws, "bassoon")
    assert (first.path, first.explain["prior.importance"]) == ("people/zoe.md", 0.01)
    assert second.explain["prior.importance"] == pytest.approx(-0.01 * 3.5 / 4.5, abs=1e-6)


def test_a_prior_never_beats_what_says_more(made: Maker) -> None:
    ws = made(
        {
            "memory/2031-05-31.md": "# Day\n\n- Spoke about the ferry.\n",
            "memory/2019-02-03.md": "# Day\n\n- Booked the ferry to Bergen for March.\n",
        }
    )
    assert hits(ws, "ferry to Bergen")[0].path == "2019-02-03.md"


def test_what_is_broken_or_missing_says_nothing(made: Maker) -> None:
    ws = made({"memory/decay.json": "{", "memory/people/ann.md": "# Ann\n\n- Plays the bassoon.\n"})
    assert hits(ws, "bassoon")[0].explain.keys().isdisjoint({"prior.heat", "prior.recency", "prior.importance"})
    known = priors.Priors(date(2031, 6, 1), Heats(ws), {})
    assert known.of("memory/2031-06.md", "2031-06") == {}
    assert known.of("memory/a.md", "2031-99-99") == {}


def test_copies_do_not_fill_the_answer(made: Maker) -> None:
    copies = {
        f"memory/resources/copy{at}.md": "# Tea\n\n- The kettle is descaled with vinegar every spring.\n"
        for at in range(8)
    }
    other = "# Kitchen\n\n- Bought: flour, sugar, a kettle, cinnamon, raisins, yeast, two bottles of vinegar, salt.\n"
    ws = made({**copies, "memory/resources/other.md": other})
    found = hits(ws, "kettle vinegar", limit=3)
    assert "resources/other.md" in [hit.path for hit in found]
    assert "copy" not in found[0].explain
    every = hits(ws, "kettle vinegar", limit=100)
    assert len({hit.path for hit in every}) == 9, "a copy goes behind, it is not left out"
    assert [hit.score for hit in every] == sorted((hit.score for hit in every), reverse=True)


def test_another_number_is_another_text(made: Maker) -> None:
    line = (
        "- Paid the yearly fee of the allotment society by transfer to its treasurer in the amount of {} crowns,"
        " which includes water, compost, insurance and the summer party.\n"
    )
    ws = made(
        {
            "memory/2031-03-01.md": "# Day\n\n" + line.format(410),
            "memory/2030-03-01.md": "# Day\n\n" + line.format(395),
            "memory/2029-03-01.md": "# Day\n\n" + line.format(410).replace("treasurer", "cashier"),
        }
    )
    found = {hit.path: hit for hit in hits(ws, "fee of the allotment society")}
    assert "copy" not in found["2030-03-01.md"].explain
    assert "copy" in found["2029-03-01.md"].explain


def test_the_same_question_on_the_same_day_has_the_same_answer(made: Maker) -> None:
    ws = made({f"memory/2031-05-{day:02}.md": f"# Day\n\n- Fed the cat {day} times.\n" for day in range(1, 29)})
    assert hits(ws, "cat", limit=20) == hits(ws, "cat", limit=20)
