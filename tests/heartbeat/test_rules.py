"""OM4: what check says of a heartbeat file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.config import Config
from openclaw_memory.config.model import HeartbeatConfig
from openclaw_memory.heartbeat.hosts import early, scratch
from openclaw_memory.heartbeat.rules import judge_text

CASES = {
    "a": "---\ntitle: x\n---\n# Head\n## Other\n",
    "b": "<!-- nothing\nhere -->\n",
    "c": "```markdown\n# c\n```\n",
    "d": "- [ ]\n",
    "e": "# Heartbeat\n## Related\n- [docs](x)\n",
    "f": "# Check mail hourly\n",
}


def codes(text: str, config: Config | None = None) -> list[tuple[str, int]]:
    return [(found.code, found.line) for found in judge_text(text, "HEARTBEAT.md", config or Config())]


def test_what_the_early_rule_does_with_each_empty_file() -> None:
    assert {name: early(text).skips for name, text in CASES.items()} == {
        "a": False, "b": False, "c": False, "d": True, "e": False, "f": True,
    }  # fmt: skip
    assert {name: scratch(text).skips for name, text in CASES.items()} == {
        "a": False, "b": True, "c": True, "d": True, "e": False, "f": True,
    }  # fmt: skip


@pytest.mark.parametrize("name", "abce")
def test_a_file_without_tasks_that_costs_a_model_call_each_beat(name: str) -> None:
    (found,) = judge_text(CASES[name], "HEARTBEAT.md", Config())
    assert found.code == "OM405" and "early-2026 rule" in found.message and "tokens a day" in found.message


def test_tasks_that_the_host_takes_for_headings() -> None:
    (found,) = judge_text(CASES["f"], "HEARTBEAT.md", Config())
    assert found.code == "OM404" and "your tasks are headings" in found.message


def test_an_empty_file_is_silence_and_no_finding() -> None:
    assert codes(CASES["d"]) == [] and codes("") == []


def test_a_log_of_70_kb_tells_its_price() -> None:
    text = "## Achievements today\n" + "- Deployed the next version and told everybody about it\n" * 1300
    assert len(text) > 70_000
    (found,) = judge_text(text, "HEARTBEAT.md", Config())
    assert found.code == "OM405" and "a log" in found.message and ",000 tokens a day" not in found.message


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("### API (every 10 minutes)\n- ping\n- pong\n", [("OM403", 2)]),
        ("- every 2 hours: 9AM, 1PM, 5PM\n", [("OM402", 1)]),
        ("- look around periodically\n", [("OM401", 1)]),
        ("## A\n- same\n- same\n## B\n- same\n", [("OM406", 3)]),
        ("tasks:\n  - name: a\n    interval: 0m\n    prompt: x\n", [("OM401", 3)]),
        ("tasks:\n  - name: a\n    interval: -5m\n    prompt: x\n", [("OM401", 3)]),
        ('tasks:\n  - name: a\n    prompt: "open\n', [("OM408", 3)]),
        ("- mail (hours 9:00-9:00, hourly)\n", [("OM402", 1)]),
        ("- mail (daily at 22:00, 8:00-18:00)\n", [("OM402", 1)]),
        ("- mail\n```\nopen\n", [("OM401", 2)]),
        ("- mail (hourly)\n", []),
    ],
)
def test_each_rule_names_its_line(text: str, found: list[tuple[str, int]]) -> None:
    assert codes(text) == found


def test_a_beat_as_short_as_the_interval_is_kept() -> None:
    text = "- ping (every 10 minutes)\n"
    assert codes(text, Config(heartbeat=HeartbeatConfig(beat="10m"))) == []


def test_a_host_without_heartbeats_has_no_opinion() -> None:
    assert codes(CASES["a"], Config(profile="claude")) == []


def test_check_judges_the_heartbeat_file(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "HEARTBEAT.md").write_text("- look around periodically\n")
    said = json.loads(cli("check", "--json", "--select", "OM4").stdout)
    assert "OM401" in json.dumps(said)
