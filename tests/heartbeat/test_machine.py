"""Beats, kills, repeated ids, clocks that jump and edits, in any order: no task is lost, none comes twice.

`elapsed` is the time that has really gone by as far as beats can know it: steps forward of the clock count, steps back
do not. In that time an interval must keep its length, whatever was done to the clock.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

POOL = {
    "each": "- each",
    "second": "- second (every 2nd heartbeat)",
    "fourth": "- fourth (every 4 heartbeats)",
    "hours": "- hours (every 2 hours)",
    "pulse": "- pulse (every 30 minutes)",
    "days": "- days (every 3 days)",
    "lunch": "- lunch (daily at 12:00)",
}
BEATS = {"each": 1, "second": 2, "fourth": 4}
SECONDS = {"hours": 7200, "pulse": 1800, "days": 259200}
SLACK = 45.0
KILLS = ["", "", "", "open_beat", "meet", "before", "after", "close_beat"]


class Machine(RuleBasedStateMachine):
    """One workspace and a model of what must have happened in it."""

    make: Any = None

    @initialize()
    def start(self) -> None:
        self.beats = self.make(Path(tempfile.mkdtemp(dir=self.folder)))
        self.listed = set(POOL)
        self.now = datetime(2026, 3, 2, 9, tzinfo=UTC)
        self.counted: datetime | None = None
        self.elapsed = 0.0
        self.number = 0
        self.met: dict[str, int] = {}
        self.done_beat: dict[str, int] = {}
        self.done_at: dict[str, float] = {}
        self.lunches: set[str] = set()
        self.back = 0
        self.last_id = ""
        self.write()

    folder: Path

    def write(self) -> None:
        self.beats.write("\n".join(POOL[name] for name in POOL if name in self.listed) + "\n")

    @rule(
        minutes=st.sampled_from([0, 1, 29, 30, 30, 30, 31, 90]),
        kill=st.sampled_from(["", "", "", "open_beat", "meet", "before", "after", "close_beat"]),
    )
    def beat(self, minutes: int, kill: str) -> None:
        """A beat with an id of its own, perhaps killed."""
        self.now += timedelta(minutes=minutes)
        self.last_id = f"id-{self.now.timestamp()}-{self.number}-{self.back}"
        self.call(self.last_id, kill, new=True)

    @precondition(lambda self: self.last_id)
    @rule(kill=st.sampled_from(["", "", "before", "after"]))
    def again(self, kill: str) -> None:
        """The same id once more."""
        self.call(self.last_id, kill, new=False)

    @rule(hours=st.sampled_from([1, 5, 30, 24 * 9]))
    def forward(self, hours: int) -> None:
        """The machine slept."""
        self.now += timedelta(hours=hours)

    @rule(minutes=st.sampled_from([1, 45, 300, 60 * 24 * 400]))
    def set_back(self, minutes: int) -> None:
        """Somebody set the clock."""
        self.now -= timedelta(minutes=minutes)
        self.back += 1

    @rule(name=st.sampled_from(sorted(POOL)))
    def edit(self, name: str) -> None:
        """A line is taken out, or put back."""
        self.listed ^= {name}
        self.write()

    def call(self, beat_id: str, kill: str, new: bool) -> None:
        told = len(self.beats.delivered)
        report = self.beats.run(self.now, beat_id, kill)
        heard = self.beats.delivered[told] if len(self.beats.delivered) > told else []
        assert len(heard) == len(set(heard)), "told twice in one beat"
        counts = kill != "open_beat" and (report is None or report.status == "beat")
        if counts:
            self.elapsed += max(0.0, (self.now - (self.counted or self.now)).total_seconds())
            self.counted = self.now
            self.number += new or self.fresh_id != beat_id
            self.fresh_id = beat_id
        if not counts:
            assert heard == []
            return
        if report is not None:
            assert report.beat == self.number, "a repeated id was counted"
        self.judge(heard, finished=report is not None, opened=kill != "meet")

    fresh_id = ""

    def judge(self, heard: list[str], finished: bool, opened: bool) -> None:
        """Compare what was told with what must be due."""
        if not opened:
            return
        for name in self.listed:
            self.met.setdefault(name, self.number)
        told_at_all = bool(heard) or finished
        for name, every in BEATS.items():
            if name in self.listed and told_at_all:
                done = max(self.done_beat.get(name, 0), self.met[name] - 1)
                assert (name in heard) == (self.number // every > done // every), name
        for name, length in SECONDS.items():
            if name in self.listed and told_at_all:
                gone = self.elapsed - self.done_at[name] if name in self.done_at else None
                if gone is None or gone >= length:
                    assert name in heard, f"{name} is lost"
                elif gone < length / 2 - SLACK:
                    assert name not in heard, f"{name} is doubled"
        if "lunch" in self.listed and finished and not self.back:
            day = self.now.date().isoformat()
            if self.now.hour >= 12 and self.met["lunch"]:
                assert day in self.lunches or "lunch" in heard, "lunch is lost"
            assert not ("lunch" in heard and day in self.lunches and self.now.hour >= 12), "lunch is doubled"
        if finished:
            for name in heard:
                self.done_beat[name] = self.number
                self.done_at[name] = self.elapsed
                if name == "lunch" and self.now.hour >= 12:
                    self.lunches.add(self.now.date().isoformat())

    @invariant()
    def the_counter_is_ours(self) -> None:
        """No call but a new beat moves the counter."""
        if getattr(self, "beats", None) and self.number:
            assert self.beats.number() == self.number


def check(make: Any, folder: Path, examples: int, steps: int) -> None:
    """Run the machine."""
    Machine.make, Machine.folder = staticmethod(make), folder
    case = Machine.TestCase
    case.settings = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
    )
    case().runTest()


def test_three_hundred_steps(bare_beats: Any, beat_folder: Path) -> None:
    check(bare_beats, beat_folder, 10, 30)


@pytest.mark.slow
def test_ten_thousand_steps(bare_beats: Any, beat_folder: Path) -> None:
    check(bare_beats, beat_folder, 200, 50)
