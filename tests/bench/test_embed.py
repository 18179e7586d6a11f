"""`embed` at the speed of the model: what it costs beside what the model itself computes, over 300 chunks.

`pytest tests/bench/test_embed.py -s` prints the figures.
"""

from __future__ import annotations

import random
import time
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
    pytest.mark.slow,
    pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed"),
]

FILES, SECTIONS = 30, 10
LIMIT = 1.1
SAID = "the boiler is old and was last seen by a man from town who said it would hold one more winter at most"


class Model:
    """onnxruntime's session, and the CPU seconds and tokens of every run; those that stand for nothing are padding."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.seconds = 0.0
        self.tokens = self.padding = 0

    def run(self, names: object, feed: Any) -> Any:
        before = time.process_time()
        found = self._session.run(names, feed)
        self.seconds += time.process_time() - before
        mask = feed["attention_mask"]
        self.tokens += int(mask.sum())
        self.padding += int(mask.size - mask.sum())
        return found


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    chance = random.Random(3)
    for number in range(FILES):
        parts = (" ".join(chance.choices(SAID.split(), k=chance.randint(10, 150))) for _ in range(SECTIONS))
        sections = (f"## Part {at}\n\n{text}.\n" for at, text in enumerate(parts))
        (tmp_path / f"memory/n{number}.md").write_text(f"# Note {number}\n\n" + "\n".join(sections))
    found = Workspace(tmp_path)
    update(found)
    assert status(found).chunks >= FILES * SECTIONS
    return found


def test_embed_costs_little_more_than_its_model(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    from openclaw_memory.retrieval.embedders.minilm import MiniLM

    session, made = onnxruntime.InferenceSession, []

    def spied(*given: Any, **named: Any) -> Model:
        made.append(Model(session(*given, **named)))
        return made[-1]

    monkeypatch.setattr(onnxruntime, "InferenceSession", spied)
    embedder = MiniLM()
    embedder.warm()
    before = time.process_time()
    done = vectors.embed(ws, embedder)
    spent = time.process_time() - before
    (model,) = made
    assert done.computed >= FILES * SECTIONS
    padding = model.padding / model.tokens
    texts = f"{done.computed} texts, {model.tokens} tokens and {padding:.1%} of padding"
    print(f"\nembed: {texts}: {spent:.2f} s of CPU, {spent / model.seconds - 1:.1%} more than its model")
    assert spent <= LIMIT * model.seconds
    assert padding <= LIMIT - 1
