from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import pytest

from openclaw_memory.errors import UsageError
from openclaw_memory.workspace import Workspace


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue"])  # 25 hours apart: never the same day in both
@pytest.mark.parametrize("where", ["config", "USER.md"])
def test_the_day_is_that_of_the_zone_that_is_set(tmp_path: Path, zone: str, where: str) -> None:
    if where == "config":
        (tmp_path / "openclaw-memory.yaml").write_text(f"version: 1\ntimezone: {zone}\n")
    else:
        (tmp_path / "USER.md").write_text(f"# User\n\n- Timezone: {zone}\n")
    ws = Workspace(tmp_path)
    assert ws.zone.name == zone
    assert ws.today() == ws.now().date()


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue"])
def test_without_one_it_is_that_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        ws = Workspace(tmp_path)
        assert ws.today() == ws.now().date()
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_day_that_is_given_is_taken(tmp_path: Path) -> None:
    assert Workspace(tmp_path).today("2031-05-08T23:30") == date(2031, 5, 8)
    with pytest.raises(UsageError):
        Workspace(tmp_path).today("soon")
