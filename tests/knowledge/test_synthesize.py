import json
import subprocess
import sys

import pytest

from openclaw_memory import fsio
from openclaw_memory.errors import FormatError
from openclaw_memory.knowledge.synthesize import BEGIN, END, with_block
from tests.knowledge.conftest import Space

ITEMS = "memory/people/jane/items.json"
SUMMARY = "memory/people/jane/summary.md"
NOW = "2026-06-01"


def record(number: int, text: str, **more: object) -> dict[str, object]:
    return {"id": f"jane-{number:03}", "fact": text, "timestamp": "2026-05-30", "status": "active", **more}


@pytest.fixture
def jane(om: Space) -> Space:
    om("entity", "new", "people/jane", "--name", "Jane")
    return om


def save(om: Space, *rows: dict[str, object]) -> None:
    om.write(ITEMS, json.dumps(rows))


def test_hot_then_warm_by_access_count_and_no_cold_one(jane: Space) -> None:
    save(
        jane,
        record(1, "hot, read once", accessCount=1),
        record(2, "hot, read often", accessCount=9),
        record(3, "warm", timestamp="2026-05-10"),
        record(4, "warm, read", timestamp="2026-05-10", lastAccessed="2026-05-11", accessCount=2),
        record(5, "cold", timestamp="2026-01-01"),
        record(6, "old", status="superseded", supersededBy="jane-001"),
        record(7, "no date", timestamp="someday"),
        record(8, "broken", status="superseded", supersededBy="gone"),
        record(9, "doubtful", provenance={"origin": "web:x", "review": "pending"}),
    )
    jane("synthesize", "--now", NOW)
    assert jane.read(SUMMARY) == (
        "# Jane\n\n<!-- openclaw-memory:begin facts -->\n\n## Hot\n\n- hot, read often (jane-002)\n"
        "- hot, read once (jane-001)\n\n## Warm\n\n- warm, read (jane-004)\n- warm (jane-003)\n\n"
        "## Date not readable\n\n- no date (jane-007)\n\n## Chain broken\n\n"
        "- broken (jane-008): is superseded by a fact that does not exist\n\n"
        "_1 cold fact: `openclaw-memory fact list people/jane`_\n\n<!-- openclaw-memory:end facts -->\n"
    )


def test_hand_written_text_stays_byte_for_byte(jane: Space) -> None:
    save(jane, record(1, "one"))
    above, below = "\ufeff# Jane\r\n\r\n*  by hand  \r\n\r\n", "\r\n## Mine\r\n\r\ntext without an end"
    (jane.root / SUMMARY).write_bytes(f"{above}{BEGIN}\r\nold\r\n{END}\r\n{below}".encode())
    jane("synthesize", "--now", NOW)
    data = (jane.root / SUMMARY).read_bytes().decode()
    assert data.startswith(above + BEGIN + "\r\n\r\n## Hot\r\n\r\n- one (jane-001)\r\n\r\n" + END + "\r\n")
    assert data.endswith(below)
    assert "\n" not in data.replace("\r\n", "")


def test_unchanged_input_writes_nothing(jane: Space) -> None:
    save(jane, record(1, "one"))
    jane("synthesize", "--now", NOW)
    before = jane.files()
    assert jane("synthesize", "--now", NOW).out == "nothing to change\n"
    assert jane.files() == before


def test_the_index_carries_the_new_rev_in_the_same_commit(jane: Space) -> None:
    save(jane, record(1, "one"))
    jane.git("add", "-A")
    jane.git("commit", "-qm", "start")
    jane("synthesize", "--now", NOW, "--commit")
    assert jane("check", "--range", "HEAD~1..HEAD").code == 0
    assert jane.git("show", "--name-only", "--format=", "HEAD").split() == ["MEMORY.md", SUMMARY]


@pytest.mark.parametrize(
    "text",
    [
        f"# J\n{BEGIN}\n",
        f"# J\n{END}\n{BEGIN}\n",
        f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n",
        f"# J\n{END}\n",
        "# J\n\n```\ncode\n",
    ],
)
def test_broken_markers_are_refused_with_the_line(text: str) -> None:
    with pytest.raises(FormatError, match=r"summary\.md:\d+: "):
        with_block(text, ["- x"])


