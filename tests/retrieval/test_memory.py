"""What a process that stays remembers is that of the index and the files as they are now."""

from __future__ import annotations

import os
import sqlite3
import time

import pytest

from openclaw_memory.retrieval import memory, search, store
from openclaw_memory.retrieval.memory import Reader, remembered
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace

WARM = Options(max_age=1.0)


@pytest.fixture(autouse=True)
def stays(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_kept", {})
    monkeypatch.setattr(memory, "_held", {})
    store.stay(store.path_in(ws.state_path))
    update(ws)


def reader(snapshot: tuple[str, str] | None) -> Reader:
    db = sqlite3.connect(":memory:", factory=Reader)
    db.snapshot = snapshot
    return db


def test_another_generation_begins_anew() -> None:
    remembered(reader(("a", "1")), "rows", 9)[1] = "one"
    assert remembered(reader(("a", "1")), "rows", 9) == {1: "one"}
    assert remembered(reader(("a", "2")), "rows", 9) == {}
    assert remembered(reader(("b", "2")), "rows", 9) == {}
    assert remembered(reader(None), "rows", 9) == {}


def test_too_much_is_forgotten() -> None:
    db = reader(("a", "1"))
    remembered(db, "rows", 2).update(dict.fromkeys(range(3)))
    assert remembered(db, "rows", 2) == {}


def test_a_process_that_does_not_stay_remembers_nothing(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_kept", {})
    assert search.search(ws, "green tea").hits
    assert not memory._held


def test_lines_are_remembered_while_the_file_is_the_same(ws: Workspace) -> None:
    path = ws.root / "memory/old.md"
    path.write_text("the seriema sings\n")
    os.utime(path, (time.time() - 100,) * 2)
    for _ in range(2):
        assert search.search(ws, "seriema", WARM).hits[0].snippet == "the seriema sings"
    assert memory._held["pages"][1]
    path.write_text("the seriema drums\n")
    assert search.search(ws, "seriema", WARM).hits[0].snippet == "the seriema drums"


def test_a_file_that_could_still_change_unseen_is_read_each_time(ws: Workspace) -> None:
    (ws.root / "memory/new.md").write_text("the seriema sings\n")
    for _ in range(2):
        assert search.search(ws, "seriema", WARM).hits[0].snippet == "the seriema sings"
    assert not memory._held["pages"][1]


def test_a_reader_sees_one_snapshot(ws: Workspace) -> None:
    with store.reading(store.path_in(ws.state_path)) as db:
        assert db is not None
        before = db.execute("SELECT COUNT(*) FROM files").fetchone()
        (ws.root / "memory/new.md").write_text("the seriema sings\n")
        update(ws)
        assert db.execute("SELECT COUNT(*) FROM files").fetchone() == before
