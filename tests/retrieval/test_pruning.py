"""What cannot be among the best is not scored, and never missed: as many results as there are, cut, are the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from openclaw_memory.retrieval import passages, store
from openclaw_memory.retrieval.lexical import lexical
from openclaw_memory.retrieval.query import parse
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace

WORDS = [
    *("heron", "mill", "dock", "tea", "green", "north", "south", "boat", "rope", "lamp", "when", "storm"),
    *("set-up", "flushPelican", "Jane-Roe", "飞书", "7"),
]
SHAPES = [
    *("{0}", "{0} {1}", "{0}-{0} {1}", "{0}-{1} {2}", '"{0} {1}"', "{0} {1} -{2}"),
    *("{0} {1} {2} {3}", "When {0} {1}"),
]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Notes by chance, with few words, so that many passages say nearly the same."""
    root: Path = tmp_path_factory.mktemp("large")
    chance = random.Random(5)
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "memory").mkdir()
    for number in range(60):
        lines = [" ".join(chance.choices(WORDS, k=chance.randint(1, 40))) for _ in range(chance.randint(1, 30))]
        marked = [chance.choice(("- {}", "- Heron: {}?", "## {}", "{}\n")).format(line) for line in lines]
        (root / f"memory/{chance.choice(WORDS)}-{number}.md").write_text("\n".join(marked) + "\n")
    ws = Workspace(root)
    update(ws)
    return ws


def test_the_best_are_those_of_all(large: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    scored = {False: 0, True: 0}
    passage = passages._Scorer._passage
    rounding = passages._ROUNDING
    everything = False

    def counted(self: passages._Scorer, *more: object) -> object:
        scored[everything] += 1
        return passage(self, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(passages._Scorer, "_passage", counted)
    chance = random.Random(7)
    with store.reading(store.path_in(large.state_path)) as db:
        assert db is not None
        for _ in range(400):
            query = parse(chance.choice(SHAPES).format(*chance.choices(WORDS, k=4)))
            found = []
            for everything in (False, True):  # a bound that is 10 too high cuts nothing: scores end at 1
                monkeypatch.setattr(passages, "_ROUNDING", 10.0 if everything else rounding)
                found.append(lexical(db, query, Scope(), 5))
            assert found[0] == found[1], query
    assert 0 < scored[False] < scored[True]
