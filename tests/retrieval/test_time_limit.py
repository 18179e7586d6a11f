from __future__ import annotations

from pathlib import Path

from openclaw_memory.config import parse
from openclaw_memory.retrieval import collections, fresh
from openclaw_memory.workspace import Workspace


def test_the_time_a_search_may_take_bounds_what_it_gives_to_changed_files(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "memory").mkdir()
    for i in range(300):
        (tmp_path / f"memory/{i}.md").write_text(f"# {i}\n\n- a line about {i}\n")
    hurried = Workspace(tmp_path, parse(b"memory: {limits: {timeoutMs: 1}}", "config"))
    assert fresh.freshen(hurried, collections.load(hurried)).state == "partial"
    patient = Workspace(tmp_path, parse(b"memory: {limits: {timeoutMs: 60000}}", "config"))
    assert fresh.freshen(patient, collections.load(patient), seconds=30).state == "fresh"
