"""An index that grew and one that was built anew answer alike, equals included."""

from __future__ import annotations

import random
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from openclaw_memory.retrieval import store, vectors
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.hybrid import query
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.order import first
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.retrieval.test_hybrid import Senses

NAMES = [f"{folder}/n{number:02}" for folder in ("people", "projects", "resources") for number in range(40)]
LINES = (
    "- The ticket is open.\n",
    "- Watered the monstera.\n",
    "- Watered the monstera, then tea.\n",
    "- A heron on the roof.\n",
)
QUESTIONS = (
    "ticket",
    "monstera",
    "watered tea",
    "heron roof open",
    "montsera",
    "wat*",
    "beverage",
    "is the open ticket",
)
NOW = "2031-06-01T12:00+00:00"


@pytest.fixture(params=[1, 2, 3])
def grown(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """A workspace whose files came, went, moved and changed in no order, with its index kept up meanwhile."""
    chance = random.Random(request.param)
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    ws = Workspace(root)
    for _ in range(6):
        for name in chance.sample(NAMES, 60):
            path = root / f"memory/{name}.md"
            path.parent.mkdir(exist_ok=True)
            if path.exists() and chance.random() < 0.5:
                path.rename(path.with_stem(f"{path.stem}x")) if chance.random() < 0.5 else path.unlink()
            else:
                typo = "- A montserra once.\n" if chance.random() < 0.3 else ""
                path.write_text("# Note\n\n" + "".join(chance.sample(LINES, 2)) + typo)
        update(ws)
    for path in sorted(root.glob("memory/*/*.md")):
        path.write_text(path.read_text().replace("- A montserra once.\n", ""))
    update(ws)
    return ws


def answers(ws: Workspace, model: Senses, limit: int) -> list[list[Hit]]:
    options = Options(limit=limit, explain=True, now=NOW)
    vectors.embed(ws, model)
    return [
        list(hits)
        for text in QUESTIONS
        for hits in (search(ws, text, options).hits, query(ws, text, options, embedder=model).hits)
    ]


@pytest.mark.parametrize("limit", [3, 25])
def test_how_an_index_came_about_does_not_show(grown: Workspace, limit: int) -> None:
    model = Senses()
    before = answers(grown, model, limit)
    shutil.rmtree(grown.state_path)
    update(grown)
    assert before == answers(grown, model, limit)
    assert all(len(hits) == limit for hits in before[:4])


def test_equals_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    ws = Workspace(root)
    for name in ("m", "z", "a"):
        (root / f"memory/{name}.md").write_text(f"# N\n\n- {LINES[3][2:-2]} with a fish called {name}{name}.\n")
        update(ws)
    assert [hit.path for hit in search(ws, "heron on the roof").hits] == ["a.md", "m.md", "z.md"]


@pytest.mark.parametrize("files", [40, 700])
@pytest.mark.parametrize("bits", [0, 12])
def test_the_first_of_many_equals_are_those_of_the_first_names(files: int, bits: int) -> None:
    chance = random.Random(files + bits)
    with closing(store.in_memory()) as db:
        numbers = chance.sample(range(1, 2 * files), files)
        for place, number in enumerate(numbers):
            values = (number, "one", f"{place:04}.md")
            db.execute(
                "INSERT INTO files VALUES (?, ?, ?, 0, 0, 0, 0, '', '', '', '', '', '', '', 1, 1, 0, x'')", values
            )
        for _ in range(30):
            keys = {number << bits | chance.randrange(1 << bits) for number in chance.choices(numbers, k=2 * files)}
            scores = {key: chance.choice((0.1, 0.2, 0.3)) for key in keys}
            most, spare = chance.randint(1, len(keys)), chance.choice((0, 5, files))
            best = sorted(scores, key=lambda key: (-scores[key], numbers.index(key >> bits), key))
            equal = [key for key in best[most:] if scores[key] == scores[best[most - 1]]]
            wanted = best[:most] + (equal if len(equal) <= spare else [])
            assert sorted(first(db, scores, most, bits, spare)) == sorted(wanted)
