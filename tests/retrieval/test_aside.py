"""A search where no index is and none can be written."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from openclaw_memory.retrieval import store
from openclaw_memory.retrieval.aside import MADE
from openclaw_memory.retrieval.hybrid import query
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.read import Folder
from openclaw_memory.retrieval.search import search
from openclaw_memory.server.engine import Engine
from openclaw_memory.workspace import Workspace
from tests.retrieval.conftest import paths


def everything(root: Path) -> set[Path]:
    return set(root.rglob("*"))


def test_a_workspace_that_cannot_be_written_is_searched_all_the_same(ws: Workspace) -> None:
    (ws.root / ".openclaw-memory").write_text("in the way of the state folder")
    before = everything(ws.root)
    for find in (search, query):
        answer = find(ws, "green tea", Options(limit=1))
        assert paths(list(answer.hits)) == ["people/jane.md"]
        assert (answer.fresh.state, answer.fresh.pending) == ("fresh", 0)
        assert [answer.fresh.notes.count(MADE), len(answer.fresh.notes)] == [1, 2]
    (ws.root / "memory/people/jane.md").write_text("# Jane Doe\n\n- Drinks coffee.\n")
    assert paths(list(search(ws, "coffee").hits)) == ["people/jane.md"]
    assert everything(ws.root) == before


def test_a_full_disk_without_an_index_is_searched_all_the_same(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(db: sqlite3.Connection) -> sqlite3.Connection:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "_prepared", full)
    answer = search(ws, "green tea")
    assert (paths(list(answer.hits)), answer.fresh.state) == (["people/jane.md"], "fresh")
    assert "disk is full" in answer.fresh.notes[0]


def test_a_process_that_stays_keeps_what_it_made_and_looks_at_the_disk_each_time(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ws.root / ".openclaw-memory").write_text("in the way of the state folder")
    read: list[str] = []
    content = Folder.content

    def counted(folder: Folder, path: str) -> bytes:
        read.append(path)
        return content(folder, path)

    engine = Engine(ws.root)
    try:
        assert paths(list(engine.query("green tea", Options(limit=1)).hits)) == ["people/jane.md"]
        (ws.root / "memory/people/ann.md").write_text("# Ann\n\n- Plays the bassoon.\n")
        (ws.root / "memory/2031-05-08.md").unlink()
        for one in ("MEMORY.md", "memory/people/jane.md"):
            os.utime(ws.root / one, (1e9, 1e9))
        assert paths(list(engine.query("bassoon", Options(limit=1)).hits)) == ["people/ann.md"]
        monkeypatch.setattr(Folder, "content", counted)
        answer = engine.query("green tea", Options(limit=1))
        assert (paths(list(answer.hits)), answer.fresh.state) == (["people/jane.md"], "fresh")
        assert "keeps one in memory" in answer.fresh.notes[1]
        assert read.count("people/jane.md") == 1, "for what is shown of it, not for the index"
        assert engine.query("ferry Oslo", Options(limit=1)).hits == ()
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: engine.query("bassoon", Options(limit=1)), range(16)))
        assert {paths(list(one.hits))[0] for one in answers} == {"people/ann.md"}
        (ws.root / ".openclaw-memory").unlink()
        assert engine.query("green tea", Options(limit=1)).fresh.notes == ()
    finally:
        store._kept.clear()


def test_the_time_budget_holds_in_memory_too(ws: Workspace) -> None:
    (ws.root / ".openclaw-memory").write_text("")
    assert search(ws, "green tea", Options(budget=1e-9)).fresh.state == "partial"
