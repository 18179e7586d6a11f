from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from openclaw_memory.errors import WorkspaceError, WriteError
from openclaw_memory.workspace import Workspace, journal, state

SCHEMA = "CREATE TABLE IF NOT EXISTS beats_x(a); CREATE INDEX IF NOT EXISTS beats_i ON beats_x(a)"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_owners_bring_their_tables(ws: Workspace) -> None:
    first = state.connect(ws, SCHEMA)
    second = state.connect(ws, "CREATE TABLE IF NOT EXISTS sessions_y(a)")
    with state.transaction(first):
        first.execute("INSERT INTO beats_x VALUES (1)")
    assert second.execute("SELECT a FROM beats_x").fetchall() == [(1,)]
    with pytest.raises(ZeroDivisionError), state.transaction(first):
        first.execute("INSERT INTO beats_x VALUES (2)")
        _ = 1 / 0
    assert second.execute("SELECT count(*) FROM beats_x").fetchone() == (1,)


def _open_and_add(root: Path) -> None:
    connection = state.connect(Workspace(root), SCHEMA)
    with state.transaction(connection):
        connection.execute("INSERT INTO beats_x VALUES (1)")


def test_many_processes_may_open_it_first(ws: Workspace) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(_open_and_add, [ws.root] * 12)
    assert state.connect(ws).execute("SELECT count(*) FROM beats_x").fetchone() == (12,)


def test_a_damaged_database_says_what_to_do(ws: Workspace) -> None:
    (ws.state_dir / "state.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(WorkspaceError, match="damaged") as caught:
        state.connect(ws, SCHEMA)
    assert "delete it" in caught.value.hint


def test_an_unusable_schema_is_rolled_back(ws: Workspace) -> None:
    with pytest.raises(WriteError, match="incomplete"):
        state.connect(ws, "CREATE TABLE IF NOT EXISTS a(b); CREATE TABLE IF NOT EXISTS c(")
    with sqlite3.connect(ws.state_dir / "state.db") as connection:
        assert connection.execute("SELECT * FROM sqlite_master").fetchall() == []


def test_accesses_are_recorded_sealed_and_read(ws: Workspace) -> None:
    now = ws.now("2026-03-02T09:30:00Z")
    journal.record(ws, [("memory/a.md", None), ("memory/\udcff.md", "ana-001")], "get", now)
    journal.record(ws, [], "get", now)
    [segment] = journal.seal(ws)
    assert journal.read(segment) == [
        journal.Access("2026-03-02T09:30:00+00:00", "memory/a.md", None, "get"),
        journal.Access("2026-03-02T09:30:00+00:00", "memory/\udcff.md", "ana-001", "get"),
    ]
    assert journal.seal(ws) == [segment], "a segment that was not folded is offered again"
    journal.record(ws, [("memory/b.md", None)], "get", now)
    assert len(journal.seal(ws)) == 2


def test_a_cut_line_is_left_out(ws: Workspace) -> None:
    journal.record(ws, [("memory/a.md", None)], "get")
    path = ws.state_dir / "access.jsonl"
    path.write_bytes(path.read_bytes() + b'{"at": "2026-03-0')
    assert [access.path for access in journal.read(journal.seal(ws)[0])] == ["memory/a.md"]


def _record_many(job: tuple[Path, int]) -> None:
    root, who = job
    ws = Workspace(root)
    for i in range(200):
        journal.record(ws, [(f"memory/{who}-{i}.md", None)], "get")


def test_no_access_is_lost_or_doubled_while_segments_are_sealed(ws: Workspace) -> None:
    seen: list[str] = []
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        running = pool.map_async(_record_many, [(ws.root, who) for who in range(4)])
        done = False
        while not done:
            done = running.ready()
            for segment in journal.seal(ws):
                seen += [access.path for access in journal.read(segment)]
                segment.unlink()
        running.get()
    assert sorted(seen) == sorted(f"memory/{who}-{i}.md" for who in range(4) for i in range(200))
