"""State that we did not write, which may have come with a cloned repository: told as damaged, never a bug."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.heartbeat.runner import run
from openclaw_memory.heartbeat.state import State, read_log
from openclaw_memory.heartbeat.status import status

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
COLUMNS = {
    "beats_beat": "number id began ended seconds due ran failed",
    "beats_task": "key first_beat first_seen beat slot ran status message tries runs",
    "beats_run": "beat key began seconds status message",
    "beats_clock": "at",
    "beats_pending": "path",
}
PLANTED = [(table, column) for table, columns in COLUMNS.items() for column in columns.split()]
VALUES = ["abc", b"\xff", -1e300, 1e300, float("inf"), -5, 2**63 - 1, None]


@pytest.mark.parametrize(("table", "column"), PLANTED)
def test_whatever_stands_in_it_is_no_bug(beats: Callable[..., Any], table: str, column: str) -> None:
    one = beats("- mail\n- backup (daily at 02:30)\n- `openclaw-memory decay` (monthly on the 15th)\n")
    for value in VALUES:
        one.run(NOW)
        path = one.root / ".openclaw-memory" / "state.db"
        with sqlite3.connect(path) as db:
            db.execute("INSERT OR IGNORE INTO beats_pending VALUES ('x')")
            try:
                db.execute(f"UPDATE {table} SET {column} = ?", (value,))
            except sqlite3.IntegrityError:
                continue
        db.close()
        for look in (
            lambda: status(one.ws, NOW).to_json(),
            lambda: [beat.to_json() | {"line": beat.line()} for beat in read_log(one.ws, UTC, 5)],
            lambda: run(one.ws, NOW, lambda report: report.to_json(), do_commit=True),
        ):
            try:
                look()
            except OpenClawMemoryError as error:
                assert "state" in error.message and error.hint
        path.unlink()


def test_no_file_outside_the_workspace_is_ever_committed(beats: Callable[..., Any]) -> None:
    one = beats("")
    with State(one.ws, UTC) as state:
        state.add_pending(["../a", "/b", "c/../../d", "e..f", "g"])
        assert state.pending() == ["e..f", "g"]


def test_state_of_another_shape_is_told(beats: Callable[..., Any]) -> None:
    one = beats("- mail\n")
    with sqlite3.connect(one.ws.state_dir / "state.db") as db:
        db.execute("CREATE TABLE beats_task (mine TEXT)")
    db.close()
    assert status(one.ws, NOW).beat == 0
    with pytest.raises(OpenClawMemoryError, match="state of the beats"):
        run(one.ws, NOW, lambda report: None)
