from __future__ import annotations

from pathlib import Path

from openclaw_memory.config import Config
from openclaw_memory.index import Words, operations
from openclaw_memory.workspace import Workspace


def test_a_new_heading_is_in_the_language_of_the_config_where_the_index_tells_none(tmp_path: Path) -> None:
    (tmp_path / "memory/people").mkdir(parents=True)
    (tmp_path / "memory/people/ana.md").write_text("# Ana\n")
    (tmp_path / "MEMORY.md").write_text("# Memória\n")
    operations.add(Workspace(tmp_path, Config(language="pt")), "memory/people/ana.md", Words())
    assert "## Pessoas\n" in (tmp_path / "MEMORY.md").read_text()
