"""A hybrid query in a new process, without the warm server, over 10,000 chunks: CPU seconds beside those of Python."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.retrieval import vectors
from openclaw_memory.retrieval.embedders.choose import installed
from openclaw_memory.retrieval.report import status
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed"),
]

FILES, SECTIONS, DIMENSION = 1000, 10, 384
RATIO = 60.0  # guards what was reached (measured 47 to 50), not the aim of 350 ms
ROUNDS = 7


class Chance:
    """Vectors by chance, under the default model's name: searching them costs what searching real ones does."""

    identity = "all-MiniLM-L6-v2-int8/384/plain"
    dimension = DIMENSION

    def embed_documents(self, texts: Any) -> Any:
        import numpy as np

        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), DIMENSION)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])[0]


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
    cpu("-m", "openclaw_memory", "query", "warm the disk", "-w", str(root))
    return ws


def cpu(*args: str) -> float:
    """CPU seconds of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OPENCLAW_MEMORY_NO_SERVER": "1"}
    done = subprocess.run([sys.executable, *args], env=environ, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_cold_hybrid_query(large: Workspace) -> None:
    words = ("query", "who looks after the heating", "-w", str(large.root), "--explain", "--json")
    rounds = [(cpu("-m", "openclaw_memory", *words), cpu("-I", "-c", "pass")) for _ in range(ROUNDS)]
    ours, empty = (min(times) for times in zip(*rounds, strict=True))
    print(f"a cold query: {ours * 1000:.0f} ms, an empty interpreter: {empty * 1000:.1f} ms, ratio {ours / empty:.1f}")
    assert ours / empty < RATIO
