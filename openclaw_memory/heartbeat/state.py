"""What is remembered between beats, in `state.db`: the counter, each task's last run, the log, files to commit.

Every change is one transaction. Knows nothing of files or of what a task does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, tzinfo

from openclaw_memory.errors import WorkspaceError
from openclaw_memory.heartbeat.clock import Last, rebase
from openclaw_memory.heartbeat.schedule import Schedule
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.workspace import STATE, Workspace
from openclaw_memory.workspace.state import FILE, connect, transaction

if TYPE_CHECKING:
    from typing import TypeVar

    Found = TypeVar("Found")
SCHEMA = """
CREATE TABLE IF NOT EXISTS beats_beat (
    number INTEGER PRIMARY KEY, id TEXT, began REAL NOT NULL, ended REAL, seconds REAL, due INTEGER, ran INTEGER,
    failed INTEGER);
CREATE UNIQUE INDEX IF NOT EXISTS beats_beat_id ON beats_beat (id);
CREATE TABLE IF NOT EXISTS beats_task (
    key TEXT PRIMARY KEY, first_beat INTEGER NOT NULL, first_seen REAL NOT NULL, beat INTEGER NOT NULL DEFAULT 0,
    slot REAL, ran REAL, status TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '',
    tries INTEGER NOT NULL DEFAULT 0, runs INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS beats_run (
    beat INTEGER NOT NULL, key TEXT NOT NULL, began REAL NOT NULL, seconds REAL NOT NULL, status TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS beats_run_beat ON beats_run (beat);
CREATE TABLE IF NOT EXISTS beats_pending (path TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS beats_clock (one INTEGER PRIMARY KEY CHECK (one = 1), at REAL NOT NULL)
"""
KEPT = 5000
"""Beats whose log is kept; the counter goes on."""


class Beat(Record):
    """One beat: its number and id, when it began, and whether it was there (and ended) before this call."""

    number: int
    id: str | None
    began: datetime
    repeated: bool = False
    resumed: bool = False
    set_back: float = 0.0
    """Seconds that the clock was set back since the beat before."""


class Memory(Record):
    """A task's record: what the clock needs (`last`), and what people want to know of its last run."""

    last: Last
    ran: datetime | None = None
    status: str = ""
    message: str = ""
    tries: int = 0
    runs: int = 0


class Run(Record):
    """One run, as the log has it: `status` is ok, findings, failed, ended (over its budget) or unavailable."""

    key: str
    status: str
    began: datetime
    seconds: float = 0.0
    message: str = ""


class Counts(Record):
    """The tasks of a beat: due, run without failure, failed."""

    due: int
    ran: int
    failed: int


class LoggedBeat(Record):
    """A beat of the log; the counts are None where it was killed before its end."""

    number: int
    id: str | None
    began: datetime
    ended: bool
    seconds: float
    due: int | None
    ran: int | None
    failed: int | None
    runs: tuple[Run, ...]

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            "beat": self.number,
            "id": self.id,
            "at": self.began.isoformat(timespec="seconds"),
            "ended": self.ended,
            "seconds": round(self.seconds, 3),
            "due": self.due,
            "ran": self.ran,
            "failed": self.failed,
            "runs": [
                {"task": run.key, "status": run.status, "seconds": round(run.seconds, 3), "message": run.message}
                for run in self.runs
            ],
        }

    def line(self) -> str:
        """One line for a person."""
        how = f"{self.due} due, {self.failed} failed, {self.seconds:.2f} s" if self.ended else "killed before its end"
        names = ", ".join(
            run.key if run.status in ("ok", "findings") else f"{run.key} {run.status}" for run in self.runs
        )
        named = f" [{self.id}]" if self.id else ""
        return f"{self.number:>6}{named}  {self.began:%Y-%m-%d %H:%M}  {how}" + (f": {names}" if names else "")


class State:
    """The records of one workspace. Close it, or use it as a context manager."""

    def __init__(self, ws: Workspace, tz: tzinfo, db: sqlite3.Connection | None = None) -> None:
        """Opens (and makes) the database, unless one is given. Raises WriteError where it cannot be written."""
        self._db = db or connect(ws, SCHEMA)
        self._tz = tz

    def __enter__(self) -> State:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def last_beat(self) -> Beat | None:
        """The beat that was counted last."""
        row = self._db.execute("SELECT number, id, began FROM beats_beat ORDER BY number DESC LIMIT 1").fetchone()
        return Beat(_number(row[0]), row[1], self._time(row[2])) if row else None

    def open_beat(self, id: str | None, now: datetime, schedules: dict[str, Schedule]) -> Beat:
        """Count a beat. One with a known id is not counted again: it is `repeated`, or `resumed` where it was killed.

        Where the clock was set back since it was last looked at, every slot is put right in the same transaction.
        """
        with transaction(self._db):
            known = self._db.execute("SELECT number, began, ended FROM beats_beat WHERE id = ?", (id,)).fetchone()
            if known and id is not None and known[2] is not None:
                return Beat(known[0], id, self._time(known[1]), repeated=True)
            lost = self._look_at_clock(now, schedules)
            if known and id is not None:
                return Beat(known[0], id, now, resumed=True, set_back=lost)
            before = self.last_beat()
            number = before.number + 1 if before else 1
            self._db.execute(
                "INSERT INTO beats_beat (number, id, began) VALUES (?, ?, ?)", (number, id, now.timestamp())
            )
            self._db.execute("DELETE FROM beats_run WHERE beat < ?", (number - KEPT,))
            self._db.execute("DELETE FROM beats_beat WHERE number < ?", (number - KEPT,))
        return Beat(number, id, now, set_back=lost)

    def _look_at_clock(self, now: datetime, schedules: dict[str, Schedule]) -> float:
        """Remember the time, and put the slots right where it lies before the one remembered; by how many seconds."""
        row = self._db.execute("SELECT at FROM beats_clock").fetchone()
        before = self._time(row[0]) if row else now
        lost = max(0.0, before.timestamp() - now.timestamp())
        if lost:
            self._set_back(before, now, schedules)
        self._db.execute("INSERT OR REPLACE INTO beats_clock VALUES (1, ?)", (now.timestamp(),))
        return lost

    def close_beat(
        self, beat: Beat, done: list[tuple[Run, datetime]], told: dict[str, str], counts: Counts, seconds: float
    ) -> None:
        """End a beat: what was handed over is done (each run with its slot), and the beat is over: all or nothing.

        A run without a status is a rotation's turn, which the log does not list. `told` are the findings, by key, that
        the agent has now heard.
        """
        with transaction(self._db):
            for run, slot in done:
                if run.status:
                    self._log(beat, run)
                self._done(beat, run, slot)
            heard = [(message, key) for key, message in told.items()]
            self._db.executemany("UPDATE beats_task SET message = ? WHERE key = ?", heard)
            self._db.execute(
                "UPDATE beats_beat SET ended = ?, seconds = ?, due = ?, ran = ?, failed = ? WHERE number = ?",
                (beat.began.timestamp() + seconds, seconds, *counts, beat.number),
            )

    def tasks(self) -> dict[str, Memory]:
        """Every task that was ever seen, by key."""
        rows = self._db.execute(
            "SELECT key, first_beat, first_seen, beat, slot, ran, status, message, tries, runs FROM beats_task"
        )
        return {row[0]: self._memory(*row[1:]) for row in rows}

    def meet(self, keys: dict[str, datetime | None], beat: int, now: datetime) -> None:
        """Remember tasks seen for the first time, with the slot that a hint gives (None: none)."""
        if keys:
            rows = [
                (key, beat, now.timestamp(), *[hint.timestamp() if hint else None] * 2) for key, hint in keys.items()
            ]
            with transaction(self._db):
                self._db.executemany(
                    "INSERT OR IGNORE INTO beats_task (key, first_beat, first_seen, slot, ran) VALUES (?, ?, ?, ?, ?)",
                    rows,
                )

    def settle(self, beat: Beat, run: Run, slot: datetime) -> None:
        """A run is over and need not be tried again: it counts for `slot`."""
        with transaction(self._db):
            self._log(beat, run)
            self._done(beat, run, slot)

    def fail(self, beat: Beat, run: Run) -> None:
        """A run failed and will be tried again."""
        with transaction(self._db):
            self._log(beat, run)
            self._db.execute(
                "UPDATE beats_task SET ran = ?, status = ?, message = ?, tries = tries + 1 WHERE key = ?",
                (run.began.timestamp(), run.status, run.message, run.key),
            )

    def pending(self) -> list[str]:
        """Files that beats have changed and not yet committed."""
        listed = [_text(path) for (path,) in self._db.execute("SELECT path FROM beats_pending ORDER BY path")]
        return [path for path in listed if not path.startswith("/") and ".." not in path.split("/")]

    def add_pending(self, paths: list[str]) -> None:
        """Remember changed files until a commit holds them."""
        with transaction(self._db):
            self._db.executemany("INSERT OR IGNORE INTO beats_pending VALUES (?)", [(path,) for path in paths])

    def clear_pending(self) -> None:
        """They are committed."""
        self._db.execute("DELETE FROM beats_pending")

    def log(self, limit: int = 20) -> list[LoggedBeat]:
        """The last beats, newest first, each with its runs."""
        beats = self._db.execute(
            "SELECT number, id, began, ended, seconds, due, ran, failed FROM beats_beat ORDER BY number DESC LIMIT ?",
            (limit,),
        )
        return [
            LoggedBeat(
                _number(number),
                _text(id) if id is not None else None,
                self._time(began),
                ended is not None,
                _seconds(seconds),
                _count(due),
                _count(ran),
                _count(failed),
                self._runs(number),
            )
            for number, id, began, ended, seconds, due, ran, failed in beats.fetchall()
        ]

    def _runs(self, number: int) -> tuple[Run, ...]:
        rows = self._db.execute(
            "SELECT key, status, began, seconds, message FROM beats_run WHERE beat = ? ORDER BY rowid", (number,)
        )
        return tuple(
            Run(_text(key), _text(status), self._time(began), _seconds(seconds), _text(message))
            for key, status, began, seconds, message in rows
        )

    def _set_back(self, before: datetime, now: datetime, schedules: dict[str, Schedule]) -> None:
        for key, slot, seen in self._db.execute("SELECT key, slot, first_seen FROM beats_task").fetchall():
            schedule = schedules.get(key, Schedule(seconds=1))
            fixed = rebase(schedule, self._time(slot), before, now).timestamp() if slot is not None else None
            self._db.execute(
                "UPDATE beats_task SET slot = ?, first_seen = ? WHERE key = ?",
                (fixed, min(self._time(seen).timestamp(), now.timestamp()), key),
            )

    def _log(self, beat: Beat, run: Run) -> None:
        self._db.execute(
            "INSERT INTO beats_run VALUES (?, ?, ?, ?, ?, ?)",
            (beat.number, run.key, run.began.timestamp(), run.seconds, run.status, run.message),
        )

    def _done(self, beat: Beat, run: Run, slot: datetime) -> None:
        self._db.execute(
            "UPDATE beats_task SET beat = ?, slot = ?, ran = ?, status = ?, message = ?, tries = 0, runs = runs + 1"
            " WHERE key = ?",
            (beat.number, slot.timestamp(), run.began.timestamp(), run.status, run.message, run.key),
        )

    def _memory(
        self, first_beat: int, seen: float, beat: int, slot: float | None, ran: float | None, status: str,
        message: str, tries: int, runs: int,
    ) -> Memory:  # fmt: skip
        slotted = self._time(slot) if slot is not None else None
        last = Last(_number(first_beat), self._time(seen), _number(beat), slotted)
        told = self._time(ran) if ran is not None else None
        return Memory(last, told, _text(status), _text(message), _number(tries), _number(runs))

    def _time(self, stamp: float) -> datetime:
        try:
            return datetime.fromtimestamp(stamp, self._tz)
        except (TypeError, ValueError, OverflowError, OSError) as error:
            raise _damaged(stamp) from error


def _damaged(value: object) -> WorkspaceError:
    """The state may have come with a cloned repository: what we never write is no bug of ours."""
    return WorkspaceError(
        f"the state of the beats is damaged: it holds {value!r}",
        f"delete {STATE}/{FILE}: no memory is in it, and the beats count anew",
    )


def _number(value: int) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 60:
        raise _damaged(value)
    return value


def _count(value: int | None) -> int | None:
    return None if value is None else _number(value)


def _seconds(value: float | None) -> float:
    if not isinstance(value, float | None):
        raise _damaged(value)
    return value or 0.0


def _text(value: str) -> str:
    if not isinstance(value, str):
        raise _damaged(value)
    return value


def peek(ws: Workspace, tz: tzinfo) -> tuple[int, dict[str, Memory]]:
    """The counter and the records, writing nothing; (0, {}) where there is no state yet or it cannot be read."""
    found = _read_only(ws, tz, lambda state: (state.last_beat(), state.tasks()))
    return (found[0].number if found[0] else 0, found[1]) if found else (0, {})


def read_log(ws: Workspace, tz: tzinfo, limit: int) -> list[LoggedBeat]:
    """The last beats, newest first, writing nothing."""
    return _read_only(ws, tz, lambda state: state.log(limit)) or []


def _read_only(ws: Workspace, tz: tzinfo, read: Callable[[State], Found]) -> Found | None:
    path = ws.state_path / FILE
    if not path.exists():
        return None
    for mode in ("mode=ro", "mode=ro&immutable=1"):  # the second where the folder cannot be written
        try:
            with State(ws, tz, sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True)) as state:
                return read(state)
        except sqlite3.Error:
            continue
    return None
