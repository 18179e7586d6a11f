"""Vectors that are computed without being asked for."""

from __future__ import annotations

import threading

import pytest

from openclaw_memory.retrieval import catchup, hybrid, vectors
from openclaw_memory.retrieval import watch as watching
from openclaw_memory.retrieval.embedders import Choice
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.report import status
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.waiting import soon

pytest.importorskip("numpy")
from tests.retrieval.conftest import paths
from tests.retrieval.test_hybrid import Senses


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Senses:
    """The model that is installed here."""
    made = Senses()
    monkeypatch.setattr(catchup, "choose", lambda _: Choice("local", ""))
    monkeypatch.setattr(catchup, "load", lambda _: made)
    return made


def test_the_first_query_of_a_small_workspace_embeds_it(ws: Workspace, model: Senses) -> None:
    answer = hybrid.query(ws, "beverage")
    assert (answer.hits[0].path, answer.legs) == ("people/jane.md", ("lexical", "vector"))
    assert status(ws).passages_without_vector == 0


def test_a_larger_one_is_left_to_embed_and_says_so(
    ws: Workspace, model: Senses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(catchup._FEW, "local", 2)
    answer = hybrid.query(ws, "green tea")
    assert paths(list(answer.hits))[0] == "people/jane.md"
    assert answer.legs == ("lexical",)
    assert "openclaw-memory embed" in answer.notes[0]
    assert catchup.is_due(ws)


def test_the_budget_bounds_it(ws: Workspace, model: Senses) -> None:
    for number in range(20):
        (ws.root / f"memory/n{number}.md").write_text(f"# N{number}\n\n- heron {number}\n")
    update(ws)
    assert 0 < catchup.more(ws, model, seconds=0.05) <= 23
    while catchup.more(ws, model):
        pass
    assert status(ws).passages_without_vector == 0
    assert not catchup.is_due(ws)


def test_a_search_without_a_budget_computes_nothing(ws: Workspace, model: Senses) -> None:
    update(ws)
    assert hybrid.query(ws, "green tea", Options(budget=0)).legs == ("lexical",)
    assert model.calls == 0


def test_what_has_no_vector_yet_is_found_by_its_words(ws: Workspace, model: Senses) -> None:
    hybrid.query(ws, "beverage")
    (ws.root / "memory/people/tom.md").write_text("# Tom\n\n- Plays the bassoon.\n")
    assert hybrid.query(ws, "bassoon", embedder=model).hits[0].path == "people/tom.md"
    assert status(ws).passages_without_vector > 0


def test_another_models_vectors_are_left_alone(ws: Workspace, model: Senses) -> None:
    hybrid.query(ws, "beverage")
    (ws.root / "memory/people/tom.md").write_text("# Tom\n\n- Plays the bassoon.\n")
    update(ws)
    model.identity = "others/5/plain"
    assert catchup.more(ws, model) == 0


@pytest.mark.parametrize("name", ["", "openai"])
def test_nothing_is_sent_to_an_endpoint_on_its_own(ws: Workspace, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    update(ws)
    monkeypatch.setattr(catchup, "choose", lambda _: Choice(name, ""))
    monkeypatch.setattr(catchup, "load", lambda _: pytest.fail("the model was loaded"))
    assert not catchup.is_due(ws)
    assert catchup.first(ws, 2.0) is None
    assert vectors.embed(ws, Senses()).computed > 0


def test_watch_computes_vectors_behind_its_back(ws: Workspace, model: Senses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "load", lambda _: model)
    stop = threading.Event()
    reports = watching.watch(ws, stop, 50)
    assert next(reports).added == 3

    def more() -> None:
        soon(lambda: status(ws).passages_without_vector == 0)
        stop.set()

    threading.Thread(target=more).start()
    assert list(reports) == []
    assert status(ws).passages_without_vector == 0