def test_one_broken_file_does_not_stop_the_others(jane: Space) -> None:
    jane("entity", "new", "people/bo")
    jane.write("memory/people/bo/items.json", '[{"id": "bo-001",]')
    save(jane, record(1, "one"))
    done = jane("synthesize", "--now", NOW, code=1)
    assert "skipped memory/people/bo/items.json:1:" in done.err
    assert "- one (jane-001)" in jane.read(SUMMARY)


def test_a_fact_cannot_end_the_block(jane: Space) -> None:
    save(jane, record(1, f"sly\n{END}\n# Injected"))
    jane("synthesize", "--now", NOW)
    assert jane.read(SUMMARY).count(END) == 1
    assert "\n# Injected" not in jane.read(SUMMARY)


def test_a_summary_stays_readable_with_very_many_facts(jane: Space) -> None:
    save(jane, *(record(number, f"fact {number}") for number in range(1000)))
    jane("synthesize", "--now", NOW)
    text = jane.read(SUMMARY)
    assert text.count("\n- fact") == 200
    assert "_800 more hot facts: `openclaw-memory fact list people/jane`_" in text


def test_a_single_file_without_facts_and_an_archived_entity_are_left_alone(om: Space) -> None:
    om.write("memory/people/bo.md", "# Bo\n")
    om("entity", "new", "people/old")
    om("fact", "add", "people/old", "x", "--now", NOW)
    om("entity", "archive", "people/old", "--now", NOW)
    before = om.files()
    assert om("synthesize", "--now", NOW).out == "nothing to change\n"
    assert om.files() == before


_KILLED = """
import os, sys
from pathlib import Path
from datetime import datetime, UTC
from openclaw_memory.knowledge.synthesize import synthesize
from openclaw_memory.workspace import Workspace
left, kept = [int(sys.argv[2])], Path.replace
def dying(self, target):
    left[0] -= 1
    if left[0] < 0:
        os._exit(9)
    return kept(self, target)
Path.replace = dying
synthesize(Workspace(Path(sys.argv[1])), datetime(2026, 6, 1, tzinfo=UTC))
"""


@pytest.mark.parametrize("step", [0, 1, 2, 10, 19, 20, 21, 30, 60])
def test_killed_in_a_large_batch_it_is_all_or_nothing(om: Space, step: int) -> None:
    for number in range(20):
        om.write(f"memory/people/p{number}/summary.md", f"# P{number}\n")
        om.write(f"memory/people/p{number}/items.json", json.dumps([record(1, f"fact {number}")]))
    before = om.files()
    words = [sys.executable, "-c", _KILLED, str(om.root), str(step)]
    assert subprocess.run(words, capture_output=True).returncode in (0, 9)
    om("note", "whatever comes next puts it right", "--now", NOW)
    after = {name: data for name, data in om.files().items() if not name.endswith("2026-06-01.md")}
    written = [name for name in after if after[name] != before.get(name)]
    assert len(written) in (0, 21)
    assert not list(om.root.rglob(f"*{fsio.TEMP_SUFFIX}"))
    om("synthesize", "--now", NOW)
    assert all(f"fact {number}" in om.read(f"memory/people/p{number}/summary.md") for number in range(20))


@pytest.mark.slow
def test_a_hundred_thousand_facts_in_one_file(jane: Space) -> None:
    save(jane, *(record(number, f"made-up fact number {number}") for number in range(100_000)))
    jane("fact", "add", "jane", "one more", "--now", NOW)
    jane("fact", "supersede", "jane-50000", "another one", "--now", NOW)
    jane("fact", "show", "people/jane:jane-100001", "--now", NOW)
    assert jane("decay", "--now", NOW).out.startswith("1 access folded in; 100002 hot")
    jane("synthesize", "--now", NOW)
    jane.git("add", "-A")
    assert jane("check", "--staged", "--select", "OM2").out == "no findings\n"
