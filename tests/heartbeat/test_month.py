"""A month of beats, 1,440 of 30 minutes, the clocks moved, kills at random points: each count is exact."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from openclaw_memory.heartbeat.report import Report

FILE = """\
# Heartbeat
## Each heartbeat
- inbox
- **Tidy (every 2nd heartbeat)**: dead links
- Curate (every 4 heartbeats)
## Clock
- Feeds (every 2 hours)
- Site (every 90 minutes)
- Standup (daily at 09:00)
- Backup (daily at 02:30)
- Diary (daily)
- Invoice (monthly on the 15th)
- Garden (every 3 days)
- Office (hourly, weekdays, 9:00-17:00)
- Night watch (hourly, 22:00-02:00)
- Digest (weekly)
## Weekly (Monday)
- Review
## Checks (every 2 hours)
Rotate through these, pick 1 each time:
- mail
- calendar
- weather
tasks:
  - name: pulse
    interval: 6h
    prompt: |
      Take the pulse.
      Write it down.
"""
EXPECTED = {
    "inbox": 1440,
    "tidy": 720,
    "curate": 360,
    "feeds": 360,
    "site": 480,
    "standup": 30,
    "backup": 30,  # 02:30 does not exist on 29 March: it runs after the gap
    "diary": 31,  # the month's last beat is on the 31st, as the clocks went forward
    "invoice": 1,
    "garden": 11,
    "office": 21 * 8,
    "night-watch": 2 + 29 * 4 + 3,
    "digest": 1 + 5,  # at once, then on Mondays
    "review": 5,
    "mail": 120,
    "calendar": 120,
    "weather": 120,
    "rotate/checks": 360,
    "pulse": 120,
}
START = datetime(2026, 3, 1, tzinfo=ZoneInfo("Europe/Berlin"))


def test_a_month_of_beats_with_kills_keeps_every_schedule(beats: Callable[..., Any]) -> None:
    month = beats(FILE, zone="Europe/Berlin")
    chance = random.Random(7)
    for number in range(1440):
        now = datetime.fromtimestamp(START.timestamp() + number * 1800, START.tzinfo)
        beat_id = f"slot-{number}"
        while chance.random() < 0.15:  # killed, and called again with its id
            kill = chance.choice(month.points)
            month.run(now, beat_id, kill)
        report = month.run(now, beat_id)
        assert isinstance(report, Report) and report.status in ("beat", "repeated") and report.beat == number + 1
    counts = month.counts()
    assert counts == EXPECTED
    heard = Counter(key for keys in month.delivered for key in keys)  # killed between telling and noting: told twice
    assert all(heard[key] >= counts[key] for key in counts if not key.startswith("rotate/"))


def test_beats_that_nobody_repeats_are_caught_up_once(beats: Callable[..., Any]) -> None:
    """Without ids a killed beat is lost, but no task: it comes with the next beat, once."""
    month = beats("- a (every 4 heartbeats)\n- b (daily at 09:00)\n- c (every 2 hours)\n")
    chance, kill = random.Random(3), ""
    now = datetime(2026, 3, 1, tzinfo=month.zone)
    for number in range(1, 481):
        kill = "before" if not kill and chance.random() < 0.3 and number < 470 else ""
        month.run(now, None, kill)
        now += timedelta(minutes=30)
    assert month.counts() == {"a": 120, "b": 10, "c": 120}
