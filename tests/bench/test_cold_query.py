"""Searches in a new process, without the warm server, over 10,000 chunks: CPU time beside that of Python."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory.retrieval import vectors
from openclaw_memory.retrieval.embedders.choose import installed
from openclaw_memory.retrieval.report import status
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.bench.chance import Chance
from tests.bench.cpu import cost, judge

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed"),
]

FILES, SECTIONS = 1000, 10
LIMIT = 350.0
SEARCH_LIMIT = 70.0  # 60 more than Python; a look at 1,001 files is in it, and 10,000 chunks that all hold a word
ROUNDS = 7
CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="module")
def alone() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENCLAW_MEMORY_NO_SERVER", "1")
        yield


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("large")
    (root / "memory/notes").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(4, 9))) for _ in range(4000)]
    for number in range(FILES):
        sections = (f"## Part {at}\n\n{' '.join(chance.choices(words, k=60))}.\n" for at in range(SECTIONS))
        (root / f"memory/notes/n{number}.md").write_text(f"# Note {number}\n\n" + "\n".join(sections))
    ws = Workspace(root)
    update(ws)
    vectors.embed(ws, Chance())
    assert status(ws).chunks >= FILES * SECTIONS
    for path in root.rglob("*.md"):  # files that were just written are read again by each search
        os.utime(path, (1_900_000_000, 1_700_000_000))
    update(ws)
    return ws


def test_a_cold_hybrid_query(large: Workspace, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    words = ("query", "who looks after the heating", "-w", str(large.root), "--explain", "--json")
    judge(pytestconfig, "a cold hybrid query", cost(words, CHECKOUT, tmp_path, rounds=ROUNDS), LIMIT)


def test_a_cold_search(large: Workspace, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    words = ("search", "part note", "-w", str(large.root), "--json")
    judge(pytestconfig, "a cold search", cost(words, CHECKOUT, tmp_path, rounds=ROUNDS), SEARCH_LIMIT)
