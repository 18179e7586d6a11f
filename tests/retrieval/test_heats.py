"""`heat:` and the prior of heat: a file's as folded, a fact's from its own accesses, on the day of the search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.facts.temperatures import PATH
from openclaw_memory.retrieval import store, update, vectors
from openclaw_memory.retrieval.heats import facts, kept
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.hybrid import vsearch
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.workspace import Workspace

NOW = "2031-06-01T12:00+00:00"
FACTS: list[dict[str, object]] = [
    {"id": "ann-001", "fact": "Ann tunes the bassoon.", "lastAccessed": "2031-05-30", "accessCount": 1},
    {"id": "ann-002", "fact": "Ann sold the old bassoon.", "lastAccessed": "2031-01-02", "accessCount": 1},
    {"id": "ann-003", "fact": "Ann lent the bassoon case.", "timestamp": "2031-05-11"},
    {"id": "ann-004", "fact": "Ann insures the bassoon.", "timestamp": "02.03.2031"},
    {"id": "ann-005", "fact": "Ann oils the bassoon keys."},
]


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    folder = tmp_path / "memory/people/ann"
    folder.mkdir(parents=True)
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (folder / "summary.md").write_text("# Ann\n\n- Plays the bassoon.\n")
    (folder / "items.json").write_text(json.dumps(FACTS, indent=1))
    (tmp_path / "memory/people/zoe.md").write_text("# Zoe\n\n- Hears the bassoon.\n")
    rows = [
        {"path": "memory/people/ann/summary.md", "temperature": "cold"},
        {"path": "memory/people/zoe.md", "temperature": "hot"},
    ]
    seen = {"people/ann:ann-005": "2030-01-01"}
    (tmp_path / PATH).write_text(json.dumps({"version": 1, "first_seen": seen, "files": rows}))
    return Workspace(tmp_path)


def found(ws: Workspace, text: str, now: str = NOW) -> list[Hit]:
    return list(search(ws, text, Options(now=now, limit=20, explain=True)).hits)


def said(hits: list[Hit]) -> set[str]:
    return {hit.snippet.partition(" (")[0] for hit in hits}


@pytest.mark.parametrize("words", ["", "bassoon ", "ann "])
def test_heat_finds_the_facts_that_have_it_whatever_their_file_has(ws: Workspace, words: str) -> None:
    zoe = set() if words == "ann " else {"- Hears the bassoon."}
    assert said(found(ws, f"{words}heat:hot")) == {"Ann tunes the bassoon."} | zoe
    assert said(found(ws, f"{words}heat:warm")) == {"Ann lent the bassoon case."}
    cold = said(found(ws, f"{words}heat:cold"))
    assert cold - {"# Ann", "- Plays the bassoon."} == {"Ann sold the old bassoon.", "Ann oils the bassoon keys."}
    assert cold & {"# Ann", "- Plays the bassoon."}
    assert said(found(ws, f"{words}heat:unknown")) == {"Ann insures the bassoon."}
    assert said(found(ws, f"{words}heat:hot kind:fact")) == {"Ann tunes the bassoon."}


def test_meaning_finds_no_fact_of_another_heat(ws: Workspace) -> None:
    np = pytest.importorskip("numpy")

    class Same:
        identity, dimension = "same/4/plain", 4

        def embed_documents(self, texts: Sequence[str]) -> Any:
            return np.array([self.embed_query(text) for text in texts], np.float32)

        def embed_query(self, text: str) -> Any:
            return np.array([1, 0, 0, 0], np.float32)

    update.update(ws)
    vectors.embed(ws, Same())
    hits = vsearch(ws, "music heat:hot kind:fact", Options(now=NOW, limit=20), Same()).hits
    assert said(list(hits)) == {"Ann tunes the bassoon."}


def test_the_day_is_the_search_s(ws: Workspace) -> None:
    assert "Ann sold the old bassoon." in said(found(ws, "bassoon heat:hot", "2031-01-05T12:00+00:00"))
    assert not said(found(ws, "bassoon heat:hot kind:fact", "2031-07-05T12:00+00:00"))


def test_what_a_fact_gains_by_heat_is_its_own(ws: Workspace) -> None:
    heat = {hit.snippet.partition(" (")[0]: hit.explain.get("prior.heat") for hit in found(ws, "bassoon")}
    assert heat["Ann tunes the bassoon."] == heat["- Hears the bassoon."] == 0.01
    assert heat["Ann sold the old bassoon."] == heat["Ann oils the bassoon keys."] == -0.01
    assert heat["- Plays the bassoon."] == -0.01
    assert heat["Ann lent the bassoon case."] is heat["Ann insures the bassoon."] is None


def test_what_is_kept_of_facts_goes_and_comes_with_them(ws: Workspace) -> None:
    def indexed() -> list[tuple[str, object]]:
        update.update(ws)
        with store.reading(store.path_in(ws.state_path)) as db:
            assert db is not None
            return [(fact.id, fact.last_accessed) for fact in facts(db).values()]

    assert len(indexed()) == len(FACTS)
    path = ws.root / "memory/people/ann/items.json"
    path.write_text(json.dumps([{**FACTS[0], "lastAccessed": 1_800_000_000_000}]))
    assert indexed() == [("ann-001", 1_800_000_000_000)]
    path.unlink()
    assert not indexed()


@pytest.mark.parametrize("day", [True, 10**400, float("nan"), [1], {"a": 1}, "\ud800", "a\0b", -1, 1.5, None, ""])
def test_no_value_is_one_that_a_database_refuses(ws: Workspace, day: object) -> None:
    odd = {"id": "ann-\ud800", "fact": "Ann mends the bassoon.", "lastAccessed": day, "accessCount": 10**30}
    (ws.root / "memory/people/ann/items.json").write_text(json.dumps([odd]))
    assert "Ann mends the bassoon." in said(found(ws, "mends bassoon"))
    assert said(found(ws, "mends bassoon heat:unknown" if day not in (None, "") else "mends bassoon heat:hot"))


def test_numbers_and_nothing_are_kept_as_they_are() -> None:
    from openclaw_memory.facts.model import from_record

    fact = from_record({"id": "a", "fact": "x", "created_at": 1_800_000_000, "accesses": 3})
    assert kept(fact) == ("a", None, 1_800_000_000, 3)
