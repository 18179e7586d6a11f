from pathlib import Path

from openclaw_memory.retrieval.hits import Answer, Freshness, Hit
from openclaw_memory.server.reading import _found
from openclaw_memory.workspace import Workspace


def test_a_hit_of_a_collection_that_is_not_ours_keeps_its_address(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    hits = tuple(Hit(name, "a.md", 3, 4, 3, "A", "", 0.5, "text", "", "#000000") for name in ("memory", "handbook"))
    rows = _found(Workspace(tmp_path), Answer(hits, Freshness("fresh")))["results"]
    assert [row["path"] for row in rows] == ["memory/a.md", "qmd://handbook/a.md"]
