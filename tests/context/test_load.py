import os
import sqlite3
import time
from datetime import datetime, timedelta, timezone

import pytest

from openclaw_memory import fsio
from openclaw_memory.context import load, sessions
from openclaw_memory.errors import WorkspaceError, WriteError
from openclaw_memory.workspace import journal

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=timezone(timedelta(hours=1)))


def given(ws, message=None, session="s", **options):
    return [file.path for file in load(ws, message, session, **options).loaded]


def journalled(ws):
    path = ws.root / ".openclaw-memory" / "access.jsonl"
    return [(access.path, access.source) for access in journal.read(path)] if path.exists() else []


def test_a_later_message_only_adds(ws):
    assert given(ws) == ["MEMORY.md", "memory/projects/backstage.md"]
    assert given(ws, "ask ana") == ["memory/people/ana.md"]
    assert given(ws, "ask ana and tom") == ["memory/people/tom.md"]
    again = load(ws, "ask ana and tom", "s")
    assert again.loaded == again.left_out == ()
    assert sorted(again.known) == [
        "MEMORY.md",
        "memory/people/ana.md",
        "memory/people/tom.md",
        "memory/projects/backstage.md",
    ]


def test_a_session_that_begins_with_a_message_gets_everything(ws):
    assert given(ws, "ana") == ["MEMORY.md", "memory/projects/backstage.md", "memory/people/ana.md"]


def test_sessions_are_apart(ws):
    given(ws, "ana", "one")
    assert "memory/people/ana.md" in given(ws, "ana", "two")


def test_a_new_start_of_the_same_session_gives_everything_again(ws):
    given(ws, "ana")
    assert given(ws) == ["MEMORY.md", "memory/projects/backstage.md"]
    assert given(ws, "ana") == ["memory/people/ana.md"]


def test_without_a_session_nothing_is_remembered(ws):
    assert given(ws, "ana", None) == given(ws, "ana", None)
    assert not (ws.root / ".openclaw-memory/state.db").exists()


def test_a_drill_down_that_has_changed_is_given_again(ws):
    given(ws, "ana")
    (ws.root / "memory/people/ana.md").write_text("# Ana\n\n- has moved\n")
    assert given(ws, "ana") == ["memory/people/ana.md"]
    assert given(ws, "ana") == []


def test_a_changed_index_is_not_given_again_but_a_new_active_file_is(ws):
    given(ws)
    index = ws.root / "MEMORY.md"
    index.write_text(index.read_text().replace("## People", "- memory/people/tom.md\n\n## People"))
    assert given(ws, "hello") == ["memory/people/tom.md"]


def test_what_the_session_has_takes_no_place_under_the_cap(many):
    ws = many(9, active=0)
    assert len(given(ws, "tea")) == 1 + 5
    assert given(ws, "tea") == [f"memory/projects/p0{at}.md" for at in range(5, 9)]


def test_a_session_that_was_given_nothing_for_a_month_is_over(ws):
    given(ws, "ana", "old", now=NOW)
    given(ws, "ana", "new", now=NOW + timedelta(days=20))
    given(ws, "ana", "other", now=NOW + timedelta(days=31))
    assert sessions.known(ws, "old") == {}
    assert len(sessions.known(ws, "new")) == 3


@pytest.mark.parametrize("name", ["", " ", "a\0b", "a'; DROP TABLE sessions_loaded; --", "👤", "x" * 10_000, "\udcff"])
def test_odd_session_names(ws, name):
    assert len(given(ws, "ana", name)) == 3
    assert given(ws, "ana", name) == []


def test_odd_file_names_are_remembered(ws):
    name = "memory/people/\udcff é.md"
    (ws.root / name).write_text("# Odd\n")
    fsio.write(ws.root / "MEMORY.md", b"- [Odd](<memory/people/\xff \xc3\xa9.md>) <!-- trigger: odd -->\n")
    assert given(ws, "odd") == ["MEMORY.md", name]
    assert given(ws, "odd") == []


def test_drill_downs_are_journalled_and_nothing_else(ws):
    load(ws)
    assert journalled(ws) == []
    load(ws, "ana and tom and backstage")
    assert journalled(ws) == [("memory/people/ana.md", "context"), ("memory/people/tom.md", "context")]


def test_unless_told_not_to(ws):
    load(ws, "ana", record=False)
    assert journalled(ws) == []


def test_a_damaged_state_costs_no_context(ws):
    given(ws, "ana")
    (ws.root / ".openclaw-memory/state.db").write_bytes(b"no database at all" * 100)
    context = load(ws, "ana", "s")
    assert len(context.loaded) == 3
    assert "state.db" in context.notes[0] and context.notes[0].endswith(" (delete it; no memory is in it)")


def test_a_state_database_that_lacks_a_column_costs_no_context(ws):
    given(ws, "ana")
    with sqlite3.connect(ws.root / ".openclaw-memory/state.db") as connection:
        connection.execute("ALTER TABLE sessions_loaded RENAME COLUMN digest TO other")
    connection.close()
    context = load(ws, "ana", "s")
    assert len(context.loaded) == 3
    assert "state.db" in context.notes[0]
    with pytest.raises(WorkspaceError):
        sessions.known(ws, "s")


def test_a_workspace_that_cannot_be_written_costs_no_context(ws):
    (ws.root / ".openclaw-memory").write_bytes(b"")  # a file where the state folder should be
    context = load(ws, "ana", "s")
    assert len(context.loaded) == 3
    assert ".openclaw-memory" in context.notes[0]
    with pytest.raises(WriteError):
        sessions.known(ws, "s")


def test_a_writer_that_does_not_end_is_not_waited_for(ws):
    given(ws, "ana")
    holder = sqlite3.connect(ws.root / ".openclaw-memory/state.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute("CREATE TABLE held (x)")
    started = time.monotonic()
    context = load(ws, "ana", "s")
    assert time.monotonic() - started < 5
    holder.close()
    assert len(context.loaded) in (0, 3)  # readers may or may not get past such a writer
    assert "locked" in context.notes[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_eight_prompts_of_one_session_at_once(ws, cli):
    import subprocess
    import sys

    words = [sys.executable, "-m", "openclaw_memory", "context", "-w", str(ws.root), "--session", "s", "--json"]
    calls = [subprocess.Popen([*words, "--message", "ana"], stdout=subprocess.PIPE) for _ in range(8)]
    outputs = [call.communicate()[0] for call in calls]
    assert [call.returncode for call in calls] == [0] * 8
    assert all(b'"files"' in output for output in outputs)
    assert given(ws, "ana") == []
